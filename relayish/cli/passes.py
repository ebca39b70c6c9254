"""``relayish passes``: list the registered passes, or instruments, or describe one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Final, NotRequired, TypedDict

from relayish._support.own import GLOBAL_PREFIX, LOADED, is_own
from relayish.cli.json_form import render_json
from relayish.cli.lists import listed, named
from relayish.cli.report import tell
from relayish.cli.tables import Table, tell_table


class OptionDescription(TypedDict):
    """An option.

    Attributes:
        name: As it is written in a pipeline.
        type: Its type, as Python writes it.
        default: As Python writes it; null if it must be given.
        description: What it is for, if that is said.
    """

    name: str
    type: str
    default: str | None
    description: NotRequired[str]


class EntryDescription(TypedDict):
    """What is registered under a name.

    Attributes:
        kind: Whether it is a pass or an instrument.
        name: As it is written in a pipeline, or behind --instrument.
        description: One line.
        registered_by: Module and name of the function or class.
        options: Its own options.
        level: The level from which on the pass runs; null for an instrument.
        required: The passes that must have run before.
        requires: Names of checks that hold of what the pass is given.
        ensures: Names of checks that hold of what it returns.
        preserves: Names of analyses that it leaves as they are.
        idempotent: Whether it leaves its own result as it is.
        infers_types: Whether it takes types, and what it returns is typed again.
    """

    kind: str
    name: str
    description: str
    registered_by: str
    options: Sequence[OptionDescription]
    level: int | None
    required: Sequence[str]
    requires: Sequence[str]
    ensures: Sequence[str]
    preserves: Sequence[str]
    idempotent: bool
    infers_types: bool


RESULT: Final = list[EntryDescription]
"""What ``--json`` prints: of all, or of the one that is named."""


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    kind = "instruments" if args.instruments else "passes"
    told = listed(kind) if args.name is None else [named(kind, args.name)]
    if args.json:
        tell(render_json(told))
    elif args.instruments:
        tell_table(table_of_instruments(told))
    elif args.name is None:
        tell_table(table_of(told))
    else:
        tell(render_entry(told[0]))
    return 0


def table_of(passes: Sequence[EntryDescription]) -> Table:
    """Return a row for each pass: name, level, what it requires, what it does."""
    rows = [
        (
            each["name"],
            str(each["level"]),
            ",".join(each["required"]) or "-",
            _describe_in_row(each),
        )
        for each in passes
    ]
    return Table(("NAME", "LEVEL", "REQUIRED", "DESCRIPTION"), rows)


def _describe_in_row(entry: EntryDescription) -> str:
    """Return what a pass does, and below it who brought it, if relayish did not."""
    if is_own(entry["registered_by"]):
        return entry["description"]
    return f"{entry['description']}\nfrom {origin_of(entry['registered_by'])}"


def origin_of(claimant: str) -> str:
    """Return who registers something, and the file if a user had it loaded."""
    if not claimant.startswith(LOADED):
        return claimant
    module = sys.modules.get(LOADED + claimant.removeprefix(LOADED).partition(".")[0])
    return f"{claimant} ({getattr(module, '__file__', None)})"


def table_of_instruments(entries: Sequence[EntryDescription]) -> Table:
    """Return a row for each instrument: name, what it does, and its options below."""
    rows = [
        (each["name"], "\n".join([each["description"], *map(spell_option, each["options"])]))
        for each in entries
    ]
    return Table(("NAME", "DESCRIPTION"), rows)


def spell_option(option: OptionDescription) -> str:
    """Return an option as it is declared: ``name: type = default``."""
    given = "" if option["default"] is None else f" = {option['default']}"
    return f"{option['name']}: {option['type']}{given}"


def render_entry(entry: EntryDescription) -> str:
    """Return what is known of one pass, its options included."""
    own = entry["options"]
    lines = [
        f"{GLOBAL_PREFIX}{entry['name']}",
        f"  {entry['description'] or '(no description)'}",
        f"  level:    {entry['level']}",
        f"  required: {', '.join(entry['required']) or '-'}",
        *(f"  {label} {', '.join(names)}" for label, names in _promises(entry) if names),
        f"  from:     {origin_of(entry['registered_by'])}",
        "  options:" if own else "  options:  -",
        *map(_describe_option, own),
        "  options of every pass:",
        *map(_describe_option, listed("options of passes")),
    ]
    return "\n".join(lines) + "\n"


def _describe_option(option: OptionDescription) -> str:
    what = option.get("description", "")
    return f"    {spell_option(option)}{f': {what}' if what else ''}"


def _promises(entry: EntryDescription) -> tuple[tuple[str, Sequence[str]], ...]:
    """Return what a pass says of the programs it takes and gives, each behind its label."""
    manner = (
        *(("infers types",) if entry["infers_types"] else ()),
        *(("idempotent",) if entry["idempotent"] else ()),
    )
    return (
        ("manner:  ", manner),
        ("takes:   ", entry["requires"]),
        ("ensures: ", entry["ensures"]),
        ("keeps:   ", entry["preserves"]),
    )
