"""Quantisation: numbers as multiples of a scale, counted from a zero point."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from relayish.numeric.precision import compute_dtype, is_fractional, narrow
from relayish.numeric.quantization import convert_saturated, spread_scale, subtract_zero_point
from relayish.onnx.element_types import find_numpy_dtype
from relayish.onnx.kernels.registry import Array, kernel


@kernel(
    "QuantizeLinear",
    since=(10, 13, 19, 21, 23, 24, 25, 28),
    added={"axis": 13, "saturate": 19, "output_dtype": 21, "block_size": 21, "precision": 23},
)
def quantize_linear(
    x: Array,
    y_scale: Array,
    y_zero_point: Array | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
    precision: int = 0,
    saturate: int = 1,
) -> Array:
    """Return ``x / y_scale + y_zero_point``, rounded to even and saturated.

    The quotient has the precision of ``y_scale`` unless ``precision`` says otherwise; the result
    the element type of the zero point, or ``output_dtype``, or else uint8.
    """
    target = np.dtype(np.uint8)
    if y_zero_point is not None:
        target = y_zero_point.dtype
    elif output_dtype:
        target = find_numpy_dtype(output_dtype)
    divided = _precision_of_quotient(y_scale, precision)
    computed = compute_dtype(divided) if is_fractional(divided) else np.dtype(np.float64)
    scale = spread_scale(y_scale, x, axis, block_size).astype(computed, copy=False)
    quotient = x.astype(divided, copy=False).astype(computed, copy=False) / scale
    quotient = quotient.astype(divided if is_fractional(divided) else computed, copy=False)
    wide = quotient.astype(np.result_type(computed, np.float32), copy=False)
    zero: Array | None = None
    if y_zero_point is not None and y_zero_point.astype(np.float32).any():
        zero = spread_scale(y_zero_point, x, axis, block_size).astype(wide.dtype)
    if not is_fractional(target):
        wide = np.rint(wide)
    return convert_saturated(wide if zero is None else wide + zero, target, saturate=bool(saturate))


def _precision_of_quotient(y_scale: Array, precision: int) -> np.dtype[Any]:  # Any: as values have
    if precision:
        return find_numpy_dtype(precision)
    if y_scale.dtype == ml_dtypes.float8_e8m0fnu:  # holds powers of two and nothing else
        return np.dtype(np.float32)
    return y_scale.dtype


@kernel(
    "DequantizeLinear",
    since=(10, 13, 19, 21, 23, 24, 25, 28),
    added={"axis": 13, "block_size": 21, "output_dtype": 23},
)
def dequantize_linear(
    x: Array,
    x_scale: Array,
    x_zero_point: Array | None = None,
    *,
    axis: int = 1,
    block_size: int = 0,
    output_dtype: int = 0,
) -> Array:
    """Return ``(x - x_zero_point) * x_scale`` in the element type of the scale, or another."""
    target = find_numpy_dtype(output_dtype) if output_dtype else x_scale.dtype
    computed = compute_dtype(target)
    difference = x.astype(computed)
    if x_zero_point is not None and x_zero_point.astype(np.float32).any():
        zero = spread_scale(x_zero_point, x, axis, block_size)
        difference = subtract_zero_point(x, zero).astype(computed)
    scale = spread_scale(x_scale, x, axis, block_size).astype(computed, copy=False)
    y: Array = np.multiply(difference, scale)
    return y.astype(target, copy=False)


@kernel("DynamicQuantizeLinear", since=(11,))
def dynamic_quantize_linear(x: Array) -> tuple[Array, Array, Array]:
    """Return ``x`` as uint8, with the scale and zero point by which its range fits, 0 included."""
    low = np.minimum(x.min(initial=0), 0).astype(x.dtype)
    high = np.maximum(x.max(initial=0), 0).astype(x.dtype)
    scale = narrow((high - low) / x.dtype.type(255), x)
    if scale == 0:
        return np.zeros(x.shape, np.uint8), scale, np.zeros((), np.uint8)
    zero = np.clip(np.rint(-low / scale), 0, 255)
    y = np.clip(np.rint(x / scale) + zero, 0, 255).astype(np.uint8)
    return y, scale, np.asarray(zero).astype(np.uint8)
