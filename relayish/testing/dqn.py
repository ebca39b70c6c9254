"""The network of deep Q-learning: three convolutions over the last frames of a game."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.testing.init import Params, create_workload
from relayish.testing.layers import close, conv2d, conv_kernel_layout, dense_add_bias
from relayish.testing.operators import nn

_CONVOLUTIONS = ((32, 8, 4), (64, 4, 2), (64, 3, 1))
"""Channels, kernel size and stride of each."""


def get_net(
    batch_size: int,
    num_actions: int = 18,
    image_shape: Sequence[int] = (4, 84, 84),
    dtype: str = "float32",
    layout: str = "NCHW",
) -> Function:
    """Return a network that values actions.

    Args:
        batch_size: How many stacks of frames ``data`` holds.
        num_actions: How many values come out for each.
        image_shape: The shape of a stack, in the order of ``layout``.
        dtype: The element type.
        layout: ``NCHW`` or ``NHWC``.

    Returns:
        A function of ``data``, (batch_size, *image_shape), and the weights, whose result is
        (batch_size, num_actions).

    Source:
        Relay ``testing.dqn``; Mnih and others, 2015.
    """
    hidden: Expr = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    for index, (channels, size, stride) in enumerate(_CONVOLUTIONS, 1):
        hidden = conv2d(
            hidden,
            kernel_size=size,
            strides=stride,
            channels=channels,
            name=f"conv{index}",
            data_layout=layout,
            kernel_layout=conv_kernel_layout(layout),
        )
        hidden = nn.bias_add(hidden, Var(f"conv{index}_bias"), axis=layout.index("C"))
        hidden = nn.relu(hidden)
    hidden = nn.relu(dense_add_bias(nn.batch_flatten(hidden), units=512, name="dense1"))
    return close(dense_add_bias(hidden, units=num_actions, name="dense2"))


def get_workload(
    batch_size: int,
    num_actions: int = 18,
    image_shape: Sequence[int] = (4, 84, 84),
    dtype: str = "float32",
    layout: str = "NCHW",
) -> tuple[IRModule, Params]:
    """Return the module of :func:`get_net` and weights for it."""
    return create_workload(get_net(batch_size, num_actions, image_shape, dtype, layout))
