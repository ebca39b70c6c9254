"""Elementary functions of each element that numpy lacks; all are of floating-point numbers."""

from __future__ import annotations

import numpy as np

from relayish.numeric.precision import Array


def sigmoid(x: Array, out: Array | None = None) -> Array:
    """Return the logistic function; an exponential that overflows makes it 0, as it is there.

    It is computed in ``out``, which may be ``x``, or in a new array.
    """
    y: Array = np.asarray(np.negative(x, out=out))
    np.exp(y, out=y)
    y += 1
    return np.asarray(np.divide(1, y, out=y))


def softplus(x: Array) -> Array:
    """Return ``log(exp(x) + 1)``, none of whose exponentials overflows."""
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))))


def elu(x: Array, alpha: float) -> Array:
    """Return the exponential linear unit: ``x``, ``alpha * (exp(x) - 1)`` where it is negative."""
    return np.asarray(np.maximum(x, 0) + np.expm1(np.minimum(x, 0)) * x.dtype.type(alpha))


def scale_negative(x: Array, slope: Array) -> Array:
    """Return numbers of any kind, times ``slope`` where they are negative.

    Adding what is above and below 0, one of which is 0, takes less time than choosing.
    """
    if not np.isfinite(slope).all():
        return np.where(x < 0, x * slope, x)
    zero = x.dtype.type(0)
    return np.asarray(np.maximum(x, zero) + np.minimum(x, zero) * slope)


def round_half_away(x: Array) -> Array:
    """Return numbers rounded, halves away from zero."""
    whole = np.trunc(x)
    step = (np.abs(x - whole) >= x.dtype.type(0.5)).astype(x.dtype)
    return np.where(np.isfinite(x), whole + np.copysign(step, x), x)
