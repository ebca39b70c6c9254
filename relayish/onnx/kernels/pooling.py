"""Pooling: what windows of the input have in common, one dimension after another."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Unpack

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.pooling import combine_windows, count_elements, find_greatest
from relayish.numeric.precision import compute_dtype, widen
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.spatial import (
    Placed,
    PoolAttributes,
    WindowAttributes,
    check_spatial,
    place_windows,
)


@kernel(
    "MaxPool",
    since=(1, 8, 10, 11, 12, 22),
    added={"storage_order": 8, "ceil_mode": 10, "dilations": 10},
)
def max_pool(
    x: Array,
    *,
    storage_order: int = 0,
    num_outputs: int = 2,
    **attributes: Unpack[PoolAttributes],
) -> Array | tuple[Array, Array]:
    """Return the greatest element of each window, and where it is in the input."""
    check_spatial("the input", x)
    placed = place_windows(x.shape[2:], **attributes)
    if num_outputs < 2:
        return _pool(x, placed, np.maximum, lowest(x.dtype))
    return _find_greatest(x, placed, storage_order)


def _find_greatest(x: Array, placed: Placed, storage_order: int) -> tuple[Array, Array]:
    """Return the greatest elements and their places, the first of several; padding has none."""
    sizes = x.shape[2:]
    strides = np.cumprod((1, *sizes[:0:-1]))[::-1]
    if storage_order:
        strides = np.cumprod((1, *sizes[:-1]))
    places = sum(
        (
            (np.arange(size) * step).reshape(-1, *(1,) * (len(sizes) - axis - 1))
            for axis, (size, step) in enumerate(zip(sizes, strides, strict=True))
        ),
        start=np.zeros(sizes, np.int64),
    )
    whole = (np.arange(prod(x.shape[:2])) * prod(sizes)).reshape(*x.shape[:2], *(1,) * len(sizes))
    greatest, found = find_greatest(
        placed.pad(x, lowest(x.dtype)), placed.pad(places[None, None], -1), placed.windows
    )
    return greatest, np.where(found < 0, found, found + whole)


@kernel(
    "AveragePool",
    since=(1, 7, 10, 11, 19, 22),
    added={"count_include_pad": 7, "ceil_mode": 10, "dilations": 19},
)
def average_pool(
    x: Array, *, count_include_pad: int = 0, **attributes: Unpack[PoolAttributes]
) -> Array:
    """Return the mean of each window.

    Padding counts where ``count_include_pad`` says so; what a last window spans beyond it does not.
    """
    check_spatial("the input", x)
    placed = place_windows(x.shape[2:], **attributes)
    total = _pool(widen(x), placed, np.add, 0)
    counted = [
        (0, before + size + after) if count_include_pad else (before, before + size)
        for size, (before, after) in zip(x.shape[2:], placed.padding, strict=True)
    ]
    mean: Array = total / count_elements(placed.windows, x.ndim, counted).astype(total.dtype)
    return mean.astype(x.dtype, copy=False)


@kernel("LpPool", since=(1,), added={"dilations": 2})
def lp_pool_of_fractional_power(
    x: Array,
    *,
    kernel_shape: tuple[int, ...] | None = None,
    p: float = 2.0,
    **attributes: Unpack[WindowAttributes],
) -> Array:
    """Return the p-norm of each window."""
    if kernel_shape is None:
        raise EvaluationError("kernel_shape is not given; expected one number for each dimension")
    return lp_pool(x, kernel_shape=kernel_shape, p=p, **attributes)


@kernel("LpPool", since=(2, 11, 18, 22), added={"ceil_mode": 18, "dilations": 18})
def lp_pool(x: Array, *, p: float = 2, **attributes: Unpack[PoolAttributes]) -> Array:
    """Return the p-norm of each window."""
    check_spatial("the input", x)
    placed = place_windows(x.shape[2:], **attributes)
    total = _pool(np.abs(widen(x)) ** p, placed, np.add, 0)
    norm: Array = total ** (1.0 / p)
    return norm.astype(x.dtype, copy=False)


@kernel("GlobalAveragePool", since=(1, 22))
def global_average_pool(x: Array) -> Array:
    """Return the mean of each channel, with spatial dimensions of size 1."""
    check_spatial("the input", x, least=2)
    mean: Array = x.mean(_spatial(x), keepdims=True, dtype=compute_dtype(x.dtype))
    return mean.astype(x.dtype, copy=False)


@kernel("GlobalMaxPool", since=(1, 22))
def global_max_pool(x: Array) -> Array:
    """Return the greatest element of each channel, with spatial dimensions of size 1."""
    check_spatial("the input", x, least=2)
    greatest: Array = widen(x).max(_spatial(x), keepdims=True)
    return greatest.astype(x.dtype, copy=False)


@kernel("GlobalLpPool", since=(1, 2, 22))
def global_lp_pool(x: Array, *, p: float = 2) -> Array:
    """Return the p-norm of each channel, with spatial dimensions of size 1."""
    check_spatial("the input", x, least=2)
    total: Array = (np.abs(widen(x)) ** p).sum(_spatial(x), keepdims=True)
    norm: Array = total ** (1.0 / p)
    return norm.astype(x.dtype, copy=False)


def _spatial(x: Array) -> tuple[int, ...]:
    return tuple(range(2, x.ndim))


def lowest(dtype: np.dtype[Any]) -> float | int:  # Any: known when the value is
    """Return what is not above any element: negative infinity, or the lowest integer."""
    return int(np.iinfo(dtype).min) if dtype.kind in "iu" else -np.inf


def _pool(
    x: Array,
    placed: Placed,
    combine: Callable[..., Any],  # Any: a ufunc takes and gives arrays of any element type
    padding: float,
) -> Array:
    """Return what windows have in common, as a new array."""
    y = combine_windows(placed.pad(x, padding), placed.windows, combine)
    return y.copy() if np.may_share_memory(y, x) else y
