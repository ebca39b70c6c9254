"""Sums, differences, products, joins and averages of quantised tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from relayish.errors import TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.numeric.quantization import spread_scale
from relayish.op.declaration.properties import OpPattern, evaluate, rule
from relayish.op.declaration.registry import register_op, relay_op
from relayish.op.layouts.quantised_rules import quantised_broadcast_layouts
from relayish.op.layouts.rules import of_layout
from relayish.op.layouts.shape_rules import concatenate_layouts
from relayish.op.nn.pooling_attrs import AvgPool2DAttrs
from relayish.op.qnn.declaration import declare_quantised
from relayish.op.qnn.fixed_point import rescale
from relayish.op.qnn.parameters import (
    SCALE,
    ZERO_POINT,
    check_pair_along,
    check_scalar,
    check_scalars,
    require_quantised,
    saturate,
)
from relayish.op.tensor.joining import ConcatenateAttrs
from relayish.op.types.type_rules import broadcast, tensors
from relayish.op.values.evaluation import Array, Parameters


@attrs("relay.attrs.BroadcastAttrs")
class BroadcastAttrs(Attrs):
    """Attributes of ``qnn.add``, ``qnn.mul``, ``qnn.subtract``."""

    lhs_axis: int = -1
    rhs_axis: int = -1


_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "int64")


def _broadcast_type(
    attrs: BroadcastAttrs,
    lhs: Type,
    rhs: Type,
    lhs_scale: Type,
    lhs_zero_point: Type,
    rhs_scale: Type,
    rhs_zero_point: Type,
    output_scale: Type,
    output_zero_point: Type,
) -> TensorType:
    left, right = require_quantised(lhs, "lhs", _INTEGERS), require_quantised(rhs, "rhs", _INTEGERS)
    left_axis = _channel_axis(attrs.lhs_axis, len(left.shape))
    right_axis = _channel_axis(attrs.rhs_axis, len(right.shape))
    check_pair_along(lhs_scale, lhs_zero_point, "lhs", left, left_axis)
    check_pair_along(rhs_scale, rhs_zero_point, "rhs", right, right_axis)
    check_scalars(output_scale, output_zero_point, "output")
    return broadcast(None, left, right)


def _channel_axis(axis: int, rank: int) -> int:
    return axis if rank > 1 else 0


def _centre(data: Array, zero_point: Array, axis: int) -> Array:
    return data.astype(np.int64) - spread_scale(zero_point, data, _channel_axis(axis, data.ndim))


def _requantize(
    data: Array, scale: Array, zero_point: Array, axis: int, to_scale: Array, to_zero_point: Array
) -> Array:
    """Return ``data`` as it stands at another scale and zero point, in int64 and unclipped."""
    channel = _channel_axis(axis, data.ndim)
    centred = _centre(data, zero_point, axis)
    return rescale(centred, scale, to_scale, channel) + to_zero_point.astype(np.int64)


def _sum(sign: int) -> Callable[..., Array]:
    """Return the evaluation of an addition, or of a subtraction where ``sign`` is -1.

    Both operands are brought to the scale and zero point of the result first; what the zero points
    then add to it too often is taken away.
    """

    def evaluation(attrs: BroadcastAttrs, lhs: Array, rhs: Array, *parameters: Array) -> Array:
        lhs_scale, lhs_zero, rhs_scale, rhs_zero, scale, zero = parameters
        left = _requantize(lhs, lhs_scale, lhs_zero, attrs.lhs_axis, scale, zero)
        right = _requantize(rhs, rhs_scale, rhs_zero, attrs.rhs_axis, scale, zero)
        return saturate(left + sign * right - sign * zero.astype(np.int64), lhs.dtype.name)

    return evaluation


def _mul(attrs: BroadcastAttrs, lhs: Array, rhs: Array, *parameters: Array) -> Array:
    """Multiply integers, the result of which stands at the product of both scales."""
    lhs_scale, lhs_zero, rhs_scale, rhs_zero, scale, zero = parameters
    left, right = _centre(lhs, lhs_zero, attrs.lhs_axis), _centre(rhs, rhs_zero, attrs.rhs_axis)
    product = left * right
    factors = spread_scale(lhs_scale, lhs, _channel_axis(attrs.lhs_axis, lhs.ndim))
    factors = factors * spread_scale(rhs_scale, rhs, _channel_axis(attrs.rhs_axis, rhs.ndim))
    if factors.ndim == 0:
        moved = rescale(product, factors, scale, 0)
    else:  # each line of one scale by itself; there are as many as the vectors have elements
        whole = np.broadcast_to(factors, product.shape)
        moved = np.zeros(product.shape, np.int64)
        for factor in np.unique(factors):
            there = whole == factor
            moved[there] = rescale(product[there], factor, scale, 0)
    return saturate(moved + zero.astype(np.int64), lhs.dtype.name)


def _concatenate_type(
    attrs: ConcatenateAttrs,
    data: Type,
    input_scales: Type,
    input_zero_points: Type,
    output_scale: Type,
    output_zero_point: Type,
) -> Type:
    parts = tensors(data, "data")
    for ty, what, dtype in (
        (input_scales, "input_scales", SCALE),
        (input_zero_points, "input_zero_points", ZERO_POINT),
    ):
        fields = tensors(ty, what)
        if len(fields) != len(parts):
            raise TypeInferenceError(f"data has {len(parts)} tensors, {what} has {len(fields)}")
        for number, field in enumerate(fields):
            check_scalar(field, f"field {number} of {what}", dtype)
    check_scalars(output_scale, output_zero_point, "output")
    checked = (
        require_quantised(ty, f"field {number} of data", _INTEGERS)
        for number, ty in enumerate(parts)
    )
    joined = rule.get(relay_op("concatenate"))
    assert joined is not None
    return joined(attrs, TupleType(tuple(checked)))


def _concatenate(
    attrs: ConcatenateAttrs,
    data: tuple[Array, ...],
    input_scales: tuple[Array, ...],
    input_zero_points: tuple[Array, ...],
    output_scale: Array,
    output_zero_point: Array,
) -> Array:
    parts = [
        saturate(
            _requantize(part, scale, zero, 0, output_scale, output_zero_point), part.dtype.name
        )
        for part, scale, zero in zip(data, input_scales, input_zero_points, strict=True)
    ]
    return np.concatenate(parts, axis=attrs.axis)


def _avg_pool2d_type(
    attrs: AvgPool2DAttrs,
    data: Type,
    input_scale: Type,
    input_zero_point: Type,
    output_scale: Type,
    output_zero_point: Type,
) -> Type:
    given = require_quantised(data, "data", ("int8", "uint8", "int16", "int32"))
    check_scalars(input_scale, input_zero_point, "input")
    check_scalars(output_scale, output_zero_point, "output")
    pooled = rule.get(relay_op("nn.avg_pool2d"))
    assert pooled is not None
    return pooled(attrs, given)


def _avg_pool2d(
    attrs: Parameters,
    data: Array,
    input_scale: Array,
    input_zero_point: Array,
    output_scale: Array,
    output_zero_point: Array,
) -> Array:
    """Move the scale, and then take averages as those of plain integers, which cuts them off."""
    average = evaluate.get(relay_op("nn.avg_pool2d"))
    assert average is not None
    whole = data.astype(np.int32)
    if input_scale != output_scale or input_zero_point != output_zero_point:
        parameters = (input_scale, input_zero_point, 0, output_scale, output_zero_point)
        whole = saturate(_requantize(data, *parameters), "int32")
    return saturate(average(attrs, whole), data.dtype.name)


_BINARY = (
    "lhs",
    "rhs",
    "lhs_scale",
    "lhs_zero_point",
    "rhs_scale",
    "rhs_zero_point",
    "output_scale",
    "output_zero_point",
)

_SHAPES: Final = """
lhs (...) int8 or uint8; rhs (...) of the same element type; lhs_scale () or (c,); lhs_zero_point
    () or (c,); rhs_scale () or (c,); rhs_zero_point () or (c,); output_scale ();
    output_zero_point () -> (...), broadcast of both
"""


def _declare(name: str, summary: str, evaluate: Callable[..., Array]) -> None:
    """Declare an operation on pairs of quantised elements."""
    declare_quantised(
        name,
        arguments=_BINARY,
        description=f"{summary}{_SHAPES}",
        pattern=OpPattern.BROADCAST,
        rule=_broadcast_type,
        evaluate=evaluate,
        infer_layout=quantised_broadcast_layouts,
    )


_declare("qnn.add", "Add two quantised tensors element by element, with broadcasting.", _sum(1))
_declare(
    "qnn.subtract",
    "Subtract two quantised tensors element by element, with broadcasting.",
    _sum(-1),
)
_declare("qnn.mul", "Multiply two quantised tensors element by element, with broadcasting.", _mul)
declare_quantised(
    "qnn.concatenate",
    signature="data, input_scales, input_zero_points, output_scale, output_zero_point, axis",
    description="""
    Put quantised tensors one behind another, all brought to one scale.
    data a tuple of tensors (..., n_i, ...); input_scales a tuple of (); input_zero_points a
        tuple of (); output_scale (); output_zero_point () -> (..., sum of n_i, ...)
    """,
    rule=_concatenate_type,
    evaluate=_concatenate,
    pattern=OpPattern.INJECTIVE,
    infer_layout=concatenate_layouts,
)
register_op(
    "qnn.avg_pool2d",
    signature=(
        "data, input_scale, input_zero_point, output_scale, output_zero_point, pool_size, "
        "strides, padding, dilation, ceil_mode=False, count_include_pad=True, "
        "layout='NHWC', out_layout=''"
    ),
    description="""
    Take the mean of each window of quantised elements.
    data (n, h, w, c) int8 or uint8, axes as layout; input_scale (); input_zero_point ();
        output_scale (); output_zero_point () -> (n, h', w', c)
    """,
    rule=_avg_pool2d_type,
    evaluate=_avg_pool2d,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    quantized=True,
    infer_layout=of_layout(out_layout=True),
)
