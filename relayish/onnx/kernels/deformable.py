"""Deformable convolution: each element of a window is taken from a place of its own."""

from __future__ import annotations

from math import prod
from typing import Unpack

from relayish.errors import EvaluationError
from relayish.numeric.deformable import deform_convolve
from relayish.numeric.precision import compute_dtype, narrow, widen
from relayish.onnx.kernels.convolution import place_kernel, spread_channels
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.spatial import SteppedAttributes


@kernel("DeformConv", since=(19, 22))
def deform_conv(
    x: Array,
    w: Array,
    offset: Array,
    b: Array | None = None,
    mask: Array | None = None,
    *,
    group: int = 1,
    kernel_shape: tuple[int, ...] | None = None,
    offset_group: int = 1,
    **attributes: Unpack[SteppedAttributes],
) -> Array:
    """Convolve ``x`` (n, c, ...) with ``w`` (m, c / group, ...), elements moved by ``offset``.

    Offsets are (n, offset_group * elements * dimensions, ...), ``mask`` (n, offset_group *
    elements, ...) what elements are multiplied by.
    """
    windows, padding = place_kernel(x, w, group=group, kernel_shape=kernel_shape, **attributes)
    batch, channels = x.shape[:2]
    rank, elements = x.ndim - 2, prod(windows.kernel)
    expected = (batch, offset_group * elements * rank, *windows.counts)
    if offset.shape != expected or channels % offset_group:
        raise EvaluationError(
            f"offsets have shape {offset.shape} in {offset_group} groups; expected {expected}, and "
            f"groups of equally many of {channels} channels"
        )
    if mask is not None and mask.shape != (batch, offset_group * elements, *windows.counts):
        raise EvaluationError(
            f"the mask has shape {mask.shape}; expected "
            f"{(batch, offset_group * elements, *windows.counts)}"
        )
    y = deform_convolve(
        x,
        w,
        widen(offset).reshape(batch, offset_group, elements, rank, *windows.counts),
        windows,
        before=[begin for begin, _ in padding],
        groups=group,
        work=compute_dtype(x.dtype),
        factors=None if mask is None else widen(mask),
    )
    if b is not None:
        y = y + spread_channels(widen(b), w.shape[0], y.ndim)
    return narrow(y, x)
