"""Residual networks over volumes, or over films."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.relay.module import IRModule
from relayish.testing.init import Params, create_workload
from relayish.testing.layers import batch_norm_infer, close, conv3d, layouts
from relayish.testing.operators import nn
from relayish.testing.resnet import EPSILON, head, plan, stages


def get_net(
    batch_size: int,
    num_classes: int,
    num_layers: int = 50,
    image_shape: Sequence[int] = (3, 16, 112, 112),
    layout: str = "NCDHW",
    dtype: str = "float32",
) -> Function:
    """Return a residual network of three-dimensional convolutions.

    Args:
        batch_size: How many volumes ``data`` holds.
        num_classes: How many probabilities come out for each.
        num_layers: As for :func:`.resnet.get_net`.
        image_shape: The shape of a volume, in the order of ``layout``.
        layout: ``NCDHW`` or ``NDHWC``.
        dtype: The element type.

    Returns:
        A function of ``data``, (batch_size, *image_shape), and the weights, whose result is
        (batch_size, num_classes).

    Raises:
        FieldError: If there is no network of so many layers for such volumes.

    Source:
        Relay ``testing.resnet_3d``.
    """
    shape = (batch_size, *image_shape)
    height = shape[layout.index("H")]
    units, filters, bottle_neck = plan(num_layers, height)
    axis, order = layout.index("C"), layouts(layout)
    body: Expr = var("data", shape=shape, dtype=dtype)
    body = batch_norm_infer(body, epsilon=EPSILON, axis=axis, scale=False, name="bn_data")
    first = filters[0]
    if height <= 32:
        body = conv3d(
            body, channels=first, kernel_size=3, strides=1, padding=1, name="conv0", **order
        )
    else:
        body = conv3d(
            body,
            channels=first,
            kernel_size=(3, 7, 7),
            strides=(1, 2, 2),
            padding=(1, 3, 3),
            name="conv0",
            **order,
        )
        body = nn.relu(batch_norm_infer(body, epsilon=EPSILON, axis=axis, name="bn0"))
    return close(head(stages(body, units, filters, bottle_neck, layout), num_classes, layout))


def get_workload(
    batch_size: int = 1,
    num_classes: int = 1000,
    num_layers: int = 18,
    image_shape: Sequence[int] = (3, 16, 112, 112),
    layout: str = "NCDHW",
    dtype: str = "float32",
) -> tuple[IRModule, Params]:
    """Return the module of :func:`get_net` and weights for it."""
    return create_workload(get_net(batch_size, num_classes, num_layers, image_shape, layout, dtype))
