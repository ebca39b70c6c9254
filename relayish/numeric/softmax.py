"""Softmax, and its logarithm, along an axis."""

from __future__ import annotations

import numpy as np

from relayish.numeric.precision import Array, narrow, widen


def softmax(x: Array, axis: int) -> Array:
    """Return the exponentials of ``x`` over their sum along ``axis``; nothing of nothing.

    None of them overflows; narrow floating-point numbers are rounded once.
    """
    powers = _less_maximum(widen(x), axis)
    np.exp(powers, out=powers)
    powers /= powers.sum(axis, keepdims=True)
    return narrow(powers, x)


def log_softmax(x: Array, axis: int) -> Array:
    """Return the logarithm of the :func:`softmax` of ``x`` along ``axis``."""
    shifted = _less_maximum(widen(x), axis)
    shifted -= np.log(np.exp(shifted).sum(axis, keepdims=True))
    return narrow(shifted, x)


def _less_maximum(x: Array, axis: int) -> Array:
    shifted: Array = np.asarray(x - x.max(axis, keepdims=True, initial=-np.inf))
    return shifted
