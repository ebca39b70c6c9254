"""Quantised numbers: multiples of a scale, counted from a zero point, in a narrow element type."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.axes import align, normalise_axis
from relayish.numeric.precision import Array, ElementType, is_fractional, is_native, widen


def spread_scale(scale: Array, x: Array, axis: int, block_size: int = 0) -> Array:
    """Return a scale or zero point with a shape that broadcasts to that of ``x``.

    Args:
        scale: One number, one for each index of ``axis``, or one for each block along ``axis``.
        x: What it belongs to.
        axis: The axis; negative ones count from the back.
        block_size: How many elements a block has; 0 where there are no blocks.

    Raises:
        EvaluationError: If ``scale`` has another shape than these.
    """
    if scale.size == 1 and (not block_size or scale.ndim < 2):
        return scale.reshape(())
    at = normalise_axis(axis, x.ndim)
    if not block_size:
        if scale.shape != (x.shape[at],):
            raise EvaluationError(
                f"a scale or zero point has shape {scale.shape}, the input {x.shape}; expected "
                f"one number, or {x.shape[at]} for axis {axis}"
            )
        return align(scale, at, x.ndim)
    expected = (*x.shape[:at], -(-x.shape[at] // block_size), *x.shape[at + 1 :])
    if scale.shape != expected:
        raise EvaluationError(
            f"a scale or zero point has shape {scale.shape}; expected {expected}, one number for "
            f"each {block_size} elements along axis {axis} of {x.shape}"
        )
    spread = np.repeat(scale, block_size, at)
    return spread[(slice(None),) * at + (slice(0, x.shape[at]),)]


def convert_saturated(x: Array, target: ElementType, *, saturate: bool = True) -> Array:
    """Return numbers as ``target``, what lies outside of its range as its ends.

    What is to be integers is rounded before; NaN is 0 there. Where ``saturate`` is false,
    eight-bit floating-point numbers that are too great become infinite, or NaN where there is no
    infinity.
    """
    import ml_dtypes  # noqa: PLC0415 - it takes as long to load as a family of operators

    if is_fractional(target):
        if is_native(target) or (not saturate and target.name.startswith("float8")):
            return x.astype(target)
        limit = float(ml_dtypes.finfo(target).max)  # type: ignore[no-untyped-call]
        return np.clip(x, -limit, limit).astype(target)
    information = ml_dtypes.iinfo(target)  # type: ignore[no-untyped-call]
    low, high = int(information.min), int(information.max)
    if x.dtype.kind == "f" and np.isnan(x).any():
        x = np.nan_to_num(x, nan=0.0, posinf=np.inf, neginf=-np.inf)
    wide = np.clip(x, low, high)
    return (wide if is_native(target) else wide.astype(np.int8)).astype(target)


def subtract_zero_point(x: Array, zero: Array | None) -> Array:
    """Return ``x - zero``, exact: as int32 of integers of up to 16 bits, float32 of fractions."""
    wide = x.astype(np.float32 if is_fractional(x.dtype) else np.int32)
    return wide if zero is None else wide - zero.astype(wide.dtype)


def requantize(total: Array, factor: Array, zero: Array) -> Array:
    """Return ``total * factor + zero``, rounded and saturated to the element type of ``zero``."""
    product = total.astype(np.float32, copy=False) * widen(factor)
    if not is_fractional(zero.dtype):
        product = np.rint(product)
    return convert_saturated(product + zero.astype(np.float32), zero.dtype)
