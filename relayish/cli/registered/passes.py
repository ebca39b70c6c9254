"""Passes, instruments and checks as the registries have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from relayish.cli.passes import EntryDescription, origin_of
from relayish.cli.registered.options import describe_options
from relayish.pass_infra.composition.instruments import INSTRUMENTS
from relayish.transform import (
    InstrumentEntry,
    PassEntry,
    PassInfo,
    list_checks,
    list_passes,
    pass_entry,
)


def describe_pass(entry: PassEntry) -> EntryDescription:
    """Return what is known of a pass."""
    info = entry.info
    return {
        "kind": "pass",
        "name": info.name,
        "description": info.description,
        "registered_by": entry.claimant,
        "options": describe_options(entry.options),
        "level": info.opt_level,
        "required": info.required,
        "requires": info.requires,
        "ensures": info.ensures,
        "preserves": info.preserves,
        "idempotent": info.idempotent,
    }


def describe_instrument(entry: InstrumentEntry) -> EntryDescription:
    """Return what is known of an instrument."""
    return {
        "kind": "instrument",
        "name": entry.name,
        "description": entry.description,
        "registered_by": entry.claimant,
        "options": describe_options(entry.options),
        "level": None,
        "required": (),
        "requires": (),
        "ensures": (),
        "preserves": (),
        "idempotent": False,
    }


def describe_named(kind: str, name: str) -> EntryDescription:
    """Return what is known of the pass or instrument of a name.

    Raises:
        UnknownNameError: If there is none.
    """
    if kind == "instruments":
        return describe_instrument(INSTRUMENTS.get(name))
    return describe_pass(pass_entry(name))


DESCRIBE: Final[dict[str, Callable[[], Sequence[Any]]]] = {  # Any: descriptions of each kind
    "passes": lambda: [describe_pass(pass_entry(name)) for name in list_passes()],
    "instruments": lambda: list(map(describe_instrument, INSTRUMENTS.entries())),
    "checks": lambda: [{"name": name} for name in list_checks()],
}


def render_entry(entry: PassEntry) -> str:
    """Return what is known of one pass, its options included."""
    info = entry.info
    lines = [
        entry.global_name,
        f"  {info.description or '(no description)'}",
        f"  level:    {info.opt_level}",
        f"  required: {', '.join(info.required) or '-'}",
        *(f"  {label} {', '.join(names)}" for label, names in _promises(info) if names),
        f"  from:     {origin_of(entry.claimant)}",
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
