"""Canonical forms of sums, differences, products, joins and averages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relayish.ir.relay.expr import Expr, Tuple, TupleGetItem
from relayish.ir.relay.type import TensorType, TupleType
from relayish.op.builders.builder import op
from relayish.passes.relay.quantisation.canonical.numbers import WIDE, as_dtype, quotient
from relayish.passes.relay.quantisation.canonical.scaling import (
    Parameter,
    along,
    canonical,
    centred,
    is_zero,
    rank_of,
    requantized,
    rescaled,
    saturated,
    shifted,
)
from relayish.passes.relay.quantisation.integer_rules.parameters import array_of, multiply_scales


def _channel(axis: int, rank: int) -> int:
    return axis if rank > 1 else 0


def _sum(name: str) -> Callable[[Any, Any, Any], Expr]:
    """Return the form of a sum or a difference, of operands at the scale of the result."""

    def form(attrs: Any, inputs: Any, types: Any) -> Expr:
        lhs, rhs, left_scale, left_zero, right_scale, right_zero, scale, zero = map(
            Parameter, inputs, types
        )
        sides = []
        for data, its_scale, its_zero, axis in (
            (lhs, left_scale, left_zero, attrs.lhs_axis),
            (rhs, right_scale, right_zero, attrs.rhs_axis),
        ):
            rank = rank_of(data.ty)
            to, channel = (scale.expr, zero.expr), _channel(axis, rank)
            sides.append(requantized(data.expr, rank, its_scale, its_zero, to, channel))
        combined = getattr(op, name)(*sides)
        if not is_zero(zero.expr):
            again = op.subtract if name == "add" else op.add
            combined = again(combined, as_dtype(zero.expr, WIDE))
        return saturated(combined, lhs.ty.dtype)

    return form


canonical("qnn.add")(_sum("add"))
canonical("qnn.subtract")(_sum("subtract"))


@canonical("qnn.mul")
def multiply(attrs: Any, inputs: Any, types: Any) -> Expr:
    """Multiply integers and move the scale, the product of both, to that of the result."""
    lhs, rhs, left_scale, left_zero, right_scale, right_zero, scale, zero = map(
        Parameter, inputs, types
    )
    sides, factors = [], []
    for data, its_scale, its_zero, axis in (
        (lhs, left_scale, left_zero, attrs.lhs_axis),
        (rhs, right_scale, right_zero, attrs.rhs_axis),
    ):
        rank = rank_of(data.ty)
        channel = _channel(axis, rank)
        sides.append(centred(data.expr, its_zero, channel, rank))
        factors.append(along(its_scale, channel, rank))
    ratio = quotient(multiply_scales(*factors), scale.expr)
    moved = rescaled(op.multiply(*sides), ratio)
    dtype = lhs.ty.dtype
    return saturated(shifted(moved, zero.expr), dtype)


@canonical("qnn.concatenate")
def concatenate(attrs: Any, inputs: Any, types: Any) -> Expr:
    """Join parts that stand at the scale of the result."""
    data, scales, zero_points, scale, zero = map(Parameter, inputs, types)
    assert isinstance(data.ty, TupleType)
    parts = []
    for index, ty in enumerate(data.ty.fields):
        assert isinstance(ty, TensorType)
        moved = requantized(
            _field(data, index).expr,
            len(ty.shape),
            _field(scales, index),
            _field(zero_points, index),
            (scale.expr, zero.expr),
            0,
        )
        parts.append(saturated(moved, ty.dtype))
    found: Expr = op.concatenate(Tuple(tuple(parts)), axis=attrs.axis)
    return found


def _field(tup: Parameter, index: int) -> Parameter:
    assert isinstance(tup.ty, TupleType)
    expr = tup.expr
    field = expr.fields[index] if type(expr) is Tuple else TupleGetItem(expr, index)
    return Parameter(field, tup.ty.fields[index])


@canonical("qnn.avg_pool2d")
def average(attrs: Any, inputs: Any, types: Any) -> Expr:
    """Take averages of 32 bits that stand at the scale of the result."""
    data, scale, zero_point, to_scale, to_zero = map(Parameter, inputs, types)
    assert isinstance(data.ty, TensorType)
    wide: Expr = op.cast(data.expr, "int32")
    if not _is_same(scale, to_scale) or not _is_same(zero_point, to_zero):
        to = (to_scale.expr, to_zero.expr)
        moved = requantized(data.expr, len(data.ty.shape), scale, zero_point, to, 0)
        wide = saturated(moved, "int32")
    pooled = op.nn.avg_pool2d(wide, **dict(attrs.items()))
    return saturated(pooled, data.ty.dtype)


def _is_same(one: Parameter, other: Parameter) -> bool:
    left, right = array_of(one.expr), array_of(other.expr)
    is_known = left is not None and right is not None
    return one.expr is other.expr or (is_known and bool(left == right))
