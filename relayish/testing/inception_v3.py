"""Inception v3: modules of several towers of convolutions side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.testing.init import Params, create_workload
from relayish.testing.layers import Attributes, batch_norm_infer, close, conv2d
from relayish.testing.operators import nn, op


class Conv(NamedTuple):
    """A convolution: channels, kernel, whether sizes are kept, and the stride."""

    channels: int
    kernel: tuple[int, int] = (1, 1)
    pads: bool = True
    stride: int = 1

    def apply(self, data: Expr, name: str) -> Expr:
        """Return the convolution of ``data``, normalised and rectified."""
        made = conv2d(
            data,
            channels=self.channels,
            kernel_size=self.kernel,
            strides=self.stride,
            padding=tuple(size // 2 for size in self.kernel) if self.pads else 0,
            name=f"{name}_conv1",
        )
        return nn.relu(batch_norm_infer(made, epsilon=2e-5, scale=False, name=f"{name}_bn"))


def _make_halving(channels: int) -> Conv:
    return Conv(channels, (3, 3), pads=False, stride=2)


def _pool(data: Expr, kind: str, size: int, stride: int, padding: int) -> Expr:
    sizes: Attributes = {"pool_size": size, "strides": stride, "padding": padding}
    if kind == "max":
        return nn.max_pool2d(data, **sizes)
    return nn.avg_pool2d(data, **sizes, count_include_pad=True)


def _tower(data: Expr, name: str, *convolutions: Conv) -> Expr:
    for index, convolution in enumerate(convolutions):
        data = convolution.apply(data, f"{name}_conv_{index}" if index else f"{name}_conv")
    return data


def _project(data: Expr, pool: str, channels: int, name: str) -> Expr:
    return _tower(_pool(data, pool, 3, 1, 1), f"{name}_tower_2", Conv(channels))


def module_a(data: Expr, projection: int, name: str) -> Expr:
    """Return 1x1, 5x5 and two 3x3 convolutions beside a mean, at the size of ``data``."""
    towers = (
        _tower(data, name, Conv(64)),
        _tower(data, f"{name}_tower", Conv(48), Conv(64, (5, 5))),
        _tower(data, f"{name}_tower_1", Conv(64), Conv(96, (3, 3)), Conv(96, (3, 3))),
        _project(data, "avg", projection, name),
    )
    return op.concatenate(towers, axis=1)


def module_b(data: Expr, name: str) -> Expr:
    """Return 3x3 convolutions beside a maximum, at half the size of ``data``."""
    towers = (
        _tower(data, name, _make_halving(384)),
        _tower(data, f"{name}_tower", Conv(64), Conv(96, (3, 3)), _make_halving(96)),
        _pool(data, "max", 3, 2, 0),
    )
    return op.concatenate(towers, axis=1)


def module_c(data: Expr, channels: int, name: str) -> Expr:
    """Return 1x7 and 7x1 convolutions beside a mean, at the size of ``data``."""
    wide, high = (1, 7), (7, 1)
    towers = (
        _tower(data, name, Conv(192)),
        _tower(data, f"{name}_tower", Conv(channels), Conv(channels, wide), Conv(192, high)),
        _tower(
            data,
            f"{name}_tower_1",
            Conv(channels),
            Conv(channels, high),
            Conv(channels, wide),
            Conv(channels, high),
            Conv(192, wide),
        ),
        _project(data, "avg", 192, name),
    )
    return op.concatenate(towers, axis=1)


def module_d(data: Expr, name: str) -> Expr:
    """Return 3x3 and 7x7 convolutions beside a maximum, at half the size of ``data``."""
    towers = (
        _tower(data, f"{name}_tower", Conv(192), _make_halving(320)),
        _tower(
            data,
            f"{name}_tower_1",
            Conv(192),
            Conv(192, (1, 7)),
            Conv(192, (7, 1)),
            _make_halving(192),
        ),
        _pool(data, "max", 3, 2, 0),
    )
    return op.concatenate(towers, axis=1)


def module_e(data: Expr, pool: str, name: str) -> Expr:
    """Return convolutions that fork into 1x3 and 3x1 beside a ``pool``, as large as ``data``."""
    left = _tower(data, f"{name}_tower", Conv(384))
    right = _tower(data, f"{name}_tower_1", Conv(448), Conv(384, (3, 3)))
    forks = [
        Conv(384, kernel).apply(stem, f"{name}_{tower}_mixed_conv{suffix}")
        for tower, stem in (("tower", left), ("tower_1", right))
        for kernel, suffix in (((1, 3), ""), ((3, 1), "_1"))
    ]
    first = _tower(data, name, Conv(320))
    return op.concatenate((first, *forks, _project(data, pool, 192, name)), axis=1)


def get_net(
    batch_size: int,
    num_classes: int,
    image_shape: Sequence[int],
    dtype: str,
) -> Function:
    """Return an Inception v3.

    Args:
        batch_size: How many images ``data`` holds.
        num_classes: How many probabilities come out for each.
        image_shape: (channels, height, width), for which 299x299 are foreseen.
        dtype: The element type.

    Returns:
        A function of ``data``, (batch_size, *image_shape), and the weights, whose result is
        (batch_size, num_classes). The last bias is called ``fc2_bias``, as in Relay.

    Source:
        Relay ``testing.inception_v3``; Szegedy and others, 2015.
    """
    body: Expr = var("data", shape=(batch_size, *image_shape), dtype=dtype)
    body = Conv(32, (3, 3), pads=False, stride=2).apply(body, "conv")
    body = Conv(32, (3, 3), pads=False).apply(body, "conv_1")
    body = Conv(64, (3, 3)).apply(body, "conv_2")
    body = _pool(body, "max", 3, 2, 0)
    body = Conv(80).apply(body, "conv_3")
    body = Conv(192, (3, 3), pads=False).apply(body, "conv_4")
    body = _pool(body, "max", 3, 2, 0)
    for projection, name in ((32, "mixed"), (64, "mixed_1"), (64, "mixed_2")):
        body = module_a(body, projection, name)
    body = module_b(body, "mixed_3")
    for index, channels in enumerate((128, 160, 160, 192), 4):
        body = module_c(body, channels, f"mixed_{index}")
    body = module_d(body, "mixed_8")
    body = module_e(body, "avg", "mixed_9")
    body = module_e(body, "max", "mixed_10")
    body = nn.batch_flatten(_pool(body, "avg", 8, 1, 0))
    body = nn.dense(body, Var("fc1_weight"), units=num_classes)
    return close(nn.softmax(nn.bias_add(body, Var("fc2_bias"), axis=-1)))


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    image_shape: Sequence[int] = (3, 299, 299),
    dtype: str = "float32",
) -> tuple[IRModule, Params]:
    """Return the module of :func:`get_net` and weights for it."""
    return create_workload(get_net(batch_size, num_classes, image_shape, dtype))
