"""Notes of nodes that became one: the one node says all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Function, Var
from relayish.onnx import info

_BETWEEN: Final = "; "
"""What stands between texts of several nodes."""


def merge_notes(func: Function, absorbed: Mapping[Var, Iterable[Var]]) -> Function:
    """Return a function in which variables have the notes of those that went into them, too.

    Args:
        func: A function of ONNX.
        absorbed: Of variables whose calls were rewritten: those that are gone for it.

    Returns:
        ``func`` itself where nothing is said of any.
    """
    told = None if func.attrs is None else func.attrs.get(info.NODES)
    if not isinstance(told, DictAttrs):
        return func
    notes = dict(told.items())
    order = {name: place for place, name in enumerate(notes)}
    changed = False
    for var, gone in absorbed.items():
        names = [each.name_hint for each in gone if each.name_hint in notes]
        own = [var.name_hint] if var.name_hint in notes else []
        parts = [notes[name] for name in (*sorted(names, key=order.__getitem__), *own)]
        merged = _merge([each for each in parts if isinstance(each, DictAttrs)])
        if merged is not None and merged is not notes.get(var.name_hint):
            notes[var.name_hint] = merged
            changed = True
    if not changed:
        return func
    assert func.attrs is not None
    attrs = {**dict(func.attrs.items()), info.NODES: DictAttrs(notes)}
    return func.with_fields(attrs=DictAttrs(attrs))


def _merge(parts: list[DictAttrs]) -> DictAttrs | None:
    """Return the notes of the last of some nodes, with the texts and properties of all."""
    if len(parts) < 2:
        return parts[0] if parts else None
    found: dict[str, Any] = dict(parts[-1].items())  # Any: whatever attributes may be
    texts = _joined(each.get("doc_string") for each in parts)
    if texts:
        found["doc_string"] = texts
    properties: dict[str, list[object]] = {}
    for each in parts:
        held = each.get("metadata")
        for key, value in held.items() if isinstance(held, DictAttrs) else ():
            properties.setdefault(key, []).append(value)
    if properties:
        found["metadata"] = DictAttrs({key: _joined(each) for key, each in properties.items()})
    return DictAttrs(found)


def _joined(texts: Iterable[object]) -> str:
    """Return each text once, in order."""
    return _BETWEEN.join(dict.fromkeys(str(each) for each in texts if each))
