"""Comparisons of two tensors whose shapes broadcast; the result is boolean."""

from __future__ import annotations

from typing import Final, Unpack

from relayish.ir.domains.property import Property
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.record import Record
from relayish.op.declaration.registry import register_op
from relayish.op.types.type_rules import broadcast_comparison

_SHAPES: Final = "lhs (...); rhs (...) of the same element type -> (...) bool, broadcast of both"


def _declare(name: str, summary: str, **told: Unpack[Record]) -> None:
    """Declare a comparison of pairs of elements."""
    record: Record = {
        "description": f"{summary}\n{_SHAPES}",
        "pattern": OpPattern.BROADCAST,
        "rule": broadcast_comparison,
        "properties": Property.COMPARE | Property.BOOLEAN,
        **told,
    }
    register_op(name, arguments=("lhs", "rhs"), **record)


_declare(
    "equal",
    "Say where two tensors are equal, with broadcasting.",
    evaluate=lambda _, lhs, rhs: lhs == rhs,
    commutative=True,
)
_declare(
    "not_equal",
    "Say where two tensors differ, with broadcasting.",
    evaluate=lambda _, lhs, rhs: lhs != rhs,
    commutative=True,
)
_declare(
    "less",
    "Say where the left tensor is the smaller one, with broadcasting.",
    evaluate=lambda _, lhs, rhs: lhs < rhs,
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare(
    "less_equal",
    "Say where the left tensor is not the larger one, with broadcasting.",
    evaluate=lambda _, lhs, rhs: lhs <= rhs,
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare(
    "greater",
    "Say where the left tensor is the larger one, with broadcasting.",
    evaluate=lambda _, lhs, rhs: lhs > rhs,
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare(
    "greater_equal",
    "Say where the left tensor is not the smaller one, with broadcasting.",
    evaluate=lambda _, lhs, rhs: lhs >= rhs,
    mixed_precision=MixedPrecision.FOLLOW,
)
