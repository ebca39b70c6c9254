"""Canonical forms of quantising, dequantising and requantising."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.type import TensorType
from relayish.op.builders.builder import op
from relayish.passes.relay.quantisation.canonical.numbers import as_dtype, number
from relayish.passes.relay.quantisation.canonical.scaling import (
    Parameter,
    along,
    canonical,
    centred,
    is_zero,
    rank_of,
    requantized,
    saturated,
)


@canonical("qnn.quantize")
def quantize(attrs: Any, inputs: Any, types: Any) -> Expr:
    """Divide by the scale and round; what is no number stands for 0."""
    data, *to = map(Parameter, inputs, types)
    return quantized(data, to, attrs.axis, attrs.out_dtype)


def quantized(data: Parameter, to: Sequence[Parameter], axis: int, dtype: str) -> Expr:
    """Return numbers as integers of ``dtype``, at a scale and a zero point."""
    scale, zero_point = to
    rank = rank_of(data.ty)
    given = as_dtype(data.expr, "float32") if _dtype_of(data) != "float32" else data.expr
    divided = op.divide(given, along(scale, axis, rank))
    whole = op.cast(op.round(divided), "float64")
    zero = number(0, "float64")
    moved: Expr = op.where(op.isnan(whole), zero, whole)
    if not is_zero(zero_point.expr):
        moved = op.add(moved, as_dtype(along(zero_point, axis, rank), "float64"))
    return saturated(moved, dtype)


def _dtype_of(parameter: Parameter) -> str:
    assert isinstance(parameter.ty, TensorType)
    return parameter.ty.dtype


@canonical("qnn.dequantize")
def dequantize(attrs: Any, inputs: Any, types: Any) -> Expr:
    """Take the zero point away and multiply by the scale."""
    data, *of = map(Parameter, inputs, types)
    found = dequantized(data, of, attrs.axis)
    return found if attrs.out_dtype == "float32" else op.cast(found, attrs.out_dtype)


def dequantized(data: Parameter, of: Sequence[Parameter], axis: int) -> Expr:
    """Return what integers at a scale and a zero point stand for, in float32."""
    scale, zero_point = of
    rank = rank_of(data.ty)
    moved = op.cast(centred(data.expr, zero_point, axis, rank, "int32"), "float32")
    found: Expr = op.multiply(moved, along(scale, axis, rank))
    return found


@canonical("qnn.requantize")
def requantize(attrs: Any, inputs: Any, types: Any) -> Expr:
    """Multiply by the ratio of the scales."""
    data, scale, zero_point, *to = map(Parameter, inputs, types)
    result = types[-1]
    assert isinstance(result, TensorType)
    moved = requantized(
        data.expr,
        rank_of(data.ty),
        scale,
        zero_point,
        (to[0].expr, to[1].expr),
        attrs.axis,
        rounding=attrs.rounding,
        compute_dtype=attrs.compute_dtype,
    )
    return saturated(moved, result.dtype)
