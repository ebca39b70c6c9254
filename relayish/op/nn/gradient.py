"""Gradients of products and of pooling."""

from __future__ import annotations

from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.builder import op
from relayish.op.builders.call import attrs_of
from relayish.op.builders.gradient import Built, rank_of, register_gradient, size_of
from relayish.op.declaration.registry import relay_op
from relayish.op.nn.convolution_gradient import transpose_to
from relayish.op.tensor.gradient.elementwise import Gradients


@register_gradient("nn.bias_add")
def bias_add_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``nn.bias_add``."""
    return grad, op.sum(grad, axis=(attrs_of(call).axis,), exclude=True)


@register_gradient("nn.dense")
def dense_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``nn.dense``: ``data: (…, k)``, ``weight: (n, k)``."""
    data, weight = call.args
    rows, grads = _as_rows(data, data), _as_rows(grad, data)
    return (
        op.nn.dense(grad, op.transpose(weight), units=None),
        op.nn.dense(op.transpose(grads), op.transpose(rows), units=None),
    )


@register_gradient("nn.matmul")
def matmul_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``nn.matmul``: ``tensor_a: (…, m, k)``, ``tensor_b: (k, n)``."""
    a, b = call.args
    transpose_a, transpose_b = attrs_of(call).transpose_a, attrs_of(call).transpose_b
    rank = rank_of(a)
    swapped = (*range(rank - 2), rank - 1, rank - 2)
    if transpose_a:
        a = op.transpose(a, axes=swapped)
    towards_a = op.nn.matmul(grad, b, units=None, transpose_b=not transpose_b)
    if transpose_a:
        towards_a = op.transpose(towards_a, axes=swapped)
    rows, grads = _as_rows(a, call.args[0]), _as_rows(grad, call.args[0])
    left, right = (grads, rows) if transpose_b else (rows, grads)
    return towards_a, op.nn.matmul(left, right, units=None, transpose_a=True)


def _as_rows(value: Expr, like: Expr) -> Built:
    """Return ``value: (…, n)``, of as many dimensions as ``like``, as a matrix ``(rows, n)``."""
    if rank_of(like) == 2:
        return value
    matrix: Expr = op.contrib_reverse_reshape(value, newshape=(-1, 0))
    return matrix


@register_gradient("nn.batch_matmul")
def batch_matmul_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``nn.batch_matmul``; a batch of one is broadcast."""
    x, y = call.args
    a, b = attrs_of(call).transpose_a, attrs_of(call).transpose_b
    product = op.nn.batch_matmul
    if a:
        towards_x = product(y, grad, transpose_a=b, transpose_b=True)
    else:
        towards_x = product(grad, y, transpose_a=False, transpose_b=not b)
    if b:
        towards_y = product(grad, x, transpose_a=True, transpose_b=a)
    else:
        towards_y = product(x, grad, transpose_a=not a, transpose_b=False)
    return op.collapse_sum_like(towards_x, x), op.collapse_sum_like(towards_y, y)


@register_gradient("nn.max_pool2d")
def max_pool2d_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``nn.max_pool2d``."""
    return (Call(relay_op("nn.max_pool2d_grad"), (grad, *call.args), call.attrs),)


@register_gradient("nn.avg_pool2d")
def avg_pool2d_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``nn.avg_pool2d``."""
    return (Call(relay_op("nn.avg_pool2d_grad"), (grad, *call.args), call.attrs),)


@register_gradient("nn.avg_pool2d_grad")
def avg_pool2d_grad_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``nn.avg_pool2d_grad``, which looks at the shape of its data only."""
    _, data = call.args
    # the class of its attributes may be that of maxima, which says nothing of padding that counts
    values = {"count_include_pad": False, **dict(attrs_of(call).items())}
    return op.nn.avg_pool2d(grad, **values), op.zeros_like(data)


@register_gradient("nn.global_avg_pool2d")
def global_avg_pool2d_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``nn.global_avg_pool2d``: each element has its share."""
    (data,) = call.args
    layout = attrs_of(call).layout
    grad = transpose_to(grad, attrs_of(call).out_layout or layout, layout)
    height, width = layout.index("H"), layout.index("W")
    count = size_of(data, height, data) * size_of(data, width, data)
    return (op.broadcast_to_like(grad / count, data),)
