"""Convolutions: a matrix product of the kernel and the windows laid out as columns."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.onnx.kernels.precision import compute_dtype
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.spatial import (
    Windows,
    check_spatial,
    pad_spatial,
    place_windows,
    take_last,
    window_slices,
)

COLUMN_BYTES: Final = 1 << 22
"""How large the columns of one product may be: what stays in the cache while it is multiplied."""
BLOCK_BYTES: Final = 1 << 18
"""How large the sums of channels may be that are convolved by themselves."""


@kernel("Conv", since=(1, 11, 22))
def conv(
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: tuple[int, ...] | None = None,
    group: int = 1,
    kernel_shape: tuple[int, ...] | None = None,
    pads: tuple[int, ...] | None = None,
    strides: tuple[int, ...] | None = None,
) -> Array:
    """Convolve ``x`` (n, c, ...) with ``w`` (m, c / group, ...), and add ``b`` (m,)."""
    windows = place_kernel(
        x,
        w,
        group=group,
        kernel_shape=kernel_shape,
        strides=strides,
        dilations=dilations,
        pads=pads,
        auto_pad=auto_pad,
    )
    computed = compute_dtype(x.dtype)
    y = convolve(x.astype(computed, copy=False), w.astype(computed, copy=False), windows, group)
    if b is not None:
        y += spread_channels(b, w.shape[0], y.ndim).astype(computed, copy=False)
    return y.astype(x.dtype, copy=False)


def place_kernel(
    x: Array,
    w: Array,
    *,
    group: int,
    kernel_shape: tuple[int, ...] | None,
    strides: tuple[int, ...] | None,
    dilations: tuple[int, ...] | None,
    pads: tuple[int, ...] | None,
    auto_pad: str,
) -> Windows:
    """Return where the windows of a convolution lie.

    Raises:
        EvaluationError: If input, weights, groups and attributes do not fit together.
    """
    check_spatial("the input", x)
    if w.ndim != x.ndim:
        raise EvaluationError(
            f"weights of shape {w.shape} meet an input of shape {x.shape}; expected equal ranks"
        )
    if group < 1 or x.shape[1] != w.shape[1] * group or w.shape[0] % group:
        raise EvaluationError(
            f"weights of shape {w.shape} in {group} groups meet an input of shape {x.shape}; "
            f"expected {w.shape[1] * group} channels, and a multiple of {group} outputs"
        )
    if kernel_shape is not None and tuple(kernel_shape) != w.shape[2:]:
        raise EvaluationError(
            f"kernel_shape is {tuple(kernel_shape)}, but the weights have shape {w.shape}; "
            f"expected {w.shape[2:]}"
        )
    return place_windows(
        x.shape[2:],
        w.shape[2:],
        strides=strides,
        dilations=dilations,
        pads=pads,
        auto_pad=auto_pad,
    )


def spread_channels(b: Array, channels: int, rank: int) -> Array:
    """Return ``b`` (channels,) with the shape in which it broadcasts with (n, channels, ...).

    Raises:
        EvaluationError: If ``b`` has another shape.
    """
    if b.shape != (channels,):
        raise EvaluationError(f"the bias has shape {b.shape}; expected ({channels},)")
    return b.reshape(channels, *(1,) * (rank - 2))


def convolve(x: Array, w: Array, windows: Windows, group: int) -> Array:
    """Return the convolution of ``x`` and ``w``, which have one element type, as a new array."""
    batch, channels = x.shape[:2]
    outputs = w.shape[0]
    result = np.zeros((batch, outputs, *windows.outputs), x.dtype)
    if not result.size or not w.size:
        return result
    padded = pad_spatial(x, windows)
    if channels == group:
        _convolve_each_channel(padded, w, windows, result)
        return result
    matrix = w.reshape(group, outputs // group, -1)
    if all(size == 1 for size in windows.kernel):
        ((_, slices),) = window_slices(windows)
        columns = take_last(padded, slices).reshape(batch, group, channels // group, -1)
        np.matmul(matrix, columns, out=result.reshape(batch, group, outputs // group, -1))
        return result
    _multiply_columns(padded, matrix, windows, result)
    return result


def _multiply_columns(padded: Array, matrix: Array, windows: Windows, result: Array) -> None:
    """Write products of ``matrix`` (group, outputs, inputs) and windows, some rows at a time."""
    batch, channels = padded.shape[:2]
    group = matrix.shape[0]
    rows, *others = windows.outputs
    slices = list(window_slices(windows))
    row_bytes = channels * len(slices) * prod(others) * padded.itemsize
    count = min(max(COLUMN_BYTES // max(row_bytes, 1), 1), rows)
    buffer = np.empty((channels, len(slices), count * prod(others)), padded.dtype)
    step = windows.strides[0]
    target = result.reshape(batch, group, -1, rows, prod(others))
    for image in range(batch):
        for first in range(0, rows, count):
            height = min(count, rows - first)
            columns = buffer[:, :, : height * prod(others)]
            for index, (_, (top, *rest)) in enumerate(slices):
                start = top.start + first * step
                band = slice(start, start + (height - 1) * step + 1, step)
                part = take_last(padded[image], (band, *rest), 1)
                columns[:, index].reshape(part.shape)[...] = part
            product = matrix @ columns.reshape(group, -1, height * prod(others))
            target[image, :, :, first : first + height] = product.reshape(
                group, -1, height, prod(others)
            )


def _convolve_each_channel(padded: Array, w: Array, windows: Windows, result: Array) -> None:
    """Convolve each channel by itself: one product for each element of the kernel.

    Some channels at a time, so that sums stay in the cache.
    """
    batch, channels = padded.shape[:2]
    grouped = result.reshape(batch, channels, -1, *windows.outputs)
    weights = w.reshape(channels, -1, *windows.kernel)
    ones = (1,) * len(windows.kernel)
    channel_bytes = max(grouped.nbytes // max(batch * channels, 1), 1)
    count = max(BLOCK_BYTES // channel_bytes, 1)
    slices = list(window_slices(windows))
    for image in range(batch):
        for first in range(0, channels, count):
            part = slice(first, first + count)
            total = grouped[image, part]
            product = np.empty_like(total)
            for element, places in slices:
                factor = take_last(weights[part], element).reshape(*total.shape[:2], *ones)
                np.multiply(take_last(padded[image, part, None], places), factor, out=product)
                total += product
