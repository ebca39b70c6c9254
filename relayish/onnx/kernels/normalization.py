"""Normalisation by mean and variance, or by norms, of what one input holds."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.axes import normalise_axes, normalise_axis
from relayish.numeric.precision import compute_dtype, narrow, widen
from relayish.onnx.element_types import find_numpy_dtype
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.spatial import check_spatial


@kernel("LayerNormalization", since=(17,))
def layer_normalization(
    x: Array,
    scale: Array,
    b: Array | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
) -> tuple[Array, Array, Array]:
    """Normalise over ``axis`` and all behind it; return also mean and inverse deviation."""
    stash = find_numpy_dtype(stash_type)
    axes = tuple(range(normalise_axis(axis, x.ndim), x.ndim))
    centered, mean, inverse = _normalize(x, axes, epsilon, stash)
    y = _scale(centered.astype(x.dtype, copy=False), scale, b)
    return y, mean.astype(stash, copy=False), inverse.astype(stash, copy=False)


def _normalize(
    x: Array,
    axes: tuple[int, ...],
    epsilon: float,
    stash: np.dtype[Any],  # Any: known when the attribute is
) -> tuple[Array, Array, Array]:
    """Return ``x`` with mean 0 and variance 1 over ``axes``, and what it was divided by."""
    stashed = x.astype(stash, copy=False).astype(compute_dtype(stash), copy=False)
    mean = stashed.mean(axes, keepdims=True)
    centered = stashed - mean
    variance = np.square(centered).mean(axes, keepdims=True)
    inverse = 1 / np.sqrt(variance + epsilon)
    centered *= inverse
    return centered, mean, inverse


def _scale(x: Array, scale: Array, b: Array | None) -> Array:
    """Return ``x * scale + b`` in the element type of ``x``.

    Raises:
        EvaluationError: If these do not broadcast to the shape of ``x``.
    """
    for factor in (scale, b):
        if factor is not None:
            _check_broadcasts(factor, x)
    y = widen(x) * widen(scale)
    if b is not None:
        y += widen(b)
    return narrow(y, x)


def _check_broadcasts(factor: Array, x: Array) -> None:
    padded = (1,) * (x.ndim - factor.ndim) + factor.shape
    if len(padded) != x.ndim or any(n not in (1, m) for n, m in zip(padded, x.shape, strict=True)):
        raise EvaluationError(
            f"scale or bias has shape {factor.shape}, which does not broadcast to that of the "
            f"input, {x.shape}; expected sizes that are equal or 1"
        )


@kernel("RMSNormalization", since=(23,))
def rms_normalization(
    x: Array, scale: Array, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Array:
    """Divide by the root of the mean of squares over ``axis`` and all behind it."""
    axes = tuple(range(normalise_axis(axis, x.ndim), x.ndim))
    stash = find_numpy_dtype(stash_type)
    stashed = x.astype(stash, copy=False).astype(compute_dtype(stash), copy=False)
    mean = np.square(stashed).mean(axes, keepdims=True)
    normalized = stashed / np.sqrt(mean + epsilon)
    return _scale(normalized.astype(x.dtype, copy=False), scale, None)


@kernel("InstanceNormalization", since=(1, 6, 22))
def instance_normalization(x: Array, scale: Array, b: Array, *, epsilon: float = 1e-5) -> Array:
    """Normalise each channel of each instance, and scale channels by ``scale`` and ``b`` (c,)."""
    check_spatial("the input", x, least=2)
    for what, factor in (("scale", scale), ("B", b)):
        if factor.shape != (x.shape[1],):
            raise EvaluationError(
                f"{what} has shape {factor.shape}; expected ({x.shape[1]},), one for each channel"
            )
    axes = tuple(range(2, x.ndim))
    normalized, _, _ = _normalize(x, axes, epsilon, compute_dtype(x.dtype))
    ones = (1,) * len(axes)
    normalized *= widen(scale).reshape(-1, *ones)
    normalized += widen(b).reshape(-1, *ones)
    return normalized.astype(x.dtype, copy=False)


@kernel("GroupNormalization", since=(18,))
def group_normalization_by_group(
    x: Array, scale: Array, bias: Array, *, num_groups: int, epsilon: float = 1e-5
) -> Array:
    """Normalise groups of channels, and scale groups by ``scale`` and ``bias`` (num_groups,)."""
    grouped = _group_channels(x, num_groups)
    _check_channels(scale, bias, num_groups)
    normalized, _, _ = _normalize(grouped, (2, 3), epsilon, x.dtype)
    y = _scale(
        normalized.astype(x.dtype, copy=False), scale.reshape(-1, 1, 1), bias.reshape(-1, 1, 1)
    )
    return y.reshape(x.shape)


@kernel("GroupNormalization", since=(21,))
def group_normalization(
    x: Array,
    scale: Array,
    bias: Array,
    *,
    num_groups: int,
    epsilon: float = 1e-5,
    stash_type: int = 1,
) -> Array:
    """Normalise groups of channels, and scale channels by ``scale`` and ``bias`` (c,)."""
    grouped = _group_channels(x, num_groups)
    _check_channels(scale, bias, x.shape[1])
    normalized, _, _ = _normalize(grouped, (2, 3), epsilon, find_numpy_dtype(stash_type))
    rows = normalized.astype(x.dtype, copy=False).reshape(*x.shape[:2], prod(x.shape[2:]))
    return _scale(rows, scale.reshape(-1, 1), bias.reshape(-1, 1)).reshape(x.shape)


def _group_channels(x: Array, num_groups: int) -> Array:
    check_spatial("the input", x, least=2)
    if num_groups < 1 or x.shape[1] % num_groups:
        raise EvaluationError(
            f"{x.shape[1]} channels do not make {num_groups} groups; expected a multiple"
        )
    return x.reshape(x.shape[0], num_groups, x.shape[1] // num_groups, prod(x.shape[2:]))


def _check_channels(scale: Array, bias: Array, count: int) -> None:
    for factor in (scale, bias):
        if factor.shape != (count,):
            raise EvaluationError(f"scale or bias has shape {factor.shape}; expected ({count},)")


@kernel("MeanVarianceNormalization", since=(9, 13))
def mean_variance_normalization(x: Array, *, axes: tuple[int, ...] = (0, 2, 3)) -> Array:
    """Return ``x`` with mean 0 and variance 1 over ``axes``; 1e-9 is added to the deviation."""
    over = normalise_axes(axes, x.ndim)
    wide = widen(x)
    mean = wide.mean(over, keepdims=True)
    variance = np.square(wide).mean(over, keepdims=True) - np.square(mean)
    deviation = np.sqrt(np.maximum(variance, 0)) + 1e-9
    return narrow((wide - mean) / deviation, x)


@kernel("LpNormalization", since=(1, 22))
def lp_normalization(x: Array, *, axis: int = -1, p: int = 2) -> Array:
    """Divide by the norm of order 1 or 2 along ``axis``; where that is 0, so is the result."""
    if p not in (1, 2):
        raise EvaluationError(f"p is {p}; expected 1 or 2")
    axis = normalise_axis(axis, x.ndim)
    wide = widen(x)
    norm = np.abs(wide).sum(axis, keepdims=True)
    if p == 2:
        norm = np.sqrt(np.square(wide).sum(axis, keepdims=True))
    y = np.divide(wide, norm, out=np.zeros_like(wide), where=norm != 0)
    return narrow(y, x)


@kernel("LRN", since=(1, 13))
def lrn(
    x: Array, *, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0
) -> Array:
    """Divide by a power of the mean of squares over ``size`` neighbouring channels."""
    check_spatial("the input", x, least=2)
    wide = widen(x)
    before = (size - 1) // 2
    channels = x.shape[1]
    padded = np.zeros((x.shape[0], channels + size - 1, *x.shape[2:]), wide.dtype)
    np.square(wide, out=padded[:, before : before + channels])
    total = padded[:, :channels].copy()
    for neighbour in range(1, size):
        total += padded[:, neighbour : neighbour + channels]
    scale = total * alpha / size + bias
    return narrow(wide / scale**beta, x)
