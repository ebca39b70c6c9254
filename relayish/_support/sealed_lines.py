"""Append-only records in files: a line of JSON for each entry, with a digest of itself.

A line that was not written to its end is none, nor is one that has changed since; so whoever is
ended in the midst, or shares a file with others, loses that entry at most.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

Entry: TypeAlias = Mapping[str, Any]  # Any: as JSON has it

_SEAL: Final = "digest"
"""What an entry has beside what it says: the digest of that."""


def read_entries(path: Path) -> Iterator[Entry]:
    """Yield the entries of a file in which nothing has changed; none where there is no file.

    Raises:
        OSError: If it cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):  # its end is missing, or it is none of ours
            continue
        if isinstance(entry, dict) and entry.pop(_SEAL, None) == _digest_of(entry):
            yield entry


def append_entry(path: Path, entry: Entry) -> None:
    """Write an entry behind those that are there, at once.

    Raises:
        OSError: If it cannot be written.
    """
    sealed = {**entry, _SEAL: _digest_of(entry)}
    line = json.dumps(sealed).encode("utf-8") + b"\n"
    with path.open("a+b", buffering=0) as file:  # in one piece, whoever else writes to it
        if file.tell():
            file.seek(-1, 2)
            if file.read(1) != b"\n":  # what was begun before is no line
                line = b"\n" + line
        file.write(line)


def _digest_of(entry: Entry) -> str:
    return hashlib.sha256(json.dumps(entry, sort_keys=True).encode("utf-8")).hexdigest()
