"""Canonical forms of convolutions and matrix products: those of what zero points leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.type import TensorType
from relayish.op.builders.builder import op
from relayish.op.builders.call import relay_call
from relayish.op.qnn.products import weight_channels
from relayish.passes.relay.quantisation.canonical.scaling import (
    NotConstantError,
    Parameter,
    canonical,
    centred,
    is_zero,
    rank_of,
)

_WIDE = "int32"


def _with_result(attrs: Any) -> dict[str, Any]:  # Any: those of a product, and their values
    said = dict(attrs.items())
    return {**said, "out_dtype": said["out_dtype"] or _WIDE}


def _convolution(name: str) -> Callable[[Any, Any, Any], Expr]:
    def form(attrs: Any, inputs: Any, types: Any) -> Expr:
        data, weight, left, right, *_ = map(Parameter, inputs, types)
        rank = rank_of(data.ty)
        kernel = _centred_weight(weight, right, attrs.kernel_layout)
        moved = centred(data.expr, left, 0, rank, _WIDE)
        return relay_call(name, moved, kernel, **_with_result(attrs))

    return form


def _centred_weight(weight: Parameter, zero_point: Parameter, layout: str) -> Expr:
    """Return a weight without its zero points, one for all or one for each output channel."""
    wide: Expr = op.cast(weight.expr, _WIDE)
    if is_zero(zero_point.expr):
        return wide
    assert isinstance(weight.ty, TensorType)
    assert isinstance(zero_point.ty, TensorType)
    sizes = [size for ty in (weight.ty, zero_point.ty) for size in ty.shape]
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) < len(sizes):
        raise NotConstantError
    count = known[-1] if zero_point.ty.shape else 1
    if count == 1:
        return centred(weight.expr, zero_point, 0, rank_of(weight.ty), _WIDE)
    matrix, order, shape = weight_channels(count, known[: len(weight.ty.shape)], layout)
    points = zero_point.expr
    if len(matrix) > 1:
        points = op.transpose(op.reshape(points, newshape=matrix), axes=order)
    found: Expr = op.subtract(wide, op.reshape(points, newshape=shape))
    return found


canonical("qnn.conv2d")(_convolution("nn.conv2d"))
canonical("qnn.conv2d_transpose")(_convolution("nn.conv2d_transpose"))


@canonical("qnn.dense")
def dense(attrs: Any, inputs: Any, types: Any) -> Expr:
    """Multiply by a matrix the rows of which may have zero points of their own."""
    data, weight, left, right, *_ = map(Parameter, inputs, types)
    return _dense(data, weight, left, right, _with_result(attrs))


def _dense(
    data: Parameter, weight: Parameter, left: Parameter, right: Parameter, said: dict[str, Any]
) -> Expr:
    moved = centred(data.expr, left, 0, rank_of(data.ty), _WIDE)
    return relay_call("nn.dense", moved, centred(weight.expr, right, 0, 2, _WIDE), **said)


@canonical("qnn.contrib_dense_pack")
def dense_pack(attrs: Any, inputs: Any, types: Any) -> Expr:
    """Unpack the weight first."""
    data, weight, left, right, *_ = map(Parameter, inputs, types)
    plain: Expr = op.layout_transform(weight.expr, attrs.weight_layout, "NC")
    said = {"units": None, "out_dtype": attrs.out_dtype or _WIDE}  # as many as it has rows
    return _dense(data, Parameter(plain, weight.ty), left, right, said)


@canonical("qnn.batch_matmul")
def batch_matmul(attrs: Any, inputs: Any, types: Any) -> Expr:
    """Multiply batches of matrices."""
    x, y, left, right, *_ = map(Parameter, inputs, types)
    sides = [centred(side.expr, zero, 0, 3, _WIDE) for side, zero in ((x, left), (y, right))]
    return relay_call("nn.batch_matmul", *sides, **_with_result(attrs))
