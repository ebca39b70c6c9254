"""Rules for convolutions and matrix products, and for biases added to their results.

The results are plain integers of 32 bits, at the product of both scales.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from relayish.errors import PassError
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.op.builders.call import attrs_of, relay_call
from relayish.op.declaration.fake_quantization import register_fake_quantization_to_integer
from relayish.op.types.affine_type import AffineType, TensorAffineType
from relayish.op.types.layout import read_layout
from relayish.passes.relay.quantisation.affine_types import AffineTypes
from relayish.passes.relay.quantisation.integer_rules.parameters import (
    array_of,
    is_same,
    multiply_scales,
    normalise_axis,
    quantize,
    requantize,
    zeros_for,
)

_WIDE: Final = "int32"


def _multiply(
    name: str, call: Call, types: AffineTypes, weight_axis: int | None, result_axis: int
) -> tuple[Expr, AffineType]:
    """Return a product by the operator ``name``, and what it stands for.

    Args:
        name: The operator of ``qnn``.
        call: The call in floating point.
        types: The affine types of its arguments.
        weight_axis: The axis of the weight along which scales may differ, if they may.
        result_axis: The axis of the result that follows from it.
    """
    types.computes = True
    data, weight = call.args
    left, right = types.tensor(data), types.tensor(weight)
    types.require_single(left, call_name(call))
    if types.is_per_axis(right):
        found = normalise_axis(right.axis, types.type_of(weight).shape)
        if found != weight_axis:
            raise PassError(f"scales of the weight of {call_name(call)} differ along axis {found}")
    scale = multiply_scales(left.scale, right.scale)
    attrs = {**dict(attrs_of(call).items()), "out_dtype": _WIDE}
    parameters = (left.zero_point, right.zero_point, left.scale, right.scale)
    made = relay_call(name, data, weight, *parameters, **attrs)
    return made, TensorAffineType(scale, zeros_for(scale), _WIDE, result_axis)


def call_name(call: Call) -> str:
    """Return the name of the operator of a call, for errors."""
    return getattr(call.op, "full_name", "a call")


def _axis_of(layout: str, letter: str) -> int:
    return [axis.letter for axis in read_layout(layout)].index(letter)


def _convolve(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Convolve integers."""
    attrs: Any = attrs_of(call)  # Any: those of either convolution
    weight_axis = _axis_of(attrs.kernel_layout, "O")
    result_axis = _axis_of(attrs.out_layout or attrs.data_layout, "C")
    return _multiply(f"qnn.{call_name(call)[3:]}", call, types, weight_axis, result_axis)


register_fake_quantization_to_integer("nn.conv2d", _convolve)
register_fake_quantization_to_integer("nn.conv2d_transpose", _convolve)


@register_fake_quantization_to_integer("nn.dense")
def dense(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Multiply integers by a matrix of them, the rows of which may have scales of their own."""
    return _multiply("qnn.dense", call, types, 0, types.rank_of(call.args[0]) - 1)


@register_fake_quantization_to_integer("nn.batch_matmul")
def batch_matmul(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Multiply batches of matrices of integers."""
    return _multiply("qnn.batch_matmul", call, types, None, types.tensor(call.args[0]).axis)


@register_fake_quantization_to_integer("nn.bias_add")
def bias_add(call: Call, types: AffineTypes) -> tuple[Expr, AffineType]:
    """Add a bias that is quantised as the data are, which are plain integers, as products are."""
    types.computes = True
    data, bias = call.args
    ty = types.tensor(data)
    zero_point = array_of(ty.zero_point)
    if ty.dtype != _WIDE or zero_point is None or np.any(zero_point):
        raise PassError("a bias is added to integers of 32 bits whose zero point is 0")
    if types.is_per_axis(ty):
        shape = types.type_of(data).shape
        if normalise_axis(ty.axis, shape) != normalise_axis(attrs_of(call).axis, shape):
            raise PassError("scales of the data differ along another axis than the bias")
    if bias not in types:
        value = array_of(bias)
        if type(bias) is not Constant or value is None or value.dtype.kind not in "fV":
            raise PassError("a bias must be quantised or a constant")
        return call.with_fields(args=(data, quantize(bias, ty, 0))), ty
    given = types.tensor(bias)
    along = TensorAffineType(given.scale, given.zero_point, given.dtype, 0)
    beside = TensorAffineType(ty.scale, ty.zero_point, ty.dtype, 0)
    if not is_same(types, along, beside):
        bias = requantize(bias, along, beside)
    return call.with_fields(args=(data, bias)), ty
