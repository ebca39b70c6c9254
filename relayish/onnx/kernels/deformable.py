"""Deformable convolution: each element of a window is taken from a place of its own."""

from __future__ import annotations

from math import prod

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import narrow, widen
from relayish.onnx.kernels.convolution import place_kernel, spread_channels
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.sampling import sample_linear


@kernel("DeformConv", since=(19, 22))
def deform_conv(
    x: Array,
    w: Array,
    offset: Array,
    b: Array | None = None,
    mask: Array | None = None,
    *,
    dilations: tuple[int, ...] | None = None,
    group: int = 1,
    kernel_shape: tuple[int, ...] | None = None,
    offset_group: int = 1,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Array:
    """Convolve ``x`` (n, c, ...) with ``w`` (m, c / group, ...), elements moved by ``offset``.

    Offsets are (n, offset_group * elements * dimensions, ...), ``mask`` (n, offset_group *
    elements, ...) what elements are multiplied by.
    """
    windows, padding = place_kernel(
        x,
        w,
        group=group,
        kernel_shape=kernel_shape,
        strides=strides,
        dilations=dilations,
        pads=pads,
        auto_pad="NOTSET",
    )
    batch, channels = x.shape[:2]
    rank, elements, count = x.ndim - 2, prod(windows.kernel), prod(windows.counts)
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
    moves = widen(offset).reshape(batch, offset_group, elements, rank, *windows.counts)
    elements_of_window = np.indices(windows.kernel).reshape(rank, elements)
    outputs = np.indices(windows.counts)
    columns = np.zeros((batch, channels, elements, count), widen(x).dtype)
    share = channels // offset_group
    for one in range(offset_group):
        places = []
        for axis in range(rank):
            origin = outputs[axis] * windows.strides[axis] - padding[axis][0]
            element = elements_of_window[axis] * windows.dilation[axis]
            base = element.reshape(-1, *(1,) * rank) + origin
            places.append((base + moves[:, one, :, axis]).reshape(batch, elements * count))
        part = slice(one * share, (one + 1) * share)
        sampled = sample_linear(widen(x[:, part]), places).reshape(batch, share, elements, count)
        if mask is not None:
            factors = widen(mask).reshape(batch, offset_group, 1, elements, count)
            sampled = sampled * factors[:, one]
        columns[:, part] = sampled
    matrix = widen(w).reshape(group, w.shape[0] // group, -1)
    y = matrix @ columns.reshape(batch, group, channels // group * elements, count)
    y = y.reshape(batch, w.shape[0], *windows.counts)
    if b is not None:
        y = y + spread_channels(widen(b), w.shape[0], y.ndim)
    return narrow(y, x)
