"""A perceptron of three fully connected layers."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.relay.module import IRModule
from relayish.testing.init import Params, create_workload
from relayish.testing.layers import close, dense_add_bias
from relayish.testing.operators import nn


def get_net(
    batch_size: int,
    num_classes: int = 10,
    image_shape: Sequence[int] = (1, 28, 28),
    dtype: str = "float32",
) -> Function:
    """Return a perceptron over images.

    Args:
        batch_size: How many images ``data`` holds.
        num_classes: How many probabilities come out for each.
        image_shape: (channels, height, width).
        dtype: The element type.

    Returns:
        A function of ``data``, (batch_size, *image_shape), and the weights, whose result is
        (batch_size, num_classes).

    Source:
        Relay ``testing.mlp``.
    """
    hidden: Expr = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    hidden = nn.batch_flatten(hidden)
    for index, units in enumerate((128, 64), 1):
        hidden = nn.relu(dense_add_bias(hidden, units=units, name=f"fc{index}"))
    return close(nn.softmax(dense_add_bias(hidden, units=num_classes, name="fc3")))


def get_workload(
    batch_size: int,
    num_classes: int = 10,
    image_shape: Sequence[int] = (1, 28, 28),
    dtype: str = "float32",
) -> tuple[IRModule, Params]:
    """Return the module of :func:`get_net` and weights for it."""
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype))
