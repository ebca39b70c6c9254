"""``relayish passes``: list the registered passes, or describe one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from relayish.cli.report import tell
from relayish.transform import PassEntry, PassInfo, list_passes, pass_entry


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    if args.name is None:
        tell(render_table([pass_entry(name) for name in list_passes()]))
    else:
        tell(render_entry(pass_entry(args.name)))
    return 0


def render_table(entries: Sequence[PassEntry]) -> str:
    """Return one line for each pass: name, level, what it requires, what it does."""
    rows = [("NAME", "LEVEL", "REQUIRED", "DESCRIPTION")]
    for entry in entries:
        info = entry.info
        required = ",".join(info.required) or "-"
        rows.append((info.name, str(info.opt_level), required, info.description))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        for row in rows
    ]
    return "".join(line.rstrip() + "\n" for line in lines)


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
