"""Writing attribute values, by their type; ``spell_value`` is open to further types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from multipledispatch import Dispatcher

from relayish.ir.attrs import Attrs, DictAttrs
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Constant, Expr, Op
from relayish.ir.relay.type import PrimExpr, Type
from relayish.text.literals import quote, spell_float, spell_name
from relayish.text.metadata_writer import MetadataWriter


class ValueContext(Protocol):
    """What writing a value needs from the printer."""

    metadata: MetadataWriter

    def operand(self, expr: Expr) -> str:
        """Return how an expression is referred to."""

    def type_text(self, item: Type) -> str:
        """Return the text of a type."""


spell_value: Callable[[object, ValueContext], str] = Dispatcher("spell_value")
"""``spell_value(value, context)``: the text of an attribute value, which parses back to it.

A :class:`multipledispatch.Dispatcher`: ``spell_value.add((MyType, object), rule)`` serves a type of
one's own.
"""


def _add(*kinds: type) -> Callable[[Callable[[Any, ValueContext], str]], object]:
    def add(rule: Callable[[Any, ValueContext], str]) -> object:  # Any: a value of one of the kinds
        for kind in kinds:
            spell_value.add((kind, object), rule)  # type: ignore[attr-defined]
        return rule

    return add


@_add(object)
def _other(value: object, context: ValueContext) -> str:
    return context.metadata.refer("Object", value)  # which refuses what has no form


@_add(bool, type(None))
def _word(value: object, _: ValueContext) -> str:
    return str(value)


@_add(int)
def _int(value: int, _: ValueContext) -> str:
    return str(int(value))


@_add(float)
def _float(value: float, context: ValueContext) -> str:
    if value != value:  # noqa: PLR0124 - NaN is what differs from itself
        return context.metadata.refer("FloatImm", value)
    return spell_float(float(value)) + "f"


@_add(str)
def _str(value: str, _: ValueContext) -> str:
    return quote(value)


@_add(tuple)
def _tuple(value: tuple[object, ...], context: ValueContext) -> str:
    return f"[{', '.join([spell_value(item, context) for item in value])}]"


@_add(DictAttrs)
def _mapping(value: DictAttrs, context: ValueContext) -> str:
    return f"{{{spell_items(value, context)}}}"


@_add(Attrs)
def _attrs(value: Attrs, context: ValueContext) -> str:
    return context.metadata.refer(value.type_key, value)


@_add(np.generic, np.ndarray)
def _array(value: object, context: ValueContext) -> str:
    return context.metadata.refer("runtime.NDArray", value)


@_add(Constant, Op, Constructor)
def _leaf(value: Expr, context: ValueContext) -> str:
    return context.metadata.refer(f"relay.{type(value).__name__}", value)


@_add(Expr)
def _expr(value: Expr, context: ValueContext) -> str:
    return context.operand(value)


@_add(Type)
def _type(value: Type, context: ValueContext) -> str:
    return f"type({context.type_text(value)})"


@_add(PrimExpr)
def _prim_expr(value: PrimExpr, context: ValueContext) -> str:
    return context.metadata.refer("PrimExpr", value)


def spell_items(attrs: Attrs, context: ValueContext) -> str:
    """Return ``name=value, name=value`` of the attributes that are not at their default."""
    return ", ".join(
        [f"{spell_key(key)}={spell_value(value, context)}" for key, value in attrs.shown_items()]
    )


def spell_key(name: str) -> str:
    """Return the name of an attribute as it is written."""
    spelt = spell_name(name)
    return f"#{spelt}" if spelt.startswith('"') else spelt
