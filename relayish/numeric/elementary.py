"""Elementary functions of each element that numpy lacks; all are of floating-point numbers."""

from __future__ import annotations

import numpy as np

from relayish.numeric.precision import Array, narrow, widen


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


def scale_negative(x: Array, slope: Array, *, zero: bool = False) -> Array:
    """Return numbers of any kind, times ``slope`` where they are negative.

    Args:
        x: Numbers.
        slope: Broadcasts to them.
        zero: Whether 0 is multiplied, too, which tells where the slope is infinite or negative.
    """
    scaled = x * slope
    if ((slope > 0) & (slope <= 1)).all():  # the greater one: two steps, not four
        return np.asarray(np.maximum(x, scaled))
    return np.where(x > 0, x, scaled) if zero else np.where(x < 0, scaled, x)


def round_half_away(x: Array) -> Array:
    """Return numbers rounded, halves away from zero."""
    wide = widen(x)
    whole = np.trunc(wide)
    step = (np.abs(wide - whole) >= 0.5).astype(wide.dtype)
    return narrow(np.where(np.isfinite(wide), whole + np.copysign(step, wide), wide), x)
