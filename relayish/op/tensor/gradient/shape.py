"""Gradients of operators that change the shape of a tensor, or join and cut tensors."""

from __future__ import annotations

from itertools import accumulate
from typing import Final

import numpy as np

from relayish.errors import GradientError
from relayish.ir.relay.expr import Call, Constant, Expr, Tuple
from relayish.op.builders.builder import op
from relayish.op.builders.call import attrs_of
from relayish.op.builders.gradient import (
    number,
    rank_of,
    register_gradient,
    require_shape,
    size_of,
    tensor_of,
    tensors_of,
)
from relayish.op.tensor.gradient.elementwise import Gradients
from relayish.op.types.dimension import is_static


@register_gradient("reshape")
@register_gradient("contrib_reverse_reshape")
@register_gradient("expand_dims")
@register_gradient("squeeze")
@register_gradient("nn.batch_flatten")
def reshape_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of an operator that only reshapes: the gradient reshaped back."""
    return (op.reshape_like(grad, call.args[0]),)


@register_gradient("reshape_like")
@register_gradient("dyn.reshape")
def reshape_like_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients where a second argument says the shape."""
    data, shape = call.args
    return op.reshape_like(grad, data), op.zeros_like(shape)


@register_gradient("collapse_sum_like")
@register_gradient("collapse_sum_to")
def collapse_sum_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of sums over broadcast dimensions: the gradient broadcast again."""
    data, shape = call.args
    return op.broadcast_to_like(grad, data), op.zeros_like(shape)


@register_gradient("broadcast_to_like")
def broadcast_to_like_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``broadcast_to_like``."""
    data, like = call.args
    return op.collapse_sum_like(grad, data), op.zeros_like(like)


@register_gradient("broadcast_to")
def broadcast_to_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``broadcast_to``."""
    return (op.collapse_sum_like(grad, call.args[0]),)


@register_gradient("transpose")
def transpose_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``transpose``: the gradient, axes put back."""
    axes = attrs_of(call).axes
    if not axes:
        return (op.transpose(grad),)
    rank = len(axes)
    order = [axis % rank for axis in axes]
    return (op.transpose(grad, axes=tuple([order.index(axis) for axis in range(rank)])),)


@register_gradient("concatenate")
def concatenate_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``concatenate``: for each field the part that came from it."""
    fields = tensors_of(call.args[0])
    axis = attrs_of(call).axis % rank_of(call)
    sizes = [field.shape[axis] for field in fields]
    if not is_static(sizes):
        raise GradientError(
            f"the gradient of concatenate needs the sizes along axis {axis}; found {sizes}"
        )
    ends = list(accumulate(size for size in sizes if isinstance(size, int)))
    starts = [0, *ends[:-1]]
    parts = [
        op.strided_slice(grad, begin=(start,), end=(end,), strides=(1,), axes=(axis,))
        for start, end in zip(starts, ends, strict=True)
    ]
    return (Tuple(tuple(parts)),)


@register_gradient("stack")
def stack_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``stack``: for each field the slice that came from it."""
    count = len(tensors_of(call.args[0]))
    axis = attrs_of(call).axis % rank_of(call)
    slices = [
        op.squeeze(
            op.strided_slice(grad, begin=(at,), end=(at + 1,), strides=(1,), axes=(axis,)),
            axis=(axis,),
        )
        for at in range(count)
    ]
    return (Tuple(tuple(slices)),)


@register_gradient("strided_slice")
def strided_slice_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``strided_slice``: zeros but for where the slice was taken."""
    (data,), attrs = call.args, attrs_of(call)
    rank, axes, by_size = rank_of(data), attrs.axes, attrs.slice_mode == "size"
    count = len(attrs.begin)
    steps = (1,) if by_size or not attrs.strides else attrs.strides
    steps = steps * count if len(steps) == 1 else (*steps, *(1,) * count)
    begins, ends, strides = [0] * rank, [_FAR] * rank, [1] * rank
    for at, axis in enumerate(range(count) if axes is None else axes):
        begins[axis], strides[axis] = attrs.begin[at], steps[at]
        if at < len(attrs.end):
            ends[axis] = attrs.end[at]
        elif strides[axis] < 0:
            ends[axis] = -_FAR
        if by_size:
            begins[axis], ends[axis] = _bounds(data, axis, begins[axis], ends[axis])
    bounds = [Constant(np.array(numbers, "int64")) for numbers in (begins, ends, strides)]
    return (op.strided_set(op.zeros_like(data), grad, *bounds),)


_FAR: Final = 2**31 - 1
"""A bound beyond every tensor; bounds are clipped."""


def _bounds(data: Expr, axis: int, begin: int, size: int) -> tuple[int, int]:
    """Return where ``size`` elements from ``begin`` on begin and end; negative means all."""
    if begin < 0:
        begin += require_shape(tensor_of(data))[axis]
    return begin, _FAR if size < 0 else begin + size


@register_gradient("strided_set")
def strided_set_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``strided_set``."""
    _, v, *bounds = call.args
    return (
        op.strided_set(grad, op.zeros_like(v), *bounds),
        op.dyn.strided_slice(grad, *bounds),
        *[op.zeros_like(bound) for bound in bounds],
    )


@register_gradient("dyn.strided_slice")
def dyn_strided_slice_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``dyn.strided_slice``."""
    data, *bounds = call.args
    return (
        op.strided_set(op.zeros_like(data), grad, *bounds),
        *[op.zeros_like(bound) for bound in bounds],
    )


@register_gradient("arange")
def arange_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``arange``: element i is ``start + i * step``."""
    start, stop, step = call.args
    count = size_of(call, 0, call)
    places = op.arange(number(0, call), count, number(1, call), dtype=tensor_of(call).dtype)
    return (
        op.cast_like(op.sum(grad), start),
        op.zeros_like(stop),
        op.cast_like(op.sum(grad * places), step),
    )
