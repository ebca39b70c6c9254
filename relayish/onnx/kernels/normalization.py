"""Normalisation by mean and variance, or by norms, of what one input holds."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.axes import normalise_axes, normalise_axis
from relayish.numeric.normalization import centre, normalise_locally, scale_and_shift, standardise
from relayish.numeric.precision import narrow, widen
from relayish.numeric.reduction import mean_along
from relayish.onnx.element_types import find_numpy_dtype
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.spatial import check_spatial
from relayish.onnx.kernels.values import check_broadcasts


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
    normal, mean, inverse = standardise(_stashed(x, stash), axes, epsilon)
    return _scale(narrow(normal, x), scale, b), mean.astype(stash), inverse.astype(stash)


def _stashed(
    x: Array,
    stash: np.dtype[Any],  # Any: known when the attribute is
) -> Array:
    """Return ``x``, rounded to ``stash``, in the element type to compute in."""
    return widen(x.astype(stash, copy=False))


def _scale(x: Array, scale: Array, b: Array | None) -> Array:
    """Return ``x * scale + b`` in the element type of ``x``.

    Raises:
        EvaluationError: If these do not broadcast to the shape of ``x``.
    """
    for factor in (scale, b):
        if factor is not None:
            check_broadcasts(factor, x.shape, "scale or bias")
    return narrow(scale_and_shift(widen(x), scale, b), x)


@kernel("RMSNormalization", since=(23,))
def rms_normalization(
    x: Array, scale: Array, *, axis: int = -1, epsilon: float = 1e-5, stash_type: int = 1
) -> Array:
    """Divide by the root of the mean of squares over ``axis`` and all behind it."""
    axes = tuple(range(normalise_axis(axis, x.ndim), x.ndim))
    stashed = _stashed(x, find_numpy_dtype(stash_type))
    mean = mean_along(np.square(stashed), axes, keepdims=True)
    return _scale(narrow(stashed / np.sqrt(mean + epsilon), x), scale, None)


@kernel("InstanceNormalization", since=(1, 6, 22))
def instance_normalization(x: Array, scale: Array, b: Array, *, epsilon: float = 1e-5) -> Array:
    """Normalise each channel of each instance, and scale channels by ``scale`` and ``b`` (c,)."""
    check_spatial("the input", x, least=2)
    for what, factor in (("scale", scale), ("B", b)):
        if factor.shape != (x.shape[1],):
            raise EvaluationError(
                f"{what} has shape {factor.shape}; expected ({x.shape[1]},), one for each channel"
            )
    normal, _, _ = standardise(widen(x), range(2, x.ndim), epsilon)
    ones = (1,) * (x.ndim - 2)
    return narrow(scale_and_shift(normal, scale.reshape(-1, *ones), b.reshape(-1, *ones)), x)


@kernel("GroupNormalization", since=(18,))
def group_normalization_by_group(
    x: Array, scale: Array, bias: Array, *, num_groups: int, epsilon: float = 1e-5
) -> Array:
    """Normalise groups of channels, and scale groups by ``scale`` and ``bias`` (num_groups,)."""
    grouped = _group_channels(x, num_groups)
    _check_channels(scale, bias, num_groups)
    normal, _, _ = standardise(widen(grouped), (2, 3), epsilon)
    y = _scale(narrow(normal, x), scale.reshape(-1, 1, 1), bias.reshape(-1, 1, 1))
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
    stashed = _stashed(grouped, find_numpy_dtype(stash_type))
    normal, _, _ = standardise(stashed, (2, 3), epsilon)
    rows = narrow(normal, x).reshape(*x.shape[:2], prod(x.shape[2:]))
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
    centred, _, variance = centre(widen(x), normalise_axes(axes, x.ndim))
    return narrow(centred / (np.sqrt(variance) + 1e-9), x)


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
    return normalise_locally(x, 1, size, alpha=alpha, beta=beta, bias=bias)
