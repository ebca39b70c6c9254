"""Multiplication of integers by fixed-point numbers."""

from __future__ import annotations

import numpy as np

from relayish.errors import TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.axes import normalise_axis
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import keep_layout
from relayish.op.types.dimension import compare, show_shape, show_type
from relayish.op.types.dimension import normalise_axis as checked_axis
from relayish.op.types.type_rules import identity, tensor
from relayish.op.values.evaluation import Array


@attrs("relay.attrs.FixedPointMultiplyAttrs")
class FixedPointMultiplyAttrs(Attrs):
    """Attributes of ``fixed_point_multiply``."""

    multiplier: int
    shift: int


@attrs("relay.attrs.FixedPointMultiplyPerAxisAttrs")
class FixedPointMultiplyPerAxisAttrs(Attrs):
    """Attributes of ``fixed_point_multiply_per_axis``."""

    is_lshift_required: bool = False
    is_rshift_required: bool = False
    axes: tuple[int, ...]  # type: ignore[misc]  # required, given by name


def _fixed_point_multiply(attrs: FixedPointMultiplyAttrs, data: Array) -> Array:
    left, right = max(attrs.shift, 0), max(-attrs.shift, 0)
    total = 31 + right
    if total > 63:
        return np.zeros_like(data)
    product = (data.astype(np.int64) << left) * attrs.multiplier
    return ((product + (1 << (total - 1))) >> total).astype(data.dtype)


def _fixed_point_multiply_per_axis(
    attrs: FixedPointMultiplyPerAxisAttrs, data: Array, multiplier: Array, left: Array, right: Array
) -> Array:
    axes = tuple(normalise_axis(axis, data.ndim) for axis in attrs.axes)
    apart = [data.shape[axis] if axis in axes else 1 for axis in range(data.ndim)]
    factor, up, down = (
        values.transpose(np.argsort(axes)).reshape(apart).astype(np.int64)
        for values in (multiplier, left, right)
    )
    wide = data.astype(np.int64)
    product = (wide << up if attrs.is_lshift_required else wide) * factor
    total = 31 + down if attrs.is_rshift_required else np.int64(31)
    found = (product + (np.int64(1) << (total - 1))) >> total
    return np.where(total > 63, 0, found).astype(data.dtype)


def _fixed_point_multiply_per_axis_type(
    attrs: FixedPointMultiplyPerAxisAttrs, data: Type, multiplier: Type, left: Type, right: Type
) -> TensorType:
    found = tensor(data, "data")
    sizes = [found.shape[checked_axis(axis, len(found.shape))] for axis in attrs.axes]
    for ty, what in (
        (multiplier, "fp_multiplier"),
        (left, "left_shift"),
        (right, "right_shift"),
    ):
        given = tensor(ty, what, rank=len(sizes))
        if any(compare(one, other) is False for one, other in zip(given.shape, sizes, strict=True)):
            raise TypeInferenceError(
                f"{what} must have the sizes {show_shape(sizes)} of the axes {attrs.axes} of the "
                f"data; found {show_type(given)}"
            )
    return found


register_op(
    "fixed_point_multiply",
    description="""
    Multiply integers by a fixed-point number and shift, rounding halves up.
    data (...) int32 -> (...) int32
    """,
    rule=identity,
    evaluate=_fixed_point_multiply,
    pattern=OpPattern.ELEMWISE,
    infer_layout=keep_layout,
)
register_op(
    "fixed_point_multiply_per_axis",
    arguments=("data", "fp_multiplier", "left_shift", "right_shift"),
    signature="x, y, lshift, rshift, is_lshift_required, is_rshift_required, axes",
    description="""
    Multiply integers by fixed-point numbers that vary along axes.
    x (...) int32; y factors with 31 bits behind the point, a vector; lshift shifts to the left,
        a vector; rshift shifts to the right, a vector -> (...) int32
    """,
    rule=_fixed_point_multiply_per_axis_type,
    evaluate=_fixed_point_multiply_per_axis,
    pattern=OpPattern.BROADCAST,
)
