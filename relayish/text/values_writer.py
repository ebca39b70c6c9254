"""Writing attribute values, by their type; ``spell_value`` is open to further types."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final, Protocol

import numpy as np
from multipledispatch import Dispatcher

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import Node
from relayish.ir.registration.declarations import (
    Redo,
    Undo,
    changes_of,
    declared_temporarily,
    watch_declarations,
)
from relayish.text.literals import quote, spell_float, spell_name
from relayish.text.metadata_writer import MetadataWriter
from relayish.text.tables import family_of


class ValueContext(Protocol):
    """What writing a value needs from the printer."""

    metadata: MetadataWriter

    def operand(self, node: Node) -> str:
        """Return how a node is referred to."""

    def family_text(self, item: Node) -> str:
        """Return the text of a node of a family with a grammar of its own."""


_RULES: Final = Dispatcher("spell_value")
spell_value: Callable[[object, ValueContext], str] = _RULES
"""``spell_value(value, context)``: the text of an attribute value, which parses back to it.

A :class:`multipledispatch.Dispatcher`: ``spell_value.add((MyType, object), rule)`` serves a type of
one's own.
"""


def add_value_rule(*kinds: type) -> Callable[[Callable[[Any, ValueContext], str]], object]:
    """Return a decorator that adds the rule for values of these types."""

    def add(rule: Callable[[Any, ValueContext], str]) -> object:  # Any: a value of one of the kinds
        for kind in kinds:
            _RULES.add((kind, object), rule)
        return rule

    return add


def _refer(value: object, context: ValueContext) -> str:
    return context.metadata.refer("Object", value)  # which refuses what has no form


add_value_rule(object)(_refer)


@add_value_rule(bool, type(None))
def _word(value: object, _: ValueContext) -> str:
    return str(value)


@add_value_rule(int)
def _int(value: int, context: ValueContext) -> str:
    return _refer(value, context) if isinstance(value, Enum) else str(int(value))


@add_value_rule(float)
def _float(value: float, context: ValueContext) -> str:
    if value != value:  # noqa: PLR0124 - NaN is what differs from itself
        return context.metadata.refer("FloatImm", value)
    return spell_float(float(value)) + "f"


@add_value_rule(str)
def _str(value: str, context: ValueContext) -> str:
    return _refer(value, context) if isinstance(value, Enum) else quote(value)


@add_value_rule(tuple)
def _tuple(value: tuple[object, ...], context: ValueContext) -> str:
    return f"[{', '.join([spell_value(item, context) for item in value])}]"


@add_value_rule(DictAttrs)
def _spell_mapping(value: DictAttrs, context: ValueContext) -> str:
    return f"{{{spell_items(value, context)}}}"


@add_value_rule(Attrs)
def _attrs(value: Attrs, context: ValueContext) -> str:
    return context.metadata.refer(value.type_key, value)


@add_value_rule(np.generic, np.ndarray)
def _array(value: object, context: ValueContext) -> str:
    return context.metadata.refer("runtime.NDArray", value)


@add_value_rule(Node)
def _node(value: Node, context: ValueContext) -> str:
    family = family_of(type(value))
    if family is None:
        return context.operand(value)
    if family.entered:
        return context.metadata.refer("Object", value)
    text = context.family_text(value)
    return f"{family.word}({text})" if family.word else text


def _watch_rules(context: declared_temporarily) -> Undo:
    forget = changes_of(_RULES.funcs, lambda _, rule: context.stays(rule.__module__))

    def undo() -> Redo:
        declare = forget()
        _RULES.add((object, object), _refer)  # which has it resolve each type anew

        def redo() -> None:
            declare()
            _RULES.add((object, object), _refer)

        return redo

    return undo


watch_declarations(_watch_rules)


def spell_items(attrs: Attrs, context: ValueContext) -> str:
    """Return ``name=value, name=value`` of the attributes that are not at their default."""
    return ", ".join(
        [f"{spell_key(key)}={spell_value(value, context)}" for key, value in attrs.shown_items()]
    )


def spell_key(name: str) -> str:
    """Return the name of an attribute as it is written."""
    spelt = spell_name(name)
    return f"#{spelt}" if spelt.startswith('"') else spelt
