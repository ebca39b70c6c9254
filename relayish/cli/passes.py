"""``relayish passes``: list the registered passes, or instruments, or describe one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from relayish._support.own import LOADED, is_own
from relayish.cli.json_form import render_json
from relayish.cli.report import tell
from relayish.cli.tables import Table, tell_table
from relayish.pass_infra.composition.instruments import INSTRUMENTS
from relayish.registry.option import MISSING, PassOption, describe_hint
from relayish.transform import InstrumentEntry, PassEntry, PassInfo, list_passes, pass_entry


@dataclass(frozen=True, slots=True)
class OptionDescription:
    """An option.

    Attributes:
        name: As it is written in a pipeline.
        type: Its type, as Python writes it.
        default: As Python writes it; null if it must be given.
    """

    name: str
    type: str
    default: str | None


@dataclass(frozen=True, slots=True)
class EntryDescription:
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
    """

    kind: str
    name: str
    description: str
    registered_by: str
    options: tuple[OptionDescription, ...]
    level: int | None = None
    required: Sequence[str] = ()
    requires: Sequence[str] = ()
    ensures: Sequence[str] = ()
    preserves: Sequence[str] = ()
    idempotent: bool = False


RESULT: Final = list[EntryDescription]
"""What ``--json`` prints: of all, or of the one that is named."""


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    if args.instruments:
        instruments = INSTRUMENTS.entries() if args.name is None else [INSTRUMENTS.get(args.name)]
        if args.json:
            tell(render_json([_describe_instrument(each) for each in instruments]))
        else:
            tell_table(table_of_instruments(instruments))
        return 0
    names = list_passes() if args.name is None else [args.name]
    passes = [pass_entry(name) for name in names]
    if args.json:
        tell(render_json([_describe_pass(each) for each in passes]))
    elif args.name is None:
        tell_table(table_of(passes))
    else:
        tell(render_entry(passes[0]))
    return 0


def table_of(entries: Sequence[PassEntry]) -> Table:
    """Return a row for each pass: name, level, what it requires, what it does."""
    rows = [
        (info.name, str(info.opt_level), ",".join(info.required) or "-", _describe_in_table(entry))
        for entry in entries
        for info in [entry.info]
    ]
    return Table(("NAME", "LEVEL", "REQUIRED", "DESCRIPTION"), rows)


def _describe_in_table(entry: PassEntry) -> str:
    """Return what a pass does, and below it who brought it, if relayish did not."""
    if is_own(entry.claimant):
        return entry.info.description
    return f"{entry.info.description}\nfrom {_origin(entry.claimant)}"


def _origin(claimant: str) -> str:
    """Return who registers something, and the file if a user had it loaded."""
    if not claimant.startswith(LOADED):
        return claimant
    module = sys.modules.get(LOADED + claimant.removeprefix(LOADED).partition(".")[0])
    return f"{claimant} ({getattr(module, '__file__', None)})"


def table_of_instruments(entries: Sequence[InstrumentEntry]) -> Table:
    """Return a row for each instrument: name, what it does, and its options below."""
    rows = [
        (entry.name, "\n".join([entry.description, *map(str, entry.options)])) for entry in entries
    ]
    return Table(("NAME", "DESCRIPTION"), rows)


def _describe_pass(entry: PassEntry) -> EntryDescription:
    info = entry.info
    return EntryDescription(
        "pass",
        info.name,
        info.description,
        entry.claimant,
        _options(entry.options),
        info.opt_level,
        info.required,
        info.requires,
        info.ensures,
        info.preserves,
        info.idempotent,
    )


def _describe_instrument(entry: InstrumentEntry) -> EntryDescription:
    options = _options(entry.options)
    return EntryDescription("instrument", entry.name, entry.description, entry.claimant, options)


def _options(options: Sequence[PassOption]) -> tuple[OptionDescription, ...]:
    return tuple(
        [
            OptionDescription(
                each.name,
                describe_hint(each.hint),
                None if each.default is MISSING else repr(each.default),
            )
            for each in options
        ]
    )


def render_entry(entry: PassEntry) -> str:
    """Return what is known of one pass, its options included."""
    info = entry.info
    lines = [
        entry.global_name,
        f"  {info.description or '(no description)'}",
        f"  level:    {info.opt_level}",
        f"  required: {', '.join(info.required) or '-'}",
        *(f"  {label} {', '.join(names)}" for label, names in _promises(info) if names),
        f"  from:     {_origin(entry.claimant)}",
        "  options:" if entry.options else "  options:  -",
        *(f"    {option}" for option in entry.options),
        "  options of every pass:",
        *(f"    {option}: {option.description}" for option in entry.common),
    ]
    return "\n".join(lines) + "\n"


def _promises(info: PassInfo) -> tuple[tuple[str, Sequence[str]], ...]:
    """Return what a pass says of the programs it takes and gives, each behind its label."""
    manner = (
        *(("infers types",) if info.infer_types else ()),
        *(("idempotent",) if info.idempotent else ()),
    )
    return (
        ("manner:  ", manner),
        ("takes:   ", info.requires),
        ("ensures: ", info.ensures),
        ("keeps:   ", info.preserves),
    )
