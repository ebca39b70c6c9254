"""Comparisons of two tensors whose shapes broadcast; the result is boolean."""

from __future__ import annotations

from collections.abc import Callable

from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.types.type_rules import broadcast_comparison
from relayish.op.values.evaluation import Array, Parameters

_COMPARISONS: dict[str, Callable[[Parameters, Array, Array], Array]] = {
    "equal": lambda _, lhs, rhs: lhs == rhs,
    "not_equal": lambda _, lhs, rhs: lhs != rhs,
    "less": lambda _, lhs, rhs: lhs < rhs,
    "less_equal": lambda _, lhs, rhs: lhs <= rhs,
    "greater": lambda _, lhs, rhs: lhs > rhs,
    "greater_equal": lambda _, lhs, rhs: lhs >= rhs,
}

for _name, _evaluation in _COMPARISONS.items():
    register_op(
        _name,
        arguments=("lhs", "rhs"),
        pattern=OpPattern.BROADCAST,
        rule=broadcast_comparison,
        evaluate=_evaluation,
        commutative=_name in ("equal", "not_equal"),
    )
