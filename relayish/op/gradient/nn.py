"""Gradients of products, convolutions and pooling."""

from __future__ import annotations

from relayish.errors import GradientError
from relayish.ir.expr import Call, Expr
from relayish.op.gradient.register import (
    Built,
    attrs_of,
    op,
    rank_of,
    register_gradient,
    shape_of,
    size_of,
)
from relayish.op.gradient.tensor import Gradients
from relayish.op.registry import get_op


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


@register_gradient("nn.conv2d")
def conv2d_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``nn.conv2d``, in any order of the axes.

    Raises:
        GradientError: If a layout splits an axis, or a shape is not known.
    """
    data, weight = call.args
    attrs = attrs_of(call)
    data_layout, kernel_layout = attrs.data_layout, attrs.kernel_layout
    out_layout = attrs.out_layout or data_layout
    outer, inner = _shape_in(data, data_layout, "NCHW"), _shape_in(call, out_layout, "NCHW")
    _, _, *kernel = _shape_in(weight, kernel_layout, "OIHW")
    strides, dilation = attrs.strides, attrs.dilation
    padding = _four_sides(attrs.padding)
    left_over = tuple(
        outer[axis + 2]
        + padding[axis]
        + padding[axis + 2]
        - (inner[axis + 2] - 1) * strides[axis]
        - (kernel[axis] - 1) * dilation[axis]
        - 1
        for axis in (0, 1)
    )
    shared = {
        "strides": strides,
        "padding": padding,
        "dilation": dilation,
        "groups": attrs.groups,
        "kernel_size": tuple(kernel),
    }
    grad = _transposed(grad, out_layout, "NCHW")
    towards_data = op.nn.conv2d_transpose(
        grad,
        _transposed(weight, kernel_layout, "OIHW"),
        channels=outer[1],
        output_padding=left_over,
        **shared,
    )
    # its data_layout is that of the gradient, its kernel_layout that of the data
    towards_weight = op.nn.conv2d_backward_weight(
        grad,
        _transposed(data, data_layout, "NCHW"),
        channels=attrs.channels,
        data_layout="NCHW",
        kernel_layout="NCHW",
        out_layout="OIHW",
        **shared,
    )
    return (
        _transposed(towards_data, "NCHW", data_layout),
        _transposed(towards_weight, "OIHW", kernel_layout),
    )


def _four_sides(padding: tuple[int, ...]) -> tuple[int, ...]:
    """Return padding for top, left, bottom and right, however it was given."""
    return tuple(padding) * (4 // len(padding))


def _order(layout: str, wanted: str) -> tuple[int, ...]:
    if sorted(layout) != sorted(wanted):
        raise GradientError(
            f"the layout {layout!r} is no order of the axes {wanted!r}; only for these the "
            f"gradient is known"
        )
    return tuple(layout.index(axis) for axis in wanted)


def _transposed(value: Expr, layout: str, wanted: str) -> Built:
    order = _order(layout, wanted)
    if layout == wanted:
        return value
    transposed: Expr = op.transpose(value, axes=order)
    return transposed


def _shape_in(value: Expr, layout: str, wanted: str) -> tuple[int, ...]:
    shape = shape_of(value)
    return tuple(shape[axis] for axis in _order(layout, wanted))


@register_gradient("nn.max_pool2d")
def max_pool2d_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``nn.max_pool2d``."""
    return (Call(get_op("nn.max_pool2d_grad"), (grad, *call.args), call.attrs),)


@register_gradient("nn.avg_pool2d")
def avg_pool2d_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``nn.avg_pool2d``."""
    return (Call(get_op("nn.avg_pool2d_grad"), (grad, *call.args), call.attrs),)


@register_gradient("nn.global_avg_pool2d")
def global_avg_pool2d_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradient of ``nn.global_avg_pool2d``: each element has its share."""
    (data,) = call.args
    layout = attrs_of(call).layout
    axes = _order(layout, "NCHW")
    grad = _transposed(grad, attrs_of(call).out_layout or layout, layout)
    count = size_of(data, axes[2], data) * size_of(data, axes[3], data)
    return (op.broadcast_to_like(grad / count, data),)
