"""Texts of the boxes of nodes, by kind, and the family that colours them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias

from relayish._support.printable import escape
from relayish.draw.diagram import Details
from relayish.draw.type_text import whole_text
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.field import Field
from relayish.ir.fields.naming import brief, name_field, name_of
from relayish.ir.fields.roles import Role
from relayish.ir.kinds.one_line import nested_line, one_line
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.span import at_span
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import has_scopes

WIDTH: Final = 38
"""Of a line in a box, in characters."""
MOST_LINES: Final = 6
_MOST_NODES: Final = 80
_LONGEST: Final = 400


class BoxText(NamedTuple):
    """What is written in the box of a node.

    Attributes:
        title: Its first line.
        lines: Those below.
        name: What tells it from others beside it, whatever else changes; the title if not given.
        scopes: What its scopes are called, in order; by their fields if not given.
        family: What it is coloured by; what the declaration of the kind tells, if not given.
    """

    title: str
    lines: tuple[str, ...] = ()
    name: str = ""
    scopes: tuple[str, ...] = ()
    family: str = ""


BoxTextOf: TypeAlias = Callable[[Any], BoxText]  # Any: a node of one kind
"""``text(node)``: what is written in the box of a node; only its fields are looked at."""


def wrapped(text: str) -> tuple[str, ...]:
    """Return a text in lines of a box; the last one ends in dots where there would be more."""
    if len(text) <= WIDTH:
        return (escape(text),) if text else ()
    return tuple(
        textwrap.wrap(
            escape(text), WIDTH, max_lines=MOST_LINES, placeholder=" ...", break_on_hyphens=False
        )
    )


def whole_line(node: Node) -> str:
    """Return a node in one line with what is below it, unless that is very much."""
    return nested_line(node, lambda _: None, most=_MOST_NODES, longest=_LONGEST)


def _text_of_kind(node: Node) -> BoxText:
    """Return the name of the kind, and below it what the node holds beside its program."""
    attributes = attributes_of(node, with_defaults=False)
    shown = [f"{name} = {text}" for name, text in attributes.items()]
    if type(node) in ATOMS and name_of(node):
        shown = list(attributes.values())
    title = escape(name_of(node)) or type(node).visit_name
    return BoxText(title, tuple([line for each in shown for line in wrapped(each)]))


def attributes_of(node: Node, *, with_defaults: bool = True) -> dict[str, str]:
    """Return what a node holds that is no part of the program, by name."""
    found = {}
    told = getattr(node, "type", None)  # which is told by itself
    for declared in _ATTRIBUTES[type(node)]:
        value = getattr(node, declared.name)
        text = _shown(value)
        if (
            value is not None
            and value is not told
            and (with_defaults or text != _shown(declared.default))
        ):
            found[declared.name] = text
    return found


def _shown(value: object) -> str:
    """Return what is no part of the program: values, types by their text, and such in tuples."""
    if isinstance(value, Node):
        return whole_text(value) if value.held_as_ is Role.ANNOTATION else one_line(value)
    if isinstance(value, tuple) and any(isinstance(each, Node) for each in value):
        shown = [_shown(each) for each in value[:_MOST_SHOWN]]
        return f"({', '.join([*shown, *['...'] * (len(value) > _MOST_SHOWN)])})"
    if isinstance(value, Enum):
        return str(value.name).lower()
    is_text = isinstance(value, str) and type(value) is not str  # as types of core are
    return str(value) if is_text else brief(value)


_MOST_SHOWN: Final = 6


def _attributes_of_kind(kind: type[Node]) -> list[Field]:
    named = name_field(kind)
    return [
        f
        for f in kind.fields_
        if f.role in (Role.LEAF, Role.ANNOTATION)
        and f.compared
        and not f.inferred
        and f is not named
    ]


_ATTRIBUTES: Final = ByKind(_attributes_of_kind)

BOX_TEXTS: Final[KindTable[BoxTextOf]] = KindTable(
    "a picture of statements", "relayish.draw.BOX_TEXTS", {Node: _text_of_kind}
)
"""By kind: what is written in the box of a node."""


def statement_text(node: Node) -> BoxText:
    """Return the text of a statement: what it is, and its text."""
    return BoxText(type(node).visit_name, wrapped(whole_line(node)))


def _family_of_kind(kind: type[Node]) -> str:
    """Return the family that a declaration tells."""
    properties, traits = kind.properties_, kind.traits_
    if properties & (Property.COMPARE | Property.BOOLEAN):
        return "comparison"
    if properties & (Property.CALL | Property.LIB_CALL):
        return "call"
    if has_scopes(kind):
        return "control"
    if traits.effect & (Effect.READS | Effect.WRITES) and not traits.effect & Effect.UNKNOWN:
        return "memory"
    if traits.atom is not None:
        return "data"
    return "elementwise" if traits.is_pure and kind.held_as_ is Role.OPERAND else "other"


_FAMILIES: Final = ByKind(_family_of_kind)


def family_of(node: Node, text: BoxText | None = None) -> str:
    """Return the family of the box of a node, in which ``text`` is written."""
    text = BOX_TEXTS[type(node)](node) if text is None else text
    found: str = text.family or _FAMILIES[type(node)]
    return found


def details_of(node: Node, *, is_nested: bool = False) -> Details:
    """Return what is told of a node when somebody asks; ``is_nested``: with what is below it."""
    text = whole_line(node) if is_nested else one_line(node)
    place = at_span(node).removeprefix(" at ")
    return Details(text, place, attributes_of(node, with_defaults=False), type=full_type(node))


def full_type(node: Node) -> str:
    """Return the type of what a node gives, as far as it is known."""
    known = getattr(node, "checked_type", None) or getattr(node, "type", None)
    return whole_text(known) if isinstance(known, Node) else str(known or "")
