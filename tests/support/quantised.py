"""Quantised numbers for tests, and what is computed of them exactly, in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np


def f32(value):
    return np.float32(value)


def i32(value):
    return np.int32(value)


def integers(seed, *shape, dtype="int8"):
    limits = np.iinfo(dtype if np.dtype(dtype).itemsize < 4 else "int16")
    rng = np.random.default_rng([seed, *shape])
    return rng.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)


def half_away(value):
    """Round a fraction, halves away from zero."""
    whole = math.floor(abs(value) + Fraction(1, 2))
    return whole if value >= 0 else -whole


def times(value, ratio, *, upward=True):
    """Multiply an integer by a positive float in 31 bits, exactly and then rounded once."""
    fraction, exponent = math.frexp(ratio)
    multiplier = half_away(Fraction(fraction) * 2**31)
    exact = Fraction(value * multiplier) * Fraction(2) ** (exponent - 31)
    return math.floor(exact + Fraction(1, 2)) if upward else half_away(exact)


def requantized(value, scale, zero, to_scale, to_zero, *, upward=True):
    ratio = float(f32(scale)) / float(f32(to_scale))
    return times(int(value) - int(zero), ratio, upward=upward) + int(to_zero)


def clipped(values, dtype):
    limits = np.iinfo(dtype)
    flat = [min(max(int(v), limits.min), limits.max) for v in np.asarray(values, object).ravel()]
    return np.array(flat, dtype).reshape(np.shape(values))
