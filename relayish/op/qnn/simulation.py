"""Quantising that leaves numbers floating point, to see what it costs."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attrs import Attrs, attrs
from relayish.ir.relay.type import IncompleteType, TensorType, Type
from relayish.op.dimension import show_type
from relayish.op.evaluation import Array
from relayish.op.nn.arguments import settle
from relayish.op.qnn.conversion import DequantizeAttrs
from relayish.op.qnn.fixed_point import rounded
from relayish.op.qnn.parameters import along, check_pair_along, check_scalar, quantised
from relayish.op.registry import OpPattern, register_op
from relayish.op.relation import TypeReporter
from relayish.op.type_rules import tensor

FLOATS: Final = ("float16", "float32", "float64")


@attrs("relay.attrs.SimulatedQuantizeAttrs")
class SimulatedQuantizeAttrs(Attrs):
    """Attributes of ``relay.op.annotation.simulated_quantize``, ``qnn.simulated_quantize``."""

    kind: int
    sign: bool = True
    rounding: str = "round"


_CODES: Final = {1: "int8", 2: "uint8", 3: "int32"}
"""Which integers a number stands for where a type is an argument; 0 is for none at all."""
_IDENTITY: Final = 0
_LAST_AXIS: Final = -1


def _simulated_quantize_type(
    _: SimulatedQuantizeAttrs,
    data: Type,
    out_dtype: Type,
    output_scale: Type,
    output_zero_point: Type,
) -> TensorType:
    return _simulated_type(data, out_dtype, output_scale, output_zero_point, "output", _LAST_AXIS)


def _simulated_dequantize_type(
    attrs: DequantizeAttrs,
    data: Type,
    in_dtype: Type,
    input_scale: Type,
    input_zero_point: Type,
) -> TensorType:
    return _simulated_type(data, in_dtype, input_scale, input_zero_point, "input", attrs.axis)


def _simulated_type(
    data: Type, code: Type, scale: Type, zero_point: Type, whose: str, axis: int
) -> TensorType:
    given = quantised(data, "data", FLOATS)
    check_scalar(code, "the code of a type", "int32")
    check_pair_along(scale, zero_point, whose, given, axis)
    return given


def _simulated_quantize(
    _: SimulatedQuantizeAttrs, data: Array, out_dtype: Array, scale: Array, zero_point: Array
) -> Array:
    name = _CODES.get(int(out_dtype.item()))
    if name is None:
        return data
    limits = np.iinfo(name)
    scaled = rounded(data / along(scale, _LAST_AXIS, data)) + along(zero_point, _LAST_AXIS, data)
    return np.clip(scaled, limits.min, limits.max).astype(data.dtype)


def _simulated_dequantize(
    attrs: DequantizeAttrs, data: Array, in_dtype: Array, scale: Array, zero_point: Array
) -> Array:
    if int(in_dtype.item()) not in _CODES:
        return data
    shifted = data - along(zero_point, attrs.axis, data)
    return (shifted * along(scale, attrs.axis, data)).astype(data.dtype)


def _annotated_relation(
    _: SimulatedQuantizeAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type | None:
    """Relate data with what says how to quantise it: three scalars."""
    if isinstance(types[0], IncompleteType):
        return None
    data = tensor(types[0], "data")
    if not data.shape:
        raise TypeInferenceError(f"data must have at least one dimension; found {show_type(data)}")
    for ty, what in zip(types[1:], ("dom_scale", "clip_min", "clip_max"), strict=True):
        settle(reporter, ty, TensorType((), "float32"), what)
    return data


def _annotated(
    attrs: SimulatedQuantizeAttrs, data: Array, dom_scale: Array, clip_min: Array, clip_max: Array
) -> Array:
    """Return ``data`` with the error that quantising it makes."""
    if attrs.kind == _IDENTITY:
        return data
    if not attrs.sign or attrs.rounding != "round":
        raise EvaluationError(
            f"only signed numbers are simulated, and rounding to the nearest; "
            f"found sign={attrs.sign}, rounding={attrs.rounding!r}"
        )
    clipped = np.maximum(np.minimum(data / dom_scale, clip_max), clip_min)
    return (rounded(clipped) * dom_scale).astype(data.dtype)


register_op(
    "qnn.simulated_quantize",
    arguments_=("data", "out_dtype", "output_scale", "output_zero_point"),
    attrs=SimulatedQuantizeAttrs,
    fuses=OpPattern.ELEMWISE,
    types=_simulated_quantize_type,
    evaluates=_simulated_quantize,
)
register_op(
    "qnn.simulated_dequantize",
    arguments_=("data", "in_dtype", "input_scale", "input_zero_point"),
    attrs=DequantizeAttrs,
    fuses=OpPattern.ELEMWISE,
    types=_simulated_dequantize_type,
    evaluates=_simulated_dequantize,
)
register_op(
    "relay.op.annotation.simulated_quantize",
    arguments_=("data", "dom_scale", "clip_min", "clip_max"),
    attrs=SimulatedQuantizeAttrs,
    fuses=OpPattern.ELEMWISE,
    relates=_annotated_relation,
    evaluates=_annotated,
)
