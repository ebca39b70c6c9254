"""``relayish passes``: list the registered passes, or describe one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from relayish.cli.report import tell
from relayish.cli.tables import Table, tell_table
from relayish.transform import PassEntry, PassInfo, list_passes, pass_entry


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    if args.name is None:
        tell_table(table_of([pass_entry(name) for name in list_passes()]))
    else:
        tell(render_entry(pass_entry(args.name)))
    return 0


def table_of(entries: Sequence[PassEntry]) -> Table:
    """Return a row for each pass: name, level, what it requires, what it does."""
    infos = [entry.info for entry in entries]
    rows = [
        (each.name, str(each.opt_level), ",".join(each.required) or "-", each.description)
        for each in infos
    ]
    return Table(("NAME", "LEVEL", "REQUIRED", "DESCRIPTION"), rows)


def render_entry(entry: PassEntry) -> str:
    """Return what is known of one pass, its options included."""
    info = entry.info
    lines = [
        entry.global_name,
        f"  {info.description or '(no description)'}",
        f"  level:    {info.opt_level}",
        f"  required: {', '.join(info.required) or '-'}",
        *(f"  {label} {', '.join(names)}" for label, names in _promises(info) if names),
        f"  from:     {entry.claimant}",
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
