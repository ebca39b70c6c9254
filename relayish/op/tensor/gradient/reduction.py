"""Gradients of sums, means, maxima and of what is made of them."""

from __future__ import annotations

from typing import TypeAlias

from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.builder import op
from relayish.op.builders.call import attrs_of
from relayish.op.builders.gradient import (
    Built,
    number,
    rank_of,
    register_gradient,
    size_of,
    tensor_of,
)
from relayish.op.tensor.gradient.elementwise import Gradients
from relayish.op.tensor.reduction import normalise_axes
from relayish.op.types.dimension import is_static, product

Axes: TypeAlias = tuple[int, ...]


def _get_reduced_axes(call: Call) -> tuple[Axes, bool]:
    """Return the axes that ``call`` reduces, counted from the front, and whether it keeps them."""
    attrs = attrs_of(call)
    rank = rank_of(call.args[0])
    return normalise_axes(attrs.axis, rank, exclude=attrs.exclude), attrs.keepdims


def _spread(call: Call, value: Expr) -> Built:
    """Return ``value``, of the shape of the result, in a shape that broadcasts to the operand."""
    axes, kept = _get_reduced_axes(call)
    if kept or not rank_of(call):
        return value
    for axis in axes:
        value = op.expand_dims(value, axis=axis)
    return value


def _count(call: Call) -> Built:
    """Return how many elements make one of the result, as a scalar of its element type."""
    data, (axes, _) = call.args[0], _get_reduced_axes(call)
    sizes = [tensor_of(data).shape[axis] for axis in axes]
    if is_static(sizes):
        return number(int(product(sizes)), data)
    total: Expr = op.max(op.sum(op.ones_like(data), axis=axes))
    return total


@register_gradient("sum")
def sum_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``sum``: the gradient, for each element that was added."""
    return (op.broadcast_to_like(_spread(call, grad), call.args[0]),)


@register_gradient("mean")
def mean_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``mean``."""
    return (op.broadcast_to_like(_spread(call, grad) / _count(call), call.args[0]),)


@register_gradient("max")
def max_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``max``: all of it for each element that is as large as the result."""
    (data,) = call.args
    largest = op.cast_like(op.equal(data, _spread(call, call)), grad)
    return (largest * _spread(call, grad),)


@register_gradient("variance")
def variance_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``variance``, which takes the mean as an argument."""
    data, mean = call.args
    count = _count(call)
    if attrs_of(call).unbiased:
        count = count - number(1, data)
    towards_data = _spread(call, grad) * (number(2, data) / count) * (data - mean)
    return towards_data, op.collapse_sum_like(-towards_data, mean)


@register_gradient("nn.softmax")
def softmax_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``nn.softmax``."""
    total = op.sum(grad * call, axis=_axis(call), keepdims=True)
    return ((grad - total) * call,)


@register_gradient("nn.log_softmax")
def log_softmax_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``nn.log_softmax``."""
    total = op.sum(grad, axis=_axis(call), keepdims=True)
    return (grad - op.exp(call) * total,)


def _axis(call: Call) -> Axes:
    return (attrs_of(call).axis,)


@register_gradient("nn.cross_entropy")
def cross_entropy_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``nn.cross_entropy``, a mean over the rows of its operands."""
    x, y = call.args
    each = -(grad / size_of(x, 0, x))
    return each * y / x, each * op.log(x)


@register_gradient("nn.cross_entropy_with_logits")
def cross_entropy_with_logits_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``nn.cross_entropy_with_logits``."""
    x, y = call.args
    each = -(grad / size_of(x, 0, x))
    return each * y, each * x
