"""Passes, instruments and checks as the registries have them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from relayish.cli.passes import EntryDescription
from relayish.cli.registered.options import describe_options
from relayish.pass_infra.composition.instruments import INSTRUMENTS
from relayish.transform import (
    InstrumentEntry,
    PassEntry,
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
        "infers_types": info.infer_types,
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
        "infers_types": False,
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
    "options of passes": lambda: describe_options(PassEntry.common),
}
