"""Residual networks whose units normalise before they convolve."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from relayish.errors import FieldError
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.relay.module import IRModule
from relayish.testing import layers
from relayish.testing.init import Params, create_workload
from relayish.testing.operators import nn, op

EPSILON = 2e-5
"""What is added to every variance."""
UNITS = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
    200: (3, 24, 36, 3),
    269: (3, 30, 48, 8),
}
"""How many units each stage of a network over large images has, by number of layers."""


class Architecture(NamedTuple):
    """How a network is put together: units and channels of each stage, and the form of a unit."""

    units: tuple[int, ...]
    filters: tuple[int, ...]
    bottle_neck: bool


def plan(num_layers: int, height: int) -> Architecture:
    """Return how a network of ``num_layers`` over images of ``height`` is put together.

    Raises:
        FieldError: If there is no network of so many layers for such images.
    """
    if height > 28:
        if num_layers not in UNITS:
            known = ", ".join(map(str, UNITS))
            raise FieldError(f"no residual network of {num_layers} layers; expected one of {known}")
        if num_layers >= 50:
            return Architecture(UNITS[num_layers], (64, 256, 512, 1024, 2048), bottle_neck=True)
        return Architecture(UNITS[num_layers], (64, 64, 128, 256, 512), bottle_neck=False)
    if num_layers >= 164 and (num_layers - 2) % 9 == 0:
        return Architecture(((num_layers - 2) // 9,) * 3, (16, 64, 128, 256), bottle_neck=True)
    if num_layers < 164 and (num_layers - 2) % 6 == 0:
        return Architecture(((num_layers - 2) // 6,) * 3, (16, 16, 32, 64), bottle_neck=False)
    raise FieldError(
        f"no residual network of {num_layers} layers for images {height} high; expected 6n + 2 "
        f"below 164, or 9n + 2 from there"
    )


class _Convolution(NamedTuple):
    """One convolution of a unit; its share is that of the unit's channels."""

    share: float
    size: int
    strides: bool  # those of the unit; otherwise 1


_PLAIN = (_Convolution(1, 3, strides=True), _Convolution(1, 3, strides=False))
_BOTTLE_NECK = (
    _Convolution(0.25, 1, strides=True),
    _Convolution(0.25, 3, strides=False),
    _Convolution(1, 1, strides=False),
)


def residual_unit(
    data: Expr,
    num_filter: int,
    stride: Sequence[int],
    dim_match: bool,
    name: str,
    bottle_neck: bool = True,
    data_layout: str = "NCHW",
    kernel_layout: str = "OIHW",
) -> Expr:
    """Return ``data``, brought to the shape of the result if need be, plus what a unit makes of it.

    Args:
        data: Images, or volumes.
        num_filter: How many channels the result has.
        stride: How much smaller it is, along each axis.
        dim_match: Whether ``data`` has the shape of the result already.
        name: What the weights are called after.
        bottle_neck: Whether the unit convolves a quarter of the channels.
        data_layout: The order of the axes of ``data``.
        kernel_layout: The order of the axes of kernels.

    Source:
        Relay ``testing.resnet.residual_unit``.
    """
    order: layers.Attributes = {"data_layout": data_layout, "kernel_layout": kernel_layout}
    convolve = layers.conv3d if len(data_layout) == 5 else layers.conv2d
    made = shortcut = data
    for index, convolution in enumerate(_BOTTLE_NECK if bottle_neck else _PLAIN, 1):
        axis = data_layout.index("C")
        made = layers.batch_norm_infer(made, epsilon=EPSILON, axis=axis, name=f"{name}_bn{index}")
        made = nn.relu(made)
        if index == 1 and not dim_match:
            shortcut = made
        made = convolve(
            made,
            channels=int(num_filter * convolution.share),
            kernel_size=convolution.size,
            strides=stride if convolution.strides else 1,
            padding=convolution.size // 2,
            name=f"{name}_conv{index}",
            **order,
        )
    if not dim_match:
        shortcut = convolve(
            shortcut,
            channels=num_filter,
            kernel_size=1,
            strides=stride,
            name=f"{name}_sc",
            **order,
        )
    return op.add(made, shortcut)


def resnet(
    units: Sequence[int],
    num_stages: int,
    filter_list: Sequence[int],
    num_classes: int,
    data_shape: Sequence[int],
    bottle_neck: bool = True,
    layout: str = "NCHW",
    dtype: str = "float32",
) -> Function:
    """Return a residual network.

    Args:
        units: How many units each stage has.
        num_stages: How many stages there are.
        filter_list: How many channels the first convolution has, and then each stage.
        num_classes: How many probabilities come out for each image.
        data_shape: The shape of ``data``, in the order of ``layout``.
        bottle_neck: See :func:`residual_unit`.
        layout: ``NCHW`` or ``NHWC``.
        dtype: The element type.

    Raises:
        FieldError: If there are not as many units and channels as stages.
    """
    if not len(units) == len(filter_list) - 1 == num_stages:
        raise FieldError(
            f"{num_stages} stages need as many units and one more number of channels; found "
            f"{len(units)} and {len(filter_list)}"
        )
    axis, order = layout.index("C"), layers.layouts(layout)
    body: Expr = var("data", shape=data_shape, dtype=dtype)
    body = layers.batch_norm_infer(body, epsilon=EPSILON, axis=axis, scale=False, name="bn_data")
    first = filter_list[0]
    if data_shape[layout.index("H")] <= 32:
        body = layers.conv2d(
            body, channels=first, kernel_size=3, strides=1, padding=1, name="conv0", **order
        )
    else:
        body = layers.conv2d(
            body, channels=first, kernel_size=7, strides=2, padding=3, name="conv0", **order
        )
        body = nn.relu(layers.batch_norm_infer(body, epsilon=EPSILON, axis=axis, name="bn0"))
        body = nn.max_pool2d(body, pool_size=3, strides=2, padding=1, layout=layout)
    return layers.close(
        head(stages(body, units, filter_list, bottle_neck, layout), num_classes, layout)
    )


def stages(
    body: Expr, units: Sequence[int], filter_list: Sequence[int], bottle_neck: bool, layout: str
) -> Expr:
    """Return what the units of every stage make of ``body``; each stage but the first halves it."""
    rank = len(layout) - 2
    for stage, count in enumerate(units, 1):
        for unit in range(1, count + 1):
            body = residual_unit(
                body,
                filter_list[stage],
                (2 if unit == 1 and stage > 1 else 1,) * rank,
                unit > 1,
                f"stage{stage}_unit{unit}",
                bottle_neck,
                layout,
                layers.conv_kernel_layout(layout),
            )
    return body


def head(body: Expr, num_classes: int, layout: str) -> Expr:
    """Return the probabilities that the last stage stands for."""
    axis = layout.index("C")
    body = nn.relu(layers.batch_norm_infer(body, epsilon=EPSILON, axis=axis, name="bn1"))
    if len(layout) == 5:
        body = nn.adaptive_avg_pool3d(body, output_size=(1, 1, 1), layout=layout)
    else:
        body = nn.global_avg_pool2d(body, layout=layout)
    body = nn.batch_flatten(body)
    return nn.softmax(layers.dense_add_bias(body, units=num_classes, name="fc1"))


def get_net(
    batch_size: int,
    num_classes: int,
    num_layers: int = 50,
    image_shape: Sequence[int] = (3, 224, 224),
    layout: str = "NCHW",
    dtype: str = "float32",
) -> Function:
    """Return a residual network.

    Args:
        batch_size: How many images ``data`` holds.
        num_classes: How many probabilities come out for each.
        num_layers: For images higher than 28, one of :data:`UNITS`; for smaller ones 6n + 2 below
            164, or 9n + 2 from there.
        image_shape: The shape of an image, in the order of ``layout``.
        layout: ``NCHW`` or ``NHWC``.
        dtype: The element type.

    Returns:
        A function of ``data``, (batch_size, *image_shape), and the weights, whose result is
        (batch_size, num_classes).

    Raises:
        FieldError: If there is no network of so many layers for such images.

    Source:
        Relay ``testing.resnet``; He and others, 2016.
    """
    shape = (batch_size, *image_shape)
    units, filters, bottle_neck = plan(num_layers, shape[layout.index("H")])
    return resnet(units, len(units), filters, num_classes, shape, bottle_neck, layout, dtype)


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    num_layers: int = 18,
    image_shape: Sequence[int] = (3, 224, 224),
    layout: str = "NCHW",
    dtype: str = "float32",
) -> tuple[IRModule, Params]:
    """Return the module of :func:`get_net` and weights for it."""
    return create_workload(get_net(batch_size, num_classes, num_layers, image_shape, layout, dtype))
