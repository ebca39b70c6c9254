"""SqueezeNet: convolutions that first squeeze the channels, then expand them by two kernels."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.errors import FieldError
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.testing.init import Params, create_workload
from relayish.testing.layers import close, conv2d, dropout
from relayish.testing.operators import nn, op

_FIRST = {"1.0": (96, 7, 3), "1.1": (64, 3, 1)}
"""Channels, kernel size and padding of the first convolution, by version."""
_FIRES = ((16, 64), (16, 64), (32, 128), (32, 128), (48, 192), (48, 192), (64, 256), (64, 256))
"""Channels that each fire squeezes to, and that each of its kernels expands to."""
_POOLS_BEFORE = {"1.0": (1, 4, 8), "1.1": (1, 3, 5)}
"""The fires before which sizes are halved, by version."""


def _fire_conv(data: Expr, channels: int, size: int, padding: int, prefix: str) -> Expr:
    made = conv2d(data, channels=channels, kernel_size=size, padding=padding, name=f"{prefix}_conv")
    return nn.relu(nn.bias_add(made, Var(f"{prefix}_conv_bias")))


def _fire(data: Expr, squeezed: int, expanded: int, prefix: str) -> Expr:
    data = _fire_conv(data, squeezed, 1, 0, f"{prefix}_input")
    left = _fire_conv(data, expanded, 1, 0, f"{prefix}_left")
    right = _fire_conv(data, expanded, 3, 1, f"{prefix}_right")
    return op.concatenate((left, right), axis=1)


def get_net(
    batch_size: int,
    image_shape: Sequence[int] = (3, 224, 224),
    num_classes: int = 1000,
    version: str = "1.0",
    dtype: str = "float32",
) -> Function:
    """Return a SqueezeNet.

    Args:
        batch_size: How many images ``data`` holds.
        image_shape: (channels, height, width).
        num_classes: How many probabilities come out for each.
        version: ``1.0``, or ``1.1``, which needs less than half the work.
        dtype: The element type.

    Returns:
        A function of ``data``, (batch_size, *image_shape), and the weights, whose result is
        (batch_size, num_classes).

    Raises:
        FieldError: If there is no such version.

    Source:
        Relay ``testing.squeezenet``; Iandola and others, 2016.
    """
    if version not in _FIRST:
        raise FieldError(f"no version {version!r} of SqueezeNet; expected one of 1.0, 1.1")
    channels, size, padding = _FIRST[version]
    net: Expr = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    net = conv2d(net, channels=channels, kernel_size=size, strides=2, padding=padding, name="conv1")
    net = nn.relu(nn.bias_add(net, Var("conv1_bias")))
    for index, (squeezed, expanded) in enumerate(_FIRES, 1):
        if index in _POOLS_BEFORE[version]:
            net = nn.max_pool2d(net, pool_size=3, strides=2, padding=0)
        net = _fire(net, squeezed, expanded, f"fire{index}")
    net = dropout(net, rate=0.5)
    net = conv2d(net, channels=num_classes, kernel_size=1, name="conv_final")
    net = nn.relu(nn.bias_add(net, Var("conv_final_bias")))
    return close(nn.softmax(nn.batch_flatten(nn.global_avg_pool2d(net))))


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    version: str = "1.0",
    image_shape: Sequence[int] = (3, 224, 224),
    dtype: str = "float32",
) -> tuple[IRModule, Params]:
    """Return the module of :func:`get_net` and weights for it."""
    return create_workload(get_net(batch_size, image_shape, num_classes, version, dtype))
