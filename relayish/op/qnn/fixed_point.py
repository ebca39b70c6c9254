"""Multiplying integers by real numbers, in integers: a fraction of 31 bits and a shift."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.numeric.elementary import round_half_away
from relayish.numeric.quantization import spread_scale
from relayish.op.qnn.configuration import current_requantize_config
from relayish.op.values.evaluation import Array

FRACTION_BITS: Final = 31
LARGEST_SHIFT: Final = 62
"""Shifted further to the right, what is a product of 31 bits and 31 is nothing."""


def fixed_point(factor: Array) -> tuple[Array, Array]:
    """Return ``factor``, float64, as integers of 31 bits, and how far their product is shifted.

    A shift of 0 or less is one to the left.
    """
    fraction, exponent = np.frexp(factor)
    multiplier = round_half_away(fraction * float(1 << FRACTION_BITS)).astype(np.int64)
    return multiplier, FRACTION_BITS - exponent.astype(np.int64)


def multiply(value: Array, factor: Array, *, upward: bool = True) -> Array:
    """Return ``value * factor`` as integers.

    Args:
        value: Integers of 32 bits, held in int64.
        factor: float64, broadcasts to ``value``; what is beyond 31 bits of it does not count.
        upward: Whether halves go up; else they go away from zero.
    """
    multiplier, right = fixed_point(factor)
    product = value * multiplier
    shift = np.clip(right, 1, LARGEST_SHIFT)
    half = np.int64(1) << (shift - 1)
    if not upward:
        half = half - (product < 0)
    shifted = np.where(right > LARGEST_SHIFT, 0, (product + half) >> shift)
    if np.all(right > 0):
        return shifted
    grown = np.ldexp(product.astype(np.float64), np.maximum(-right, 0).astype(np.int32))
    limit = float(1 << LARGEST_SHIFT)
    return np.where(right > 0, shifted, np.clip(grown, -limit, limit).astype(np.int64))


def rescale(
    value: Array,
    input_scale: Array,
    output_scale: Array,
    axis: int,
    *,
    rounding: str = "None",
    compute_dtype: str = "None",
) -> Array:
    """Return what stands at ``output_scale`` for the integers ``value`` at ``input_scale``.

    Args:
        value: int64, its zero point taken away already.
        input_scale: A scalar, or a vector along ``axis``.
        output_scale: A scalar.
        axis: See ``input_scale``.
        rounding: ``UPWARD``, where halves go up, or ``TONEAREST``, where they go away from zero.
            ``None`` is what :func:`.requantize_config` says.
        compute_dtype: ``int64``, ``float32`` or ``float64``; ``None`` as for ``rounding``.
    """
    rounding, compute_dtype = current_requantize_config().choose(rounding, compute_dtype)
    upward = rounding != "TONEAREST"
    ratio = np.asarray(input_scale, np.float64) / np.asarray(output_scale, np.float64)
    if np.all(ratio == 1):
        return value
    factor = spread_scale(ratio, value, axis)
    if compute_dtype not in ("float32", "float64"):
        return multiply(value, factor, upward=upward)
    kind = np.dtype(compute_dtype).type
    real = value.astype(kind) * factor.astype(kind)
    whole = np.floor(real + kind(0.5)) if upward else round_half_away(real)
    limit = float(1 << LARGEST_SHIFT)
    return np.clip(whole.astype(np.float64), -limit, limit).astype(np.int64)
