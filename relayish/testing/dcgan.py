"""The generator of a deep convolutional adversarial network."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.errors import FieldError
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Expr, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.testing.init import Params, create_workload
from relayish.testing.layers import batch_norm_infer, close, conv2d_transpose
from relayish.testing.operators import nn, op

_KERNEL_LAYOUTS = {"NCHW": "IOHW", "NHWC": "HWOI"}


def deconv2d(
    data: Expr,
    channels: int,
    kernel_size: int,
    name: str,
    layout: str = "NCHW",
    stride: int = 2,
) -> Expr:
    """Return a transposed convolution that makes images ``stride`` times as large.

    Raises:
        FieldError: If ``layout`` is neither ``NCHW`` nor ``NHWC``.
    """
    if layout not in _KERNEL_LAYOUTS:
        raise FieldError(f"no layout {layout!r} for a generator; expected NCHW or NHWC")
    padding = (kernel_size - 1) // 2
    # sizes come out as stride * size where this is added behind
    adjustment = (2 * padding - kernel_size) % stride
    return conv2d_transpose(
        data,
        channels=channels,
        kernel_size=kernel_size,
        strides=stride,
        padding=padding,
        output_padding=(adjustment, adjustment),
        data_layout=layout,
        kernel_layout=_KERNEL_LAYOUTS[layout],
        name=name,
    )


def get_net(
    batch_size: int,
    random_len: int = 100,
    oshape: Sequence[int] = (3, 64, 64),
    ngf: int = 128,
    code: Expr | None = None,
    dtype: str = "float32",
    layout: str = "NCHW",
) -> Function:
    """Return a generator of images.

    Args:
        batch_size: How many codes ``data`` holds.
        random_len: How long a code is.
        oshape: The shape of an image, in the order of ``layout``; it is 64 high and wide.
        ngf: How many channels there are before the last layer.
        code: What to start from, in place of the variable ``data``.
        dtype: The element type.
        layout: ``NCHW`` or ``NHWC``.

    Returns:
        A function of ``data``, (batch_size, random_len), and the weights, whose result is
        (batch_size, *oshape), between -1 and 1.

    Raises:
        FieldError: If the size or layout of the images is another.

    Source:
        Relay ``testing.dcgan``; Radford and others, 2015.
    """
    sizes = {name: size for name, size in zip(layout[1:], oshape, strict=False) if name in "CHW"}
    if (sizes.get("H"), sizes.get("W")) != (64, 64) or len(oshape) != 3:
        raise FieldError(f"images of a generator are 64 high and wide; found {tuple(oshape)}")
    if code is None:
        code = var("data", shape=(batch_size, random_len), dtype=dtype)
    first = 8 * ngf
    net = nn.relu(nn.dense(code, Var("dense_weight"), units=4 * 4 * first))
    net = op.reshape(net, newshape=(-1, first, 4, 4) if layout == "NCHW" else (-1, 4, 4, first))
    for index, channels in enumerate((4 * ngf, 2 * ngf, ngf), 2):
        net = deconv2d(net, channels, 4, f"g{index}_deconv", layout)
        net = batch_norm_infer(
            net, epsilon=1e-5, scale=False, axis=layout.index("C"), name=f"g{index}_batch_norm"
        )
        net = nn.relu(net)
    return close(op.tanh(deconv2d(net, sizes["C"], 4, "g5_deconv", layout)))


def get_workload(
    batch_size: int,
    oshape: Sequence[int] = (3, 64, 64),
    ngf: int = 128,
    random_len: int = 100,
    layout: str = "NCHW",
    dtype: str = "float32",
) -> tuple[IRModule, Params]:
    """Return the module of :func:`get_net` and weights for it."""
    return create_workload(get_net(batch_size, random_len, oshape, ngf, None, dtype, layout))
