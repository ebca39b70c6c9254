"""DenseNet as Relay tests with it: the layers of a block in a chain, all of them concatenated.

In the network as published each layer is given the results of all before it; here it is given that
of the one before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from relayish.errors import FieldError
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.relay.module import IRModule
from relayish.testing.init import Params, create_workload
from relayish.testing.layers import batch_norm_infer, close, conv2d, dense_add_bias
from relayish.testing.operators import nn, op

_BN_SIZE = 4


class _Architecture(NamedTuple):
    """Channels of the first convolution and of each layer, and how many layers a block has."""

    first: int
    growth: int
    blocks: tuple[int, ...]


_PLANS = {
    121: _Architecture(64, 32, (6, 12, 24, 16)),
    161: _Architecture(96, 48, (6, 12, 36, 24)),
    169: _Architecture(64, 32, (6, 12, 32, 32)),
    201: _Architecture(64, 32, (6, 12, 48, 32)),
}


def _normalise(data: Expr, name: str) -> Expr:
    return nn.relu(batch_norm_infer(data, name=name))


def _layer(data: Expr, growth: int, index: str) -> Expr:
    data = _normalise(data, f"batch_1_{index}")
    data = conv2d(data, channels=_BN_SIZE * growth, kernel_size=1, name=f"conv2d_1_{index}")
    data = _normalise(data, f"batch_2_{index}")
    return conv2d(data, channels=growth, kernel_size=3, padding=1, name=f"conv2d_2_{index}")


def _block(data: Expr, count: int, growth: int, index: int) -> Expr:
    made: list[Expr] = []
    for layer in range(count):
        data = _layer(data, growth, f"{index}_{layer}")
        made.append(data)
    return op.concatenate(made, axis=1)


def _transition(data: Expr, channels: int, index: int) -> Expr:
    data = _normalise(data, f"batch_t_{index}")
    data = conv2d(data, channels=channels, kernel_size=1, name=f"conv_t_{index}")
    return nn.avg_pool2d(data, pool_size=2, strides=2, padding=0)


def get_net(
    batch_size: int,
    classes: int = 1000,
    densenet_size: int = 121,
    image_shape: Sequence[int] = (3, 224, 224),
    dtype: str = "float32",
) -> Function:
    """Return a DenseNet.

    Args:
        batch_size: How many images ``data`` holds.
        classes: How many numbers come out for each.
        densenet_size: 121, 161, 169 or 201.
        image_shape: (channels, height, width), for which 224 by 224 are foreseen.
        dtype: The element type.

    Returns:
        A function of ``data``, (batch_size, *image_shape), and the weights, whose result is
        (batch_size, classes), before any softmax.

    Raises:
        FieldError: If there is no network of that size.

    Source:
        Relay ``testing.densenet``; Huang and others, 2017.
    """
    if densenet_size not in _PLANS:
        known = ", ".join(map(str, _PLANS))
        raise FieldError(f"no DenseNet of {densenet_size} layers; expected one of {known}")
    first, growth, blocks = _PLANS[densenet_size]
    body: Expr = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    body = conv2d(body, channels=first, kernel_size=7, strides=2, padding=3, name="conv1")
    body = nn.max_pool2d(_normalise(body, "batch1"), pool_size=3, strides=2, padding=1)
    channels = first
    for index, count in enumerate(blocks):
        body = _block(body, count, growth, index)
        channels += count * growth
        if index < len(blocks) - 1:
            channels //= 2
            body = _transition(body, channels, index)
    body = nn.avg_pool2d(_normalise(body, "batch2"), pool_size=7, strides=1, padding=0)
    return close(dense_add_bias(nn.batch_flatten(body), units=classes, name="dense"))


def get_workload(
    densenet_size: int = 121,
    classes: int = 1000,
    batch_size: int = 4,
    image_shape: Sequence[int] = (3, 224, 224),
    dtype: str = "float32",
) -> tuple[IRModule, Params]:
    """Return the module of :func:`get_net` and weights for it."""
    return create_workload(get_net(batch_size, classes, densenet_size, image_shape, dtype))
