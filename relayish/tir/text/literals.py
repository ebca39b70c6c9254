"""Literals: their text, what that does not tell, and the types that their neighbours tell."""

from __future__ import annotations

from typing import Any, Final

from relayish.ir.nodes.node import Node
from relayish.tir.ir.operators import FloatImm, IntImm, UIntImm, integer_range
from relayish.tir.ir.type import FLOAT32, INT32, Type
from relayish.tir.text.spelling import (
    half_bits,
    half_value,
    round_to,
    same_bits,
    spell_float,
    spell_int,
    spell_type,
)
from relayish.tir.text.values import spell_exact_float

UINT32: Final = Type("uint32")
_MOST_UINT32: Final = 2**32 - 1
FLOAT64: Final = Type("float64")


def literal_text(node: Any) -> str:  # Any: a literal, of three kinds
    """Return a number as CINN writes it."""
    if type(node) is FloatImm:
        return spell_float(node.value, node.dtype)
    return spell_int(node.value, node.dtype)


def note_of_literal(node: Any, *, is_explicit: bool = False) -> str:  # Any: as above
    """Return what the text of a number, standing alone, does not tell of it; ``""``: nothing.

    Args:
        node: The number.
        is_explicit: Whether its type is to be told anyway.
    """
    kind, dtype = type(node), node.dtype
    if kind is FloatImm:
        return _note_of_float(node, is_explicit=is_explicit)
    if dtype.is_scalar and (dtype.is_int if kind is IntImm else dtype.is_uint):
        low, high = integer_range(dtype)
        if low <= node.value <= high and dtype != UINT32:
            return f"dtype={dtype}" if is_explicit else ""
    name = "int_imm" if kind is IntImm else "uint_imm"
    return f"kind={name}, dtype={spell_type(dtype)}, value={node.value}"


def _note_of_float(node: FloatImm, *, is_explicit: bool) -> str:
    value, dtype = node.value, node.dtype
    if not dtype.is_float or not dtype.is_scalar:
        exact = spell_exact_float(value)
        return f"kind=float_imm, dtype={spell_type(dtype)}, value={exact}"
    notes = []
    is_finite = value - value == 0
    if is_explicit or (not is_finite and dtype == FLOAT64):
        notes.append(f"dtype={spell_type(dtype)}")
    if not same_bits(told_float(value, dtype), value):
        notes.append(f"value={spell_exact_float(value)}")
    return ", ".join(notes)


def told_float(value: float, dtype: Type) -> float:
    """Return what is read from the text of ``value``: a NaN has a sign, but no payload."""
    text = spell_float(value, dtype)
    if text.startswith("cinn"):
        return half_value(half_bits(value, dtype), dtype)
    if text.endswith("nan"):
        return -_NAN if "-" in text else _NAN
    return round_to(value, dtype)


_NAN: Final = float("nan")


def takes_type_of(node: Node, beside: Node) -> bool:
    """Return whether a literal whose text tells no type has that of what stands beside it.

    ``5`` is an ``int32``, but beside a ``uint32`` it is one, too; ``inf`` is a ``float32``, but
    beside a ``float64`` it is one.
    """
    if type(node) is UIntImm:
        is_told = node.dtype == UINT32 and told_type(beside) == UINT32
        return is_told and 0 <= node.value <= _MOST_UINT32
    if type(node) is FloatImm and node.dtype == FLOAT64:
        return (
            node.value - node.value != 0
            and told_type(beside) == FLOAT64
            and same_bits(told_float(node.value, FLOAT64), node.value)
        )
    return False


def would_take_type_of(node: Node, beside: Node) -> bool:
    """Return whether a literal would be taken for one of the type beside it, which it is not."""
    if type(node) is IntImm:
        return node.dtype == INT32 and told_type(beside) == UINT32
    if type(node) is FloatImm:
        is_plain = node.dtype == FLOAT32 and node.value - node.value != 0
        return is_plain and told_type(beside) == FLOAT64
    return False


def told_type(node: Node) -> Type | None:
    """Return the type that something has whatever stands beside it."""
    if type(node) in (IntImm, UIntImm, FloatImm):
        return None
    found: Type | None = getattr(node, "type", None)
    return found
