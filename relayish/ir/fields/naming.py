"""Names of nodes, as errors, ``repr`` and text show them."""

from __future__ import annotations

from typing import Any

from relayish._support.printable import escape
from relayish.ir.fields.field import Field, is_node_class
from relayish.ir.fields.roles import Atom

# Any: node classes and nodes, which stand above this file


def name_field(kind: type[Any]) -> Field | None:
    """Return the field that says what nodes of class ``kind`` are called, if there is one.

    It is the first text among the hints of a variable, and the first text in the name of something
    that is defined elsewhere.
    """
    atom = kind.traits_.atom
    if atom not in (Atom.VARIABLE, Atom.NAME):
        return None
    texts = [f for f in kind.fields_ if f.accepts == (str,) and (f.hint or atom is Atom.NAME)]
    return texts[0] if texts else None


def name_of(node: Any) -> str:
    """Return what people call ``node``; ``""`` if it has no name."""
    declared = name_field(type(node))
    return "" if declared is None else str(getattr(node, declared.name))


def display_name(variable: Any) -> str:
    """Return ``%x`` for a variable that people call ``x``, and what others consist of."""
    name = name_of(variable)
    return f"%{escape(name)}" if name else repr(variable)


def is_node(value: object) -> bool:
    """Return whether ``value`` is a node, of whatever kind."""
    return is_node_class(type(value))


def brief(value: object) -> str:
    """Show the value of a field in one line without descending into other nodes' fields."""
    if is_node(value):
        name = name_of(value)
        return f"{type(value).__name__}({escape(name)})" if name else f"<{type(value).__name__}>"
    if isinstance(value, tuple):
        shown = ", ".join(brief(item) for item in value[:6])
        return f"({shown}{', ...' if len(value) > 6 else ''}{',' if len(value) == 1 else ''})"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
