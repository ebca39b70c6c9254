"""Quantising that leaves numbers floating point, to see what it costs."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.errors import EvaluationError, OperatorError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.type import IncompleteType, TensorType, Type
from relayish.numeric.elementary import round_half_away
from relayish.numeric.quantization import spread_scale
from relayish.op.builders.builder import custom_builder
from relayish.op.builders.call import relay_call
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.declaration.relation import TypeReporter
from relayish.op.layouts.quantised_rules import requantize_layouts
from relayish.op.layouts.rules import keep_layout
from relayish.op.nn.arguments import settle
from relayish.op.qnn.conversion import DequantizeAttrs
from relayish.op.qnn.parameters import check_pair_along, check_scalar, require_quantised
from relayish.op.types.dimension import show_type
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array

FLOATS: Final = ("float16", "float32", "float64")


@attrs("relay.attrs.SimulatedQuantizeAttrs")
class SimulatedQuantizeAttrs(Attrs):
    """Attributes of ``relay.op.annotation.simulated_quantize``."""

    kind: int
    sign: bool = True
    rounding: str = "round"


@attrs("relay.qnn.attrs.SimulatedQuantizeAttrs")
class SimulatedAttrs(Attrs):
    """Attributes of ``qnn.simulated_quantize``, for which Relay claims the key above again."""

    axis: int = -1


CODES: Final = {1: "int8", 2: "uint8", 3: "int32"}
"""Which integers a number stands for where a type is an argument; 0 is for none at all."""
_IDENTITY: Final = 0


def _simulated_quantize_type(
    attrs: SimulatedAttrs,
    data: Type,
    out_dtype: Type,
    output_scale: Type,
    output_zero_point: Type,
) -> TensorType:
    return _simulated_type(data, out_dtype, output_scale, output_zero_point, "output", attrs.axis)


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
    given = require_quantised(data, "data", FLOATS)
    check_scalar(code, "the code of a type", "int32")
    check_pair_along(scale, zero_point, whose, given, axis)
    return given


def _simulated_quantize(
    attrs: SimulatedAttrs,
    data: Array,
    out_dtype: Array,
    output_scale: Array,
    output_zero_point: Array,
) -> Array:
    name = CODES.get(int(out_dtype.item()))
    if name is None:
        return data
    limits = np.iinfo(name)
    steps = round_half_away(data / spread_scale(output_scale, data, attrs.axis))
    scaled = steps + spread_scale(output_zero_point, data, attrs.axis)
    return np.clip(scaled, limits.min, limits.max).astype(data.dtype)


def _simulated_dequantize(
    attrs: DequantizeAttrs,
    data: Array,
    in_dtype: Array,
    input_scale: Array,
    input_zero_point: Array,
) -> Array:
    if int(in_dtype.item()) not in CODES:
        return data
    shifted = data - spread_scale(input_zero_point, data, attrs.axis)
    return (shifted * spread_scale(input_scale, data, attrs.axis)).astype(data.dtype)


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


def _annotate(
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
    return (round_half_away(clipped) * dom_scale).astype(data.dtype)


register_op(
    "qnn.simulated_quantize",
    description="""
    Quantise numbers, leaving them of their element type.
    data (...) float32; out_dtype () int32, a number for the element type; output_scale () or
        (c,); output_zero_point () or (c,) -> (...) float32
    """,
    rule=_simulated_quantize_type,
    evaluate=_simulated_quantize,
    pattern=OpPattern.ELEMWISE,
    quantized=True,
    infer_layout=requantize_layouts,
)
register_op(
    "qnn.simulated_dequantize",
    description="""
    Undo a simulated quantisation.
    data (...) float32; in_dtype () int32, a number for the element type; input_scale () or
        (c,); input_zero_point () or (c,) -> (...) float32
    """,
    rule=_simulated_dequantize_type,
    evaluate=_simulated_dequantize,
    pattern=OpPattern.ELEMWISE,
    quantized=True,
    infer_layout=requantize_layouts,
)
register_op(
    "relay.op.annotation.simulated_quantize",
    description="""
    Round numbers as quantisation would.
    data (...); dom_scale (); clip_min (); clip_max () -> (...)
    """,
    aliases=("annotation.simulated_quantize",),
    relation=_annotated_relation,
    evaluate=_annotate,
    pattern=OpPattern.ELEMWISE,
    infer_layout=keep_layout,
)


_CODE_OF: Final = {"disable": 0} | {name: code for code, name in CODES.items()}


def _code(dtype: Expr | str) -> Expr:
    """Return the argument that stands for the name of an element type."""
    if isinstance(dtype, Expr):
        return dtype
    if dtype not in _CODE_OF:
        raise OperatorError(f"{dtype!r} cannot be simulated; expected one of {', '.join(_CODE_OF)}")
    return const(_CODE_OF[dtype], "int32")


@custom_builder("qnn.simulated_quantize")
def simulated_quantize(
    data: Expr,
    output_scale: Expr,
    output_zero_point: Expr,
    axis: int = -1,
    out_dtype: Expr | str = "int8",
) -> Call:
    """Return ``data`` as quantisation to ``out_dtype`` would leave it, a name or its code."""
    return relay_call(
        "qnn.simulated_quantize", data, _code(out_dtype), output_scale, output_zero_point, axis=axis
    )


@custom_builder("qnn.simulated_dequantize")
def simulated_dequantize(
    data: Expr,
    input_scale: Expr,
    input_zero_point: Expr,
    axis: int = -1,
    in_dtype: Expr | str = "int8",
) -> Call:
    """Return what ``data`` quantised to ``in_dtype`` stands for, a name or its code."""
    return relay_call(
        "qnn.simulated_dequantize",
        data,
        _code(in_dtype),
        input_scale,
        input_zero_point,
        axis=axis,
        out_dtype="float32",
    )
