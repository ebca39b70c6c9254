"""The record of a folder of optimised models: what was made of what, so that it is not made again.

``relayish.jsonl`` has a line for each model that was done, the last of which holds.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeAlias

from relayish._support.sealed_lines import Entry, append_entry, read_entries
from relayish._support.version import VERSION

NAME: Final = "relayish.jsonl"
"""The file, in the folder of results."""

Digests: TypeAlias = Mapping[str, str]
"""Of files, by their names in the directory of the first."""

_WITHOUT_EFFECT: Final = frozenset(
    {
        *("command", "file", "files", "output", "example", "jobs", "executor"),
        *("json", "json_schema"),
        *("traceback", "verbosity", "collector", "load", "load_first", "report", "print_pass"),
        *("show", "trace", "trace_mp", "trace_file", "perf", "keep", "dump_after"),
    }
)
"""Options on which no result depends, or which are told otherwise."""


def read_record(folder: Path) -> dict[str, Entry]:
    """Return what was done, by the name of the result; nothing where there is no record."""
    return {entry["result"]: entry for entry in read_entries(folder / NAME)}


def add_to_record(folder: Path, entry: Entry) -> None:
    """Write down that a model was done."""
    append_entry(folder / NAME, entry)


def options_of(args: argparse.Namespace, loaded: tuple[str, ...]) -> Entry:
    """Return the options on which results depend, what files that they name hold included."""
    told = {name: held for name, held in vars(args).items() if name not in _WITHOUT_EFFECT}
    files = *loaded, *args.input_data
    told["files"] = [_digest_of(Path(name)) if Path(name).is_file() else name for name in files]
    told["version"] = VERSION
    plain: Entry = json.loads(json.dumps(told, default=str))
    return plain


def make_entry(
    name: str, options: Entry, model: Path, beside: set[str], result: Path, report: object
) -> Entry:
    """Return what is recorded of a model that was done, as :func:`is_done` asks for it.

    Args:
        name: That of the result in the folder.
        options: What :func:`options_of` returns.
        model: The file that was read.
        beside: The files in its directory that hold tensors of it.
        result: The file that was written, with its tensors beside it if there are such.
        report: What is told of it.
    """
    data = f"{result.name}.data"
    return {
        "result": name,
        "options": options,
        "inputs": _digests(model, beside),
        "outputs": _digests(result, {data} if result.with_name(data).exists() else set()),
        "report": report,
    }


def is_done(entry: Entry | None, options: Entry, model: Path, result: Path) -> bool:
    """Return whether what a record says was done so, and of what is there and still the same."""
    return (
        entry is not None
        and entry.get("options") == options
        and _are_there(entry.get("inputs"), model)
        and _are_there(entry.get("outputs"), result)
    )


def _digests(first: Path, others: set[str]) -> Digests:
    """Return the digests of a file, and of others in its directory, by their names there."""
    return {name: _digest_of(first.parent / name) for name in (first.name, *sorted(others))}


def _digest_of(path: Path) -> str:
    """Return the digest of what a file holds.

    Raises:
        OSError: If it cannot be read.
    """
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _are_there(found: object, first: Path) -> bool:
    if not isinstance(found, dict) or first.name not in found:
        return False
    try:
        return all(_digest_of(first.parent / name) == digest for name, digest in found.items())
    except OSError:
        return False
