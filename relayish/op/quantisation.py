"""What quantising, dequantising and requantising compute.

A real number ``r`` is stored as the integer ``q`` for which ``r = scale * (q - zero_point)``. Scale
and zero point are scalars, or vectors along ``axis``. Requantising works in integers, as Relay's
lowering of it does: the ratio of the scales becomes a 31-bit fraction and a shift.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.dtype import numpy_dtype
from relayish.op.evaluation import Array, aligned
from relayish.op.qnn import DequantizeAttrs, QuantizeAttrs, RequantizeAttrs
from relayish.op.registry import evaluate, get_op, list_ops, quantized

_FRACTION_BITS = 31


def _along(parameter: Array, axis: int, data: Array) -> Array:
    """Return a scale or zero point so shaped that it broadcasts along ``axis`` of ``data``."""
    return parameter if parameter.ndim == 0 else aligned(parameter, axis, data.ndim)


def _stored(value: Array, dtype: str | None) -> Array:
    """Return ``value`` clipped to the range of an integer type, in that type."""
    target: np.dtype[Any] = numpy_dtype(dtype or "int8")
    if target.kind not in "iu":
        raise EvaluationError(f"cannot quantise to {dtype}; expected an integer type")
    limits = np.iinfo(target)
    return np.clip(value, limits.min, limits.max).astype(target)


def _quantize(attrs: QuantizeAttrs, data: Array, scale: Array, zero_point: Array) -> Array:
    scaled = data / _along(scale, attrs.axis, data)
    rounded = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)  # halves go away from zero
    shifted = rounded.astype(np.int64) + _along(zero_point, attrs.axis, data)
    return _stored(shifted, attrs.out_dtype)


def _dequantize(attrs: DequantizeAttrs, data: Array, scale: Array, zero_point: Array) -> Array:
    shifted = data.astype(np.int32) - _along(zero_point, attrs.axis, data)
    real = shifted.astype(np.float32) * _along(scale, attrs.axis, data)
    return real.astype(numpy_dtype(attrs.out_dtype or "float32"))


def _requantize(
    attrs: RequantizeAttrs,
    data: Array,
    input_scale: Array,
    input_zero_point: Array,
    output_scale: Array,
    output_zero_point: Array,
) -> Array:
    centred = data.astype(np.int64) - _along(input_zero_point, attrs.axis, data)
    ratio = np.asarray(input_scale, np.float64) / np.asarray(output_scale, np.float64)
    if np.all(ratio == 1.0):
        scaled = centred
    else:
        scaled = _multiply_fixed_point(
            centred, _along(ratio, attrs.axis, data), upward=attrs.rounding != "TONEAREST"
        )
    return _stored(scaled + output_zero_point.astype(np.int64), attrs.out_dtype)


def _multiply_fixed_point(value: Array, factor: Array, *, upward: bool) -> Array:
    """Return ``value * factor`` in integers; halves go up, or away from zero."""
    fraction, exponent = np.frexp(factor)
    multiplier = np.rint(fraction * (1 << _FRACTION_BITS)).astype(np.int64)
    carried = multiplier == 1 << _FRACTION_BITS
    multiplier = np.where(carried, multiplier >> 1, multiplier)
    exponent = (exponent + carried).astype(np.int64)
    left, right = np.maximum(exponent, 0), _FRACTION_BITS - np.minimum(exponent, 0)
    product = (value << left) * multiplier
    half = np.int64(1) << (right - 1)
    if not upward:
        half = np.where(product < 0, half - 1, half)
    return (product + half) >> right


evaluate.set(get_op("qnn.quantize"), _quantize)
evaluate.set(get_op("qnn.dequantize"), _dequantize)
evaluate.set(get_op("qnn.requantize"), _requantize)

for _name in list_ops():
    if _name.startswith("qnn."):
        quantized.set(get_op(_name), value=True)
