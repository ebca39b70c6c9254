"""Rules for operators that limit numbers from below or above."""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.errors import PassError
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.values.value import as_value
from relayish.op.builders.call import attrs_of, relay_call
from relayish.op.declaration.fake_quantization import register_fake_quantization_to_integer
from relayish.op.types.affine_type import AffineType, TensorAffineType
from relayish.passes.relay.quantisation.affine_types import AffineTypes
from relayish.passes.relay.quantisation.integer_rules.parameters import (
    array_of,
    normalise_axis,
    quantize,
    saturated,
    spread,
    with_dtype,
)


@register_fake_quantization_to_integer("clip")
def clip(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Clip integers to those that stand for the limits."""
    (data,) = call.args
    ty, attrs = types.tensor(data), attrs_of(call)
    scale, zero_point = array_of(ty.scale), array_of(ty.zero_point)
    if scale is None or zero_point is None or types.is_per_axis(ty):
        below = relay_call("maximum", data, _quantized_limit(attrs.a_min, data, ty, types))
        limit = _quantized_limit(attrs.a_max, data, ty, types)
        return relay_call("minimum", below, limit), ty
    low, high = [
        float(saturated(np.rint(limit / float(scale.item()) + float(zero_point.item())), ty.dtype))
        for limit in (attrs.a_min, attrs.a_max)
    ]
    return relay_call("clip", data, a_min=low, a_max=high), ty


def _quantized_limit(limit: float, data: Expr, ty: TensorAffineType, types: AffineTypes) -> Expr:
    """Return a limit, quantised with each of the scales."""
    number = np.float32(limit)
    if not types.is_per_axis(ty):
        return quantize(Constant(number), ty, ty.axis)
    shape = types.type_of(data).shape
    axis = normalise_axis(ty.axis, shape)
    size = shape[axis]
    if not isinstance(size, int):
        raise PassError("scales differ along an axis of unknown size")
    return quantize(Constant(spread(number, size, axis, len(shape))), ty, ty.axis)


@register_fake_quantization_to_integer("nn.relu")
def relu(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Replace what is below the zero point by it."""
    (data,) = call.args
    ty = types.tensor(data)
    return relay_call("maximum", data, _zero_of(data, ty, types)), ty


def _zero_of(data: Expr, ty: TensorAffineType, types: AffineTypes) -> Expr:
    """Return what stands for 0, so that it broadcasts to ``data``."""
    zero_point: Any = array_of(ty.zero_point)  # Any: an array of integers
    if not types.is_per_axis(ty):
        if zero_point is None:
            return relay_call("cast", ty.zero_point, dtype=ty.dtype)
        return Constant(as_value(saturated(zero_point, ty.dtype)))
    shape = types.type_of(data).shape
    axis = normalise_axis(ty.axis, shape)
    size = shape[axis]
    if zero_point is None or not isinstance(size, int):
        raise PassError("zero points that differ along an axis must be constants")
    return Constant(saturated(spread(zero_point, size, axis, len(shape)), ty.dtype))


@register_fake_quantization_to_integer("nn.leaky_relu")
def leaky_relu(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Bend what is below the zero point by ``qnn.leaky_relu``."""
    (data,) = call.args
    given = types.tensor(data)
    wanted = with_dtype(types.tensor(call), given.dtype)
    parameters = (given.scale, given.zero_point, wanted.scale, wanted.zero_point)
    alpha = attrs_of(call).alpha
    return relay_call("qnn.leaky_relu", data, *parameters, alpha=alpha), wanted
