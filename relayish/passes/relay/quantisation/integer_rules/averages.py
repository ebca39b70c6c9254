"""Rules for averages: sums of integers, divided; the result is cut off."""

from __future__ import annotations

import numpy as np

from relayish.errors import PassError
from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.call import attrs_of, relay_call
from relayish.op.declaration.fake_quantization import register_fake_quantization_to_integer
from relayish.op.types.affine_type import AffineType, TensorAffineType
from relayish.passes.relay.quantisation.affine_types import AffineTypes
from relayish.passes.relay.quantisation.integer_rules.parameters import (
    array_of,
    is_same,
    requantize,
    with_dtype,
)

_WIDE = "int32"


@register_fake_quantization_to_integer("nn.avg_pool2d")
def average_windows(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Take averages by ``qnn.avg_pool2d``, which moves their scale."""
    (data,) = call.args
    given = types.tensor(data)
    types.require_single(given, "nn.avg_pool2d")
    attrs, zero_point = attrs_of(call), array_of(given.zero_point)
    filled = attrs.count_include_pad and any(size != 0 for size in attrs.padding)
    if filled and (zero_point is None or np.any(zero_point != 0)):
        raise PassError("what is padded counts as 0, which is not the zero point")
    wanted = with_dtype(types.result_or(given), given.dtype)
    parameters = (given.scale, given.zero_point, wanted.scale, wanted.zero_point)
    made = relay_call("qnn.avg_pool2d", data, *parameters, **dict(attrs.items()))
    return made, wanted


@register_fake_quantization_to_integer("nn.adaptive_avg_pool1d")
@register_fake_quantization_to_integer("nn.global_avg_pool2d")
def average(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Move the scale first, to integers wide enough for sums, and take averages of these."""
    given, wanted = types.tensor(call.args[0]), types.tensor(call)
    data = _widened(call.args[0], given, wanted, types)
    return call.with_fields(args=(data,)), _wide(wanted)


@register_fake_quantization_to_integer("mean")
def mean(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Take the mean of integers of the element type of sums."""
    given, wanted = types.tensor(call.args[0]), types.tensor(call)
    data = _widened(call.args[0], given, wanted, types)
    made = call.with_fields(args=(data,))
    if is_same(types, given, wanted):
        return relay_call("cast", made, dtype=given.dtype), given
    return made, _wide(wanted)


def _widened(
    data: Expr, given: TensorAffineType, wanted: TensorAffineType, types: AffineTypes
) -> Expr:
    """Return ``data`` as ``int32``, at the scale and zero point of what it is averaged for."""
    types.require_single(given, "an average")
    if is_same(types, given, wanted):
        return relay_call("cast", data, dtype=_WIDE)
    return requantize(data, given, wanted, _WIDE)


def _wide(ty: TensorAffineType) -> TensorAffineType:
    return TensorAffineType(ty.scale, ty.zero_point, _WIDE, ty.axis)
