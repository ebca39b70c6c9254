"""Quantising, dequantising and requantising."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.ir.values.dtype import DType, numpy_dtype
from relayish.numeric.elementary import round_half_away
from relayish.numeric.quantization import spread_scale
from relayish.op.declaration.properties import OpPattern
from relayish.op.layouts.quantised_rules import requantize_layouts
from relayish.op.qnn.declaration import declare_quantised
from relayish.op.qnn.fixed_point import rescale
from relayish.op.qnn.parameters import (
    SCALE,
    ZERO_POINT,
    check_dtype,
    check_pair_along,
    check_scalar,
    require_quantised,
    saturate,
)
from relayish.op.types.dimension import normalise_axis
from relayish.op.types.fields import OptionalDType
from relayish.op.values.evaluation import Array


@attrs("relay.attrs.QuantizeAttrs")
class QuantizeAttrs(Attrs):
    """Attributes of ``qnn.quantize``."""

    out_dtype: DType
    axis: int = -1


@attrs("relay.attrs.DequantizeAttrs")
class DequantizeAttrs(Attrs):
    """Attributes of ``qnn.dequantize``, ``qnn.simulated_dequantize``."""

    out_dtype: DType
    axis: int = -1


@attrs("relay.attrs.RequantizeAttrs")
class RequantizeAttrs(Attrs):
    """Attributes of ``qnn.requantize``."""

    axis: int = -1
    rounding: str = "None"
    compute_dtype: str = "None"
    out_dtype: OptionalDType = None


_DTYPES = ("int8", "uint8", "int16", "uint16", "int32")
_REQUANTISED = ("int8", "uint8", "int16", "int32")


def _quantize_type(
    attrs: QuantizeAttrs, data: Type, output_scale: Type, output_zero_point: Type
) -> TensorType:
    given = require_quantised(data, "data", ("float32", "float16"))
    check_pair_along(output_scale, output_zero_point, "output", given, attrs.axis)
    check_dtype(attrs.out_dtype, "the result", _DTYPES)
    return TensorType(given.shape, attrs.out_dtype)


def _quantize(attrs: QuantizeAttrs, data: Array, scale: Array, zero_point: Array) -> Array:
    return quantize(data, scale, zero_point, attrs.axis, attrs.out_dtype)


def quantize(data: Array, scale: Array, zero_point: Array, axis: int, dtype: str) -> Array:
    """Return floating point numbers as integers of ``dtype``, halves away from zero.

    What is too large becomes the largest one, and what is no number stands for 0.
    """
    whole = round_half_away(data / spread_scale(scale, data, axis)).astype(np.float64)
    shifted = np.nan_to_num(whole, nan=0, posinf=np.inf, neginf=-np.inf)
    return saturate(shifted + spread_scale(zero_point, data, axis), dtype)


def _dequantize_type(
    attrs: DequantizeAttrs, data: Type, input_scale: Type, input_zero_point: Type
) -> TensorType:
    given = require_quantised(data, "data", _DTYPES)
    check_pair_along(input_scale, input_zero_point, "input", given, attrs.axis)
    check_dtype(attrs.out_dtype, "the result", ("float32", "float16"))
    return TensorType(given.shape, attrs.out_dtype)


def _dequantize(attrs: DequantizeAttrs, data: Array, scale: Array, zero_point: Array) -> Array:
    return dequantize(data, scale, zero_point, attrs.axis).astype(numpy_dtype(attrs.out_dtype))


def dequantize(data: Array, scale: Array, zero_point: Array, axis: int = -1) -> Array:
    """Return the numbers that quantised ones stand for, as float32."""
    shifted = data.astype(np.int32) - spread_scale(zero_point, data, axis)
    return shifted.astype(np.float32) * spread_scale(scale, data, axis)


def _requantize_type(
    attrs: RequantizeAttrs,
    data: Type,
    input_scale: Type,
    input_zero_point: Type,
    output_scale: Type,
    output_zero_point: Type,
) -> TensorType:
    given = require_quantised(data, "data", (*_REQUANTISED, "int64"))
    if given.shape:
        normalise_axis(attrs.axis, len(given.shape))
    check_pair_along(input_scale, input_zero_point, "input", given, attrs.axis)
    check_scalar(output_scale, "output_scale", SCALE)
    check_scalar(output_zero_point, "output_zero_point", ZERO_POINT)
    out_dtype = attrs.out_dtype or "int8"
    check_dtype(out_dtype, "the result", _REQUANTISED)
    if attrs.rounding not in ("None", "UPWARD", "TONEAREST"):
        raise TypeInferenceError(f"rounding must be UPWARD or TONEAREST; found {attrs.rounding!r}")
    return TensorType(given.shape, out_dtype)


def _requantize(
    attrs: RequantizeAttrs,
    data: Array,
    input_scale: Array,
    input_zero_point: Array,
    output_scale: Array,
    output_zero_point: Array,
) -> Array:
    if attrs.compute_dtype not in ("None", "int64", "float32", "float64"):
        raise EvaluationError(
            f"no compute_dtype {attrs.compute_dtype!r}; expected int64, float32 or float64"
        )
    centred = data.astype(np.int64) - spread_scale(input_zero_point, data, attrs.axis)
    scaled = rescale(
        centred,
        input_scale,
        output_scale,
        attrs.axis,
        rounding=attrs.rounding,
        compute_dtype=attrs.compute_dtype,
    )
    return saturate(scaled + output_zero_point.astype(np.int64), attrs.out_dtype or "int8")


declare_quantised(
    "qnn.quantize",
    signature="data, output_scale, output_zero_point, axis=-1, out_dtype='int8'",
    description="""
    Quantise numbers: round(x / scale) + zero point.
    data (...) float32; output_scale () or (c,); output_zero_point () or (c,) int32 -> (...) of
        out_dtype
    """,
    rule=_quantize_type,
    evaluate=_quantize,
    pattern=OpPattern.ELEMWISE,
    quantizes=True,
    infer_layout=requantize_layouts,
)
declare_quantised(
    "qnn.dequantize",
    signature="data, input_scale, input_zero_point, axis=-1, out_dtype='float32'",
    description="""
    Turn quantised elements into numbers: (x - zero point) * scale.
    data (...) of integers; input_scale () or (c,); input_zero_point () or (c,) int32 -> (...)
        of out_dtype
    """,
    rule=_dequantize_type,
    evaluate=_dequantize,
    pattern=OpPattern.ELEMWISE,
    dequantizes=True,
    infer_layout=requantize_layouts,
)
declare_quantised(
    "qnn.requantize",
    signature=(
        "data, input_scale, input_zero_point, output_scale, output_zero_point, axis=-1, "
        "rounding='None', compute_dtype='None', out_dtype='int8'"
    ),
    description="""
    Turn elements quantised one way into elements quantised another way.
    data (...) of integers; input_scale () or (c,); input_zero_point () or (c,); output_scale
        (); output_zero_point () -> (...) of out_dtype
    """,
    rule=_requantize_type,
    evaluate=_requantize,
    pattern=OpPattern.ELEMWISE,
    infer_layout=requantize_layouts,
)
