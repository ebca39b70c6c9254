"""VGG: stacks of 3x3 convolutions, each stack at half the size of the one before."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.errors import FieldError
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.testing.init import Params, create_workload
from relayish.testing.layers import batch_norm_infer, close, conv2d, dense_add_bias, dropout
from relayish.testing.operators import nn

_FILTERS = (64, 128, 256, 512, 512)
_CONVOLUTIONS = {
    11: (1, 1, 2, 2, 2),
    13: (2, 2, 2, 2, 2),
    16: (2, 2, 3, 3, 3),
    19: (2, 2, 4, 4, 4),
}
"""How many convolutions each stack has, by number of layers."""


def _features(net: Expr, num_layers: int, batch_norm: bool) -> Expr:
    for stage, count in enumerate(_CONVOLUTIONS[num_layers], 1):
        for index in range(1, count + 1):
            name = f"{stage}_{index}"
            net = conv2d(
                net,
                kernel_size=3,
                padding=1,
                channels=_FILTERS[stage - 1],
                name=f"conv{name}",
            )
            net = nn.bias_add(net, Var(f"conv{name}_bias"))
            if batch_norm:
                net = batch_norm_infer(net, name=f"bn{name}")
            net = nn.relu(net)
        net = nn.max_pool2d(net, pool_size=2, strides=2, padding=0)
    return net


def get_net(
    batch_size: int,
    image_shape: Sequence[int] = (3, 224, 224),
    num_classes: int = 1000,
    dtype: str = "float32",
    num_layers: int = 11,
    batch_norm: bool = False,
) -> Function:
    """Return a VGG network.

    Args:
        batch_size: How many images ``data`` holds.
        image_shape: (channels, height, width).
        num_classes: How many probabilities come out for each.
        dtype: The element type.
        num_layers: 11, 13, 16 or 19.
        batch_norm: Whether each convolution is normalised.

    Returns:
        A function of ``data``, (batch_size, *image_shape), and the weights, whose result is
        (batch_size, num_classes).

    Raises:
        FieldError: If there is no network of so many layers.

    Source:
        Relay ``testing.vgg``; Simonyan and Zisserman, 2014.
    """
    if num_layers not in _CONVOLUTIONS:
        raise FieldError(f"no VGG of {num_layers} layers; expected one of 11, 13, 16, 19")
    data = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    net = nn.batch_flatten(_features(data, num_layers, batch_norm))
    for name in ("fc6", "fc7"):
        net = nn.relu(dense_add_bias(net, units=4096, name=name))
        net = dropout(net, rate=0.5)
    return close(nn.softmax(dense_add_bias(net, units=num_classes, name="fc8")))


def get_workload(
    batch_size: int,
    num_classes: int = 1000,
    image_shape: Sequence[int] = (3, 224, 224),
    dtype: str = "float32",
    num_layers: int = 11,
    batch_norm: bool = False,
) -> tuple[IRModule, Params]:
    """Return the module of :func:`get_net` and weights for it."""
    return create_workload(
        get_net(batch_size, image_shape, num_classes, dtype, num_layers, batch_norm)
    )
