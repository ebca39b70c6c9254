"""MobileNet: each convolution split into one over space and one over channels."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.errors import FieldError
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.testing.init import Params, create_workload
from relayish.testing.layers import batch_norm_infer, close, conv2d, conv_kernel_layout
from relayish.testing.operators import nn

_BLOCKS = (
    (32, 64, False),
    (64, 128, True),
    (128, 128, False),
    (128, 256, True),
    (256, 256, False),
    (256, 512, True),
)
_DEEP = (*((512, 512, False),) * 5, (512, 1024, True), (1024, 1024, False))
_SHALLOW = ((512, 1024, True), (1024, 1024, False))
"""Channels of the convolution over space and of that over channels; whether sizes are halved."""


def conv_block(
    data: Expr,
    name: str,
    channels: int,
    kernel_size: Sequence[int] = (3, 3),
    strides: Sequence[int] = (1, 1),
    padding: Sequence[int] = (1, 1),
    epsilon: float = 1e-5,
    layout: str = "NCHW",
) -> Expr:
    """Return a convolution, normalised and rectified."""
    made = conv2d(
        data,
        channels=channels,
        kernel_size=kernel_size,
        strides=strides,
        padding=padding,
        data_layout=layout,
        kernel_layout=conv_kernel_layout(layout),
        name=f"{name}_conv",
    )
    axis = layout.index("C")
    return nn.relu(batch_norm_infer(made, epsilon=epsilon, axis=axis, name=f"{name}_bn"))


def separable_conv_block(
    data: Expr,
    name: str,
    depthwise_channels: int,
    pointwise_channels: int,
    kernel_size: Sequence[int] = (3, 3),
    downsample: bool = False,
    padding: Sequence[int] = (1, 1),
    epsilon: float = 1e-5,
    layout: str = "NCHW",
    dtype: str = "float32",
) -> Expr:
    """Return a convolution of each channel by itself, then one over channels, both normalised.

    Raises:
        FieldError: If ``layout`` is neither ``NCHW`` nor ``NHWC``.
    """
    axis, kernel_layout = layout.index("C"), conv_kernel_layout(layout, is_depthwise=True)
    channels = (depthwise_channels, 1)
    shape = (*kernel_size, *channels) if layout == "NHWC" else (*channels, *kernel_size)
    made = conv2d(
        data,
        var(f"{name}_weight", shape=shape, dtype=dtype),
        channels=depthwise_channels,
        groups=depthwise_channels,
        kernel_size=kernel_size,
        strides=2 if downsample else 1,
        padding=padding,
        data_layout=layout,
        kernel_layout=kernel_layout,
        name=f"{name}_depthwise_conv1",
    )
    made = nn.relu(batch_norm_infer(made, epsilon=epsilon, axis=axis, name=f"{name}_bn1"))
    made = conv2d(
        made,
        channels=pointwise_channels,
        kernel_size=1,
        strides=1,
        data_layout=layout,
        kernel_layout=conv_kernel_layout(layout),
        name=f"{name}_conv2",
    )
    return nn.relu(batch_norm_infer(made, epsilon=epsilon, axis=axis, name=f"{name}_bn2"))


def mobile_net(
    num_classes: int = 1000,
    data_shape: Sequence[int] = (1, 3, 224, 224),
    dtype: str = "float32",
    alpha: float = 1.0,
    is_shallow: bool = False,
    layout: str = "NCHW",
) -> Function:
    """Return a MobileNet.

    Args:
        num_classes: How many probabilities come out for each image.
        data_shape: The shape of ``data``, in the order of ``layout``.
        dtype: The element type.
        alpha: Every number of channels is multiplied by it.
        is_shallow: Whether the five blocks of equal size are left out.
        layout: ``NCHW`` or ``NHWC``.

    Returns:
        A function of ``data`` and the weights, whose result is (batch, num_classes).

    Raises:
        FieldError: If ``layout`` is another, or ``alpha`` leaves no channel.

    Source:
        Relay ``testing.mobilenet``; Howard and others, 2017.
    """
    if int(32 * alpha) < 1:
        raise FieldError(f"alpha={alpha} leaves no channel; expected 1/32 or more")
    body: Expr = var("data", shape=data_shape, dtype=dtype)
    body = conv_block(body, "conv_block_1", int(32 * alpha), strides=(2, 2), layout=layout)
    for index, (depthwise, pointwise, downsample) in enumerate(
        _BLOCKS + (_SHALLOW if is_shallow else _DEEP), 1
    ):
        body = separable_conv_block(
            body,
            f"separable_conv_block_{index}",
            int(depthwise * alpha),
            int(pointwise * alpha),
            downsample=downsample,
            layout=layout,
            dtype=dtype,
        )
    body = nn.batch_flatten(nn.global_avg_pool2d(body, layout=layout))
    body = nn.dense(body, Var("fc_weight"), units=num_classes)
    return close(nn.softmax(nn.bias_add(body, Var("fc_bias"))))


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: Sequence[int] = (3, 224, 224),
    dtype: str = "float32",
    layout: str = "NCHW",
) -> tuple[IRModule, Params]:
    """Return the module of :func:`mobile_net` and weights for it."""
    shape = (batch_size, *image_shape)
    return create_workload(mobile_net(num_classes, shape, dtype, layout=layout))
