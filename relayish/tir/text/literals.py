"""Literals: their text, what that does not tell, and the types that their neighbours tell."""

from __future__ import annotations

from typing import Any

from relayish.ir.node import Node
from relayish.tir.ir.operators import FloatImm, IntImm, UIntImm
from relayish.tir.ir.type import Type
from relayish.tir.text.spelling import round_to, same_bits, spell_float, spell_int, spell_type
from relayish.tir.text.values import spell_exact_float

UINT32 = Type("uint32")
FLOAT64 = Type("float64")


def literal_text(node: Any) -> str:  # Any: a literal, of three kinds
    """Return a number as CINN writes it."""
    if type(node) is FloatImm:
        return spell_float(node.value, node.dtype)
    return spell_int(node.value, node.dtype)


def note_of_literal(node: Any) -> str:  # Any: as above
    """Return what the text of a number, standing alone, does not tell of it; ``""``: nothing."""
    kind, dtype = type(node), node.dtype
    if kind is FloatImm:
        return _note_of_float(node)
    if kind is IntImm and dtype.is_int and dtype.is_scalar:
        return ""
    if kind is UIntImm and dtype.is_uint and dtype.is_scalar and dtype != UINT32:
        is_told = dtype.element != "bool" or node.value in (0, 1)
        return "" if is_told else f"value={node.value}"
    name = "int_imm" if kind is IntImm else "uint_imm"
    return f"kind={name}, dtype={spell_type(dtype)}, value={node.value}"


def _note_of_float(node: FloatImm) -> str:
    value, dtype = node.value, node.dtype
    if not dtype.is_float or not dtype.is_scalar:
        exact = spell_exact_float(value)
        return f"kind=float_imm, dtype={spell_type(dtype)}, value={exact}"
    notes = []
    is_finite = value - value == 0
    if not is_finite and dtype == FLOAT64:
        notes.append("dtype=float64")
    if not same_bits(told_float(value, dtype), value):
        notes.append(f"value={spell_exact_float(value)}")
    return ", ".join(notes)


def told_float(value: float, dtype: Type) -> float:
    """Return what is read from the text of ``value``: a NaN has a sign, but no payload."""
    text = spell_float(value, dtype)
    if text.endswith("nan"):
        return -_NAN if "-" in text else _NAN
    return round_to(value, dtype)


_NAN = float("nan")


def takes_type_of(node: Node, beside: Node) -> bool:
    """Return whether a literal whose text tells no type has that of what stands beside it.

    ``5`` is an ``int32``, but beside a ``uint32`` it is one, too; ``inf`` is a ``float32``, but
    beside a ``float64`` it is one.
    """
    if type(node) is UIntImm:
        return node.dtype == UINT32 and told_type(beside) == UINT32
    if type(node) is FloatImm and node.dtype == FLOAT64:
        return (
            node.value - node.value != 0
            and told_type(beside) == FLOAT64
            and same_bits(told_float(node.value, FLOAT64), node.value)
        )
    return False


def told_type(node: Node) -> Type | None:
    """Return the type that something has whatever stands beside it."""
    if type(node) in (IntImm, UIntImm, FloatImm):
        return None
    found: Type | None = getattr(node, "type", None)
    return found
