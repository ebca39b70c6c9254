"""Normalisation: numbers less a mean and over a deviation, of an axis, a group or a batch.

What takes numbers in an element type to compute in, as :func:`.precision.widen` gives them, returns
what it computes in that type, in arrays of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relayish.numeric.pooling import combine_windows
from relayish.numeric.precision import Array, cast_to, narrow, widen
from relayish.numeric.reduction import mean_along
from relayish.numeric.windows import extend, windows_over


def centre(x: Array, axes: Sequence[int]) -> tuple[Array, Array, Array]:
    """Return ``x`` less its mean along ``axes``, that mean, and the variance."""
    mean = mean_along(x, axes, keepdims=True)
    centred: Array = np.asarray(x - mean)
    return centred, mean, mean_along(np.square(centred), axes, keepdims=True)


def standardise(x: Array, axes: Sequence[int], epsilon: float) -> tuple[Array, Array, Array]:
    """Return ``x`` with mean 0 and variance 1 along ``axes``.

    With it come the mean, and one over the root of variance and ``epsilon``, of size 1 along
    ``axes``.
    """
    centred, mean, variance = centre(x, axes)
    inverse: Array = np.asarray(1 / np.sqrt(variance + x.dtype.type(epsilon)))
    fits = centred.dtype == inverse.dtype  # of integers the roots are floats
    return np.multiply(centred, inverse, out=centred if fits else None), mean, inverse


def scale_and_shift(x: Array, scale: Array | None, shift: Array | None) -> Array:
    """Return ``x * scale + shift``, without those not given, written over ``x`` where it can be."""
    for function, other in ((np.multiply, scale), (np.add, shift)):
        if other is not None:
            wide = widen(other)
            x = np.asarray(function(x, wide, out=x if wide.dtype == x.dtype else None))
    return x


def normalise_channels(
    x: Array,
    mean: Array,
    variance: Array,
    scale: Array | None,
    shift: Array | None,
    epsilon: float,
    out: Array | None = None,
    *,
    at_once: bool = False,
) -> Array:
    """Return ``(x - mean) / sqrt(variance + epsilon) * scale + shift``.

    Args:
        x: Of any element type.
        mean: Broadcasts to ``x``, as the next three do.
        variance: Likewise.
        scale: Likewise, or ones.
        shift: Likewise, or zeros.
        epsilon: What keeps the divisor from 0.
        out: In what to put the result, of the element type to compute in; it may be ``x``.
        at_once: Whether ``x`` is multiplied once and added to once, which takes half the time;
            otherwise it is rounded after each of the four steps, as Relay's networks are.

    Returns:
        As ``x``, in its element type.
    """
    wide, spread = widen(x), widen(variance)
    deviation = np.sqrt(spread + spread.dtype.type(epsilon))
    if at_once:
        factor = np.asarray((1 if scale is None else widen(scale)) / deviation)
        offset = np.asarray((0 if shift is None else widen(shift)) - widen(mean) * factor)
        product = np.asarray(np.multiply(wide, factor.astype(wide.dtype, copy=False), out=out))
        return narrow(scale_and_shift(product, None, offset.astype(wide.dtype, copy=False)), x)
    centred: Array = np.asarray(np.subtract(wide, widen(mean), out=out))
    fits = centred.dtype == deviation.dtype  # of integers the roots are floats
    y = np.asarray(np.divide(centred, deviation, out=centred if fits else None))
    return narrow(scale_and_shift(y, scale, shift), x)


def normalise_locally(
    x: Array, axis: int, size: int, *, alpha: float, beta: float, bias: float
) -> Array:
    """Return ``x`` over a power of the mean square of its ``size`` neighbours along ``axis``.

    These are one more behind than before where ``size`` is even. The power is that of order
    ``beta`` of ``bias``, to which ``alpha`` times the mean is added.

    Returns:
        As ``x``, in its element type.
    """
    wide, before = widen(x), (size - 1) // 2
    if not x.size:
        return x
    squares = extend(np.square(wide), (axis,), ((before, size - 1 - before),))
    windows = windows_over(squares.shape, (axis,), (size,), (1,), (1,))
    factor, term, power = [cast_to(np.array(n), wide.dtype)[()] for n in (alpha / size, bias, beta)]
    scale = combine_windows(squares, windows, np.add) * factor + term
    return narrow(wide / scale**power, x)
