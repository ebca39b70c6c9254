"""Gradients of operators that pick elements by index."""

from __future__ import annotations

import numpy as np

from relayish.errors import GradientError
from relayish.ir.relay.expr import Call, Constant, Expr, Tuple
from relayish.op.builders.builder import op
from relayish.op.builders.call import attrs_of
from relayish.op.builders.gradient import (
    Built,
    count_elements,
    number,
    rank_of,
    register_gradient,
    require_shape,
    size_of,
    tensor_of,
)
from relayish.op.tensor.gradient.elementwise import Gradients


@register_gradient("one_hot")
def one_hot_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``one_hot``: the places of either value share its gradient."""
    indices, on_value, off_value = call.args
    hot = Call(call.op, (indices, op.ones_like(on_value), op.zeros_like(off_value)), call.attrs)
    return (
        op.zeros_like(indices),
        op.cast_like(op.sum(grad * hot), on_value),
        op.cast_like(op.sum(grad - grad * hot), off_value),
    )


@register_gradient("gather_nd")
def gather_nd_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``gather_nd``: the gradient is added where elements came from."""
    data, indices = call.args
    batch = attrs_of(call).batch_dims or 0
    where = indices
    if batch:
        where = _with_places(call, indices, require_shape(tensor_of(indices))[1:], range(batch))
    return op.scatter_nd(op.zeros_like(data), where, grad, mode="add"), op.zeros_like(indices)


@register_gradient("scatter_nd")
def scatter_nd_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``scatter_nd`` where it adds, as the gradients above do.

    Raises:
        GradientError: If it does not add.
    """
    _, indices, _ = call.args
    mode = attrs_of(call).mode
    if mode != "add":
        raise GradientError(f"scatter_nd has a gradient in the mode 'add' alone; found {mode!r}")
    return grad, op.zeros_like(indices), op.gather_nd(grad, indices)


@register_gradient("take")
def take_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``take``: the gradient is added where elements came from.

    ``scatter_nd`` adds along the first axes. So the batch axes and the axis taken from come first
    in what it adds to, and the axes of the indices come first in the gradient.
    """
    data, indices = call.args
    attrs = attrs_of(call)
    if attrs.axis is None:
        flat = op.reshape(data, newshape=(-1,))
        where = op.expand_dims(_bring_in_bounds(call, count_elements(data, indices)), axis=0)
        added = op.scatter_nd(op.zeros_like(flat), where, grad, mode="add")
        return op.reshape_like(added, data), op.zeros_like(indices)
    rank, index_rank = rank_of(data), rank_of(indices)
    axis = attrs.axis % rank
    batch = attrs.batch_dims or 0
    batch = batch + index_rank if batch < 0 else batch
    where = op.expand_dims(_bring_in_bounds(call, size_of(data, axis, indices)), axis=0)
    if batch:
        where = _with_places(call, where, require_shape(tensor_of(indices)), range(batch))
    order = [*range(batch), axis, *range(batch, axis), *range(axis + 1, rank)]
    picked = range(axis, axis + index_rank - batch)  # the axes of the result that indices gave
    moved = [
        *range(batch),
        *picked,
        *range(batch, axis),
        *range(axis + len(picked), rank_of(call)),
    ]
    base = op.zeros_like(op.transpose(data, axes=tuple(order)))
    added = op.scatter_nd(base, where, op.transpose(grad, axes=tuple(moved)), mode="add")
    back = tuple([order.index(place) for place in range(rank)])
    return op.transpose(added, axes=back), op.zeros_like(indices)


def _bring_in_bounds(call: Call, size: Expr) -> Built:
    """Return the indices of a ``take``, as its mode reads them, of ``size`` elements."""
    indices = call.args[1]
    mode = attrs_of(call).mode
    bounded: Expr = indices
    if mode == "wrap":
        bounded = op.floor_mod(indices, size)
    elif mode == "clip":
        last = size - number(1, indices)
        bounded = op.minimum(op.maximum(indices, number(0, indices)), last)
    return bounded


def _with_places(call: Call, indices: Expr, shape: tuple[int, ...], axes: range) -> Built:
    """Return ``indices: (m, *shape)`` with its own place along ``axes`` of ``shape`` before it."""
    places = np.indices(shape)[list(axes)].astype(tensor_of(call.args[1]).dtype)
    joined: Expr = op.concatenate(Tuple((Constant(places), indices)), axis=0)
    return joined
