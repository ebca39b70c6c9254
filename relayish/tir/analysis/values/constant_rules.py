"""Constant evaluation: the value of an expression from those of its operands, where it has one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.values.interval import wrap_integer
from relayish.tir.analysis.values.literals import Number, compute, convert
from relayish.tir.ir import operators as ops

Evaluation: TypeAlias = Callable[..., "Number | None"]  # Any: expressions of one kind
"""``rule(expr, *values)``: the value of an expression from those of its operands, in order.

An operand of which nothing is known has ``None``, and so has an expression whose value is not
known, which faults, or whose value is a NaN. The rules serve constant propagation, and constant
folding where all operands are literals.
"""


def _unknown(_expr: Node, *_values: Number | None) -> Number | None:
    return None


def _binary(expr: ops.BinaryOpNode, a: Number | None, b: Number | None) -> Number | None:
    if expr.a.type != expr.b.type or expr.type.lanes != 1:
        return None
    if a is not None and b is not None:
        return compute(type(expr), a, b, expr.a.type)
    if expr.type.is_bool and isinstance(expr, (ops.And, ops.Or)):
        decides = int(isinstance(expr, ops.Or))
        return decides if decides in (a, b) else None
    return None


def _extremum(expr: ops.Min | ops.Max, a: Number | None, b: Number | None) -> Number | None:
    if a is None or b is None or expr.a.type != expr.b.type or expr.type.lanes != 1:
        return None
    found = a if (a < b if isinstance(expr, ops.Min) else a > b) else b
    return None if found != found else found  # noqa: PLR0124 - a NaN


def _minus(expr: ops.Minus, value: Number | None) -> Number | None:
    if value is None or expr.type.is_bool or expr.type.lanes != 1:
        return None
    if expr.type.is_float:
        return None if value != value else -value  # noqa: PLR0124 - a NaN
    return wrap_integer(-int(value), expr.type)


def _not(expr: ops.Not, value: Number | None) -> Number | None:
    return None if value is None or not expr.type.is_bool else 1 - int(value)


def _nary(expr: ops.NaryOpNode, *values: Number | None) -> Number | None:
    if not values or any(operand.type != expr.type for operand in expr.operands):
        return None
    found, *rest = values
    kind = ops.Add if isinstance(expr, ops.Sum) else ops.Mul
    for value in rest:
        if found is None or value is None:
            return None
        found = compute(kind, found, value, expr.type)
    return None if found is None or found != found else found  # noqa: PLR0124 - a NaN


def _cast(expr: ops.Cast, value: Number | None) -> Number | None:
    source, target = expr.v.type, expr.type
    if value is None or not target.is_numeric or target.lanes != 1 or source.lanes != 1:
        return None
    return convert(value, source, target)


def _select(
    expr: ops.Select, holds: Number | None, if_true: Number | None, if_false: Number | None
) -> Number | None:
    if holds is None or expr.condition.type.lanes != 1 or expr.type.lanes != 1:
        return None
    kept, value = (expr.true_value, if_true) if holds else (expr.false_value, if_false)
    return value if kept.type == expr.type else None


EVALUATIONS: Final[KindTable[Evaluation]] = KindTable(
    "constant propagation",
    "relayish.tir.analysis.EVALUATIONS",
    {
        Node: _unknown,
        ops.BinaryOpNode: _binary,
        ops.Min: _extremum,
        ops.Max: _extremum,
        ops.Minus: _minus,
        ops.Not: _not,
        ops.NaryOpNode: _nary,
        ops.Cast: _cast,
        ops.Select: _select,
    },
)
