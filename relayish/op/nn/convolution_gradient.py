"""Gradients of convolutions, each of which is a convolution of another kind."""

from __future__ import annotations

from relayish.errors import GradientError
from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.builder import op
from relayish.op.builders.call import attrs_of
from relayish.op.builders.gradient import Built, register_gradient, shape_of
from relayish.op.tensor.gradient.elementwise import Gradients
from relayish.op.values.evaluation import Parameters


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
    grad = transpose_to(grad, out_layout, "NCHW")
    kernel = shape_in(weight, kernel_layout, "OIHW")[2:]
    towards_data = _spread(
        attrs,
        grad,
        transpose_to(weight, kernel_layout, "OIHW"),
        kernel=kernel,
        outer=shape_in(data, data_layout, "NCHW"),
        inner=shape_in(call, out_layout, "NCHW"),
    )
    towards_weight = _weight(attrs, grad, transpose_to(data, data_layout, "NCHW"), kernel)
    return (
        transpose_to(towards_data, "NCHW", data_layout),
        transpose_to(towards_weight, "OIHW", kernel_layout),
    )


@register_gradient("nn.conv2d_transpose")
def conv2d_transpose_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``nn.conv2d_transpose``, in any order of the axes.

    Raises:
        GradientError: If a layout splits an axis, or a shape is not known.
    """
    data, weight = call.args
    attrs = attrs_of(call)
    data_layout, kernel_layout = attrs.data_layout, attrs.kernel_layout
    grad = transpose_to(grad, attrs.out_layout or data_layout, "NCHW")
    inputs, _, *kernel = shape_in(weight, kernel_layout, "IOHW")
    # the channels that it takes are those that the convolution makes
    towards_data = _build_convolution(
        attrs, grad, transpose_to(weight, kernel_layout, "IOHW"), tuple(kernel), inputs
    )
    towards_weight = _weight(
        attrs, transpose_to(data, data_layout, "NCHW"), grad, tuple(kernel), inputs
    )
    return (
        transpose_to(towards_data, "NCHW", data_layout),
        transpose_to(towards_weight, "IOHW", kernel_layout),
    )


@register_gradient("nn.conv2d_backward_weight")
def conv2d_backward_weight_grad(call: Call, grad: Expr) -> Gradients:
    """Return the gradients of ``nn.conv2d_backward_weight`` as the gradients above use it.

    Raises:
        GradientError: If its layouts are others, or a shape is not known.
    """
    result, data = call.args
    attrs = attrs_of(call)
    layouts = (attrs.data_layout, attrs.kernel_layout, attrs.out_layout or "OIHW")
    if layouts != ("NCHW", "NCHW", "OIHW"):
        raise GradientError(
            f"nn.conv2d_backward_weight has the layouts {layouts}; its gradient is known for "
            f"'NCHW', 'NCHW' and 'OIHW'"
        )
    outputs, _, *kernel = shape_of(call)
    towards_data = _spread(
        attrs, result, grad, kernel=tuple(kernel), outer=shape_of(data), inner=shape_of(result)
    )
    return _build_convolution(attrs, data, grad, tuple(kernel), outputs), towards_data


def _build_convolution(
    attrs: Parameters, data: Expr, weight: Expr, kernel: tuple[int, ...], channels: int
) -> Built:
    """Return the convolution of ``data: NCHW`` with ``weight: OIHW``."""
    return op.nn.conv2d(data, weight, channels=channels, **_window(attrs, kernel))


def _weight(
    attrs: Parameters,
    grad: Expr,
    data: Expr,
    kernel: tuple[int, ...],
    channels: int | None = None,
) -> Built:
    """Return the gradient of the weight, ``OIHW``, of a convolution of ``data: NCHW``."""
    return op.nn.conv2d_backward_weight(
        grad,
        data,
        channels=attrs.channels if channels is None else channels,
        grad_layout="NCHW",
        data_layout="NCHW",
        kernel_layout="OIHW",
        **_window(attrs, kernel),
    )


def _spread(
    attrs: Parameters,
    grad: Expr,
    weight: Expr,
    *,
    kernel: tuple[int, ...],
    outer: tuple[int, ...],
    inner: tuple[int, ...],
) -> Built:
    """Return the gradient of the data, of shape ``outer``, from that of a result of ``inner``."""
    window = _window(attrs, kernel)
    padding, strides, dilation = window["padding"], window["strides"], window["dilation"]
    left_over = tuple(
        outer[axis + 2]
        + padding[axis]
        + padding[axis + 2]
        - (inner[axis + 2] - 1) * strides[axis]
        - (kernel[axis] - 1) * dilation[axis]
        - 1
        for axis in (0, 1)
    )
    return op.nn.conv2d_transpose(
        grad, weight, channels=outer[1], output_padding=left_over, **window
    )


def _window(attrs: Parameters, kernel: tuple[int, ...]) -> dict[str, Parameters]:
    """Return how a window of size ``kernel`` slides, its padding for all four sides."""
    padding = tuple(attrs.padding)
    return {
        "strides": _pair(attrs.strides),
        "padding": padding * (4 // len(padding)),
        "dilation": _pair(attrs.dilation),
        "groups": attrs.groups,
        "kernel_size": kernel,
    }


def _pair(sizes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sizes) * (2 // len(sizes))


def _order(layout: str, wanted: str) -> tuple[int, ...]:
    if sorted(layout) != sorted(wanted):
        raise GradientError(
            f"the layout {layout!r} is no order of the axes {wanted!r}; only for these the "
            f"gradient is known"
        )
    return tuple(layout.index(axis) for axis in wanted)


def transpose_to(value: Expr, layout: str, wanted: str) -> Built:
    """Return ``value``, whose axes are in the order ``layout``, with them in the order ``wanted``.

    Raises:
        GradientError: If the axes are not the same.
    """
    order = _order(layout, wanted)
    return value if layout == wanted else op.transpose(value, axes=order)


def shape_in(value: Expr, layout: str, wanted: str) -> tuple[int, ...]:
    """Return the shape of ``value`` in the order ``wanted``; as :func:`transpose_to`."""
    shape = shape_of(value)
    return tuple(shape[axis] for axis in _order(layout, wanted))
