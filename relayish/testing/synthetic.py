"""A small program with a bit of everything: products, convolutions, normalisation, reshaping."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.errors import FieldError
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.testing.init import Params, create_workload
from relayish.testing.layers import batch_norm_infer, close
from relayish.testing.operators import nn, op


def get_net(
    input_shape: Sequence[int] = (1, 3, 24, 12),
    dtype: str = "float32",
    wtype: str | None = None,
) -> Function:
    """Return a program with two paths, taken twice, over images.

    Args:
        input_shape: (batch, channels, height, width).
        dtype: The element type.
        wtype: That of the weights, which are then cast; by default ``dtype``.

    Returns:
        A function of ``data`` and the weights, whose result has the shape of ``data``.

    Raises:
        FieldError: If ``input_shape`` has not four axes.

    Source:
        Relay ``testing.synthetic``.
    """
    if len(input_shape) != 4:
        raise FieldError(f"images have 4 axes; found the shape {tuple(input_shape)}")
    _, channels, _, width = input_shape
    data = var("data", shape=input_shape, dtype=dtype)

    def weight(name: str, *shape: int) -> Expr:
        made = var(name, shape=shape, dtype=dtype if wtype is None else wtype)
        return made if wtype in (None, dtype) else op.cast(made, dtype=dtype)

    def both_paths(image: Expr, dense_name: str, conv_name: str) -> Expr:
        flat = op.reshape(image, newshape=(-1, width))
        product = nn.relu(nn.dense(flat, weight(dense_name, width, width), units=None))
        kernel = weight(conv_name, channels, channels, 3, 3)
        convolved = nn.conv2d(image, kernel, kernel_size=3, padding=1)
        return op.add(op.reshape_like(product, data), nn.softmax(convolved))

    net = both_paths(data, "dense_weight", "conv_weight")
    net = batch_norm_infer(nn.bias_add(net, Var("bias")), name="batch_norm")
    return close(both_paths(net, "dense2_weight", "conv2_weight"))


def get_workload(
    input_shape: Sequence[int] = (1, 3, 24, 12),
    dtype: str = "float32",
    wtype: str | None = None,
) -> tuple[IRModule, Params]:
    """Return the module of :func:`get_net` and weights for it."""
    return create_workload(get_net(input_shape, dtype, wtype))
