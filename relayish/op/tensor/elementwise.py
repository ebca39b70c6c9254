"""Operators that look at one element of one tensor at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, Unpack

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attrs import Attrs, attrs
from relayish.ir.dtype import DType, get_lowest_number, numpy_dtype
from relayish.ir.relay.type import TensorType, Type
from relayish.op.declaration.properties import MixedPrecision, OpPattern, ResultMemory
from relayish.op.declaration.record import Record
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import keep_layout
from relayish.op.types.dimension import compare, show_shape, show_type
from relayish.op.types.dimension import normalise_axis as checked_axis
from relayish.op.types.result_size import bound_by_broadcast
from relayish.op.types.type_rules import identity, identity_comparison, tensor
from relayish.op.values.error_function import erf
from relayish.op.values.evaluation import (
    Array,
    Parameters,
    apply_into,
    apply_widened,
    cast_to,
    is_integral,
    normalise_axis,
)


@attrs("relay.attrs.ClipAttrs")
class ClipAttrs(Attrs):
    """Attributes of ``clip``."""

    a_min: float
    a_max: float


@attrs("relay.attrs.CastAttrs")
class CastAttrs(Attrs):
    """Attributes of ``cast``, ``reinterpret``."""

    dtype: DType


@attrs("relay.attrs.FixedPointMultiplyAttrs")
class FixedPointMultiplyAttrs(Attrs):
    """Attributes of ``fixed_point_multiply``."""

    multiplier: int
    shift: int


@attrs("relay.attrs.FixedPointMultiplyPerAxisAttrs")
class FixedPointMultiplyPerAxisAttrs(Attrs):
    """Attributes of ``fixed_point_multiply_per_axis``."""

    is_lshift_required: bool = False
    is_rshift_required: bool = False
    axes: tuple[int, ...]  # type: ignore[misc]  # required, given by name


Evaluation = Callable[[Parameters, Array], Array]


def _make_error(name: str, data: Array, expected: str) -> EvaluationError:
    return EvaluationError(f"{name} of {data.dtype} is not defined; expected {expected}")


def _require_float(name: str, function: Callable[[Array], Array]) -> Evaluation:
    """Return the evaluation of a function that is defined on floating point numbers only."""

    def evaluation(_: Parameters, data: Array) -> Array:
        if is_integral(data):
            raise _make_error(name, data, "a floating point type")
        return function(data)

    return evaluation


def _skip_integers(function: Callable[[Array], Array]) -> Evaluation:
    """Return the evaluation of a function that leaves integers as they are."""
    return lambda _, data: data if is_integral(data) else function(data)


def _keep_dtype(name: str, function: Callable[[Array], Array]) -> Evaluation:
    """Return the evaluation of a function whose result has the elements of its argument.

    What numpy gives another type, as for booleans and the narrowest integers, is taken back.
    """

    def evaluation(_: Parameters, data: Array) -> Array:
        try:
            result = function(data)
        except TypeError as error:
            raise _make_error(name, data, "another type; cast it") from error
        return result if result.dtype == data.dtype else result.astype(data.dtype)

    return evaluation


def _ask(predicate: Callable[[Array], Array]) -> Evaluation:
    """Return the evaluation of a question about floating point numbers, asked of any."""

    def evaluation(_: Parameters, data: Array) -> Array:
        return predicate(data.astype(np.int64) if is_integral(data) else data)

    return evaluation


def _sigmoid(data: Array) -> Array:
    one = data.dtype.type(1)
    return one / (one + np.exp(-data))


def _rsqrt(data: Array) -> Array:
    return data.dtype.type(1) / np.sqrt(data)


def _half_away_from_zero(data: Array) -> Array:
    whole = np.trunc(data)
    step = (np.abs(data - whole) >= data.dtype.type(0.5)).astype(data.dtype)
    return np.where(np.isfinite(data), whole + np.copysign(step, data), data)[()]


def _sign(data: Array) -> Array:
    if data.dtype.kind == "b":
        return data
    return (data > 0).astype(data.dtype) - (data < 0).astype(data.dtype)


def _identity(_: Parameters, data: Array) -> Array:
    return data


def _clip(attrs: ClipAttrs, data: Array) -> Array:
    low, high = attrs.a_min, attrs.a_max
    if not is_integral(data):
        kind = data.dtype.type
        return np.minimum(np.maximum(data, kind(low)), kind(high))
    if math.isnan(low) or math.isnan(high):
        raise EvaluationError(f"integers cannot be clipped between {low} and {high}")
    wide = data if data.dtype.itemsize == 8 else data.astype(np.int64)
    limits = np.iinfo(wide.dtype)
    least, most = (int(min(max(b, limits.min), limits.max)) for b in (low, high))
    return np.minimum(np.maximum(wide, least), most).astype(data.dtype)


def _cast(attrs: CastAttrs, data: Array) -> Array:
    return cast_to(data, numpy_dtype(attrs.dtype))


def _cast_like(_: Parameters, data: Array, like: Array) -> Array:
    return cast_to(data, like.dtype)


def _reinterpret(attrs: CastAttrs, data: Array) -> Array:
    dtype = numpy_dtype(attrs.dtype)
    if dtype.itemsize != data.dtype.itemsize:
        raise EvaluationError(
            f"{data.dtype} cannot be reinterpreted as {attrs.dtype}; expected a type of "
            f"{8 * data.dtype.itemsize} bits"
        )
    return data.view(dtype)


def _fixed_point_multiply(attrs: FixedPointMultiplyAttrs, data: Array) -> Array:
    left, right = max(attrs.shift, 0), max(-attrs.shift, 0)
    total = 31 + right
    if total > 63:
        return np.zeros_like(data)
    product = (data.astype(np.int64) << left) * attrs.multiplier
    return ((product + (1 << (total - 1))) >> total).astype(data.dtype)


def _fixed_point_multiply_per_axis(
    attrs: FixedPointMultiplyPerAxisAttrs, data: Array, multiplier: Array, left: Array, right: Array
) -> Array:
    axes = tuple(normalise_axis(axis, data.ndim) for axis in attrs.axes)
    apart = [data.shape[axis] if axis in axes else 1 for axis in range(data.ndim)]
    factor, up, down = (
        values.transpose(np.argsort(axes)).reshape(apart).astype(np.int64)
        for values in (multiplier, left, right)
    )
    wide = data.astype(np.int64)
    product = (wide << up if attrs.is_lshift_required else wide) * factor
    total = 31 + down if attrs.is_rshift_required else np.int64(31)
    found = (product + (np.int64(1) << (total - 1))) >> total
    return np.where(total > 63, 0, found).astype(data.dtype)


def _cast_type(attrs: CastAttrs, data: Type) -> TensorType:
    return TensorType(tensor(data).shape, attrs.dtype)


def _cast_like_type(_: Parameters, data: Type, like: Type) -> TensorType:
    return TensorType(tensor(data).shape, tensor(like, "dtype_like").dtype)


def _fixed_point_multiply_per_axis_type(
    attrs: FixedPointMultiplyPerAxisAttrs, data: Type, multiplier: Type, left: Type, right: Type
) -> TensorType:
    found = tensor(data, "data")
    sizes = [found.shape[checked_axis(axis, len(found.shape))] for axis in attrs.axes]
    for ty, what in (
        (multiplier, "fp_multiplier"),
        (left, "left_shift"),
        (right, "right_shift"),
    ):
        given = tensor(ty, what, rank=len(sizes))
        if any(compare(one, other) is False for one, other in zip(given.shape, sizes, strict=True)):
            raise TypeInferenceError(
                f"{what} must have the sizes {show_shape(sizes)} of the axes {attrs.axes} of the "
                f"data; found {show_type(given)}"
            )
    return found


def _sigmoid_into(_: Parameters, out: Array, data: Array) -> Array:
    one = data.dtype.type(1)
    np.exp(np.negative(data, out=out), out=out)
    return np.divide(one, np.add(one, out, out=out), out=out)


def _rsqrt_into(_: Parameters, out: Array, data: Array) -> Array:
    return np.divide(data.dtype.type(1), np.sqrt(data, out=out), out=out)


def _clip_into(attrs: ClipAttrs, out: Array, data: Array) -> Array:
    kind = data.dtype.type
    return np.minimum(np.maximum(data, kind(attrs.a_min), out=out), kind(attrs.a_max), out=out)


def _convert_clip(call: Any, dtype: DType) -> tuple[MixedPrecision, DType, DType]:  # Any: a call
    """Keep bounds that the narrow type does not hold: there they would be infinite."""
    reach = -get_lowest_number(numpy_dtype(dtype))
    fits = max(abs(call.attrs.a_min), abs(call.attrs.a_max)) <= reach
    return MixedPrecision.FOLLOW if fits else MixedPrecision.NEVER, dtype, dtype


_SAME: Final = "data (...) -> (...), of the element type of the data"


def _declare(name: str, summary: str, shapes: str = _SAME, **told: Unpack[Record]) -> None:
    """Declare a function of single elements."""
    record: Record = {
        "description": f"{summary}\n{shapes}",
        "pattern": OpPattern.ELEMWISE,
        "rule": identity,
        **told,
    }
    register_op(name, arguments=("data",), **record)


def _declare_float(
    name: str, summary: str, function: Callable[[Array], Array], **told: Unpack[Record]
) -> None:
    """Declare a function that is defined on floating point numbers only."""
    record: Record = {"evaluate": _require_float(name, function), **told}
    _declare(name, summary, **record)


_declare_float(
    "exp",
    "Raise e to the power of each element.",
    np.exp,
    result_memory=ResultMemory(into=apply_into(np.exp)),
    mixed_precision=MixedPrecision.NEVER,
)
_declare_float(
    "log",
    "Take the natural logarithm of each element.",
    np.log,
    result_memory=ResultMemory(into=apply_into(np.log)),
)
_declare_float("log2", "Take the logarithm to base 2 of each element.", np.log2)
_declare_float("log10", "Take the logarithm to base 10 of each element.", np.log10)
_declare_float(
    "sqrt",
    "Take the square root of each element.",
    np.sqrt,
    result_memory=ResultMemory(into=apply_into(np.sqrt)),
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare_float(
    "rsqrt",
    "Take one over the square root of each element.",
    lambda data: apply_widened(_rsqrt, data),
    result_memory=ResultMemory(into=_rsqrt_into),
)
_declare_float(
    "sin",
    "Take the sine of each element.",
    np.sin,
    result_memory=ResultMemory(into=apply_into(np.sin)),
)
_declare_float(
    "cos",
    "Take the cosine of each element.",
    np.cos,
    result_memory=ResultMemory(into=apply_into(np.cos)),
)
_declare_float("tan", "Take the tangent of each element.", np.tan)
_declare_float("asin", "Take the inverse sine of each element.", np.arcsin)
_declare_float("acos", "Take the inverse cosine of each element.", np.arccos)
_declare_float("atan", "Take the inverse tangent of each element.", np.arctan)
_declare_float("sinh", "Take the hyperbolic sine of each element.", np.sinh)
_declare_float("cosh", "Take the hyperbolic cosine of each element.", np.cosh)
_declare_float(
    "tanh",
    "Take the hyperbolic tangent of each element.",
    np.tanh,
    result_memory=ResultMemory(into=apply_into(np.tanh)),
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare_float("asinh", "Take the inverse hyperbolic sine of each element.", np.arcsinh)
_declare_float("acosh", "Take the inverse hyperbolic cosine of each element.", np.arccosh)
_declare_float("atanh", "Take the inverse hyperbolic tangent of each element.", np.arctanh)
_declare_float(
    "erf", "Take the error function of each element.", erf, mixed_precision=MixedPrecision.NEVER
)
_declare_float(
    "sigmoid",
    "Take 1 / (1 + exp(-x)) of each element x.",
    lambda data: apply_widened(_sigmoid, data),
    result_memory=ResultMemory(into=_sigmoid_into),
    mixed_precision=MixedPrecision.FOLLOW,
)
# The fast ones are approximations of these; computed exactly, they are better still.
_declare_float(
    "fast_exp",
    "Approximate e to the power of each element.",
    np.exp,
    result_memory=ResultMemory(into=apply_into(np.exp)),
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare_float(
    "fast_tanh",
    "Approximate the hyperbolic tangent of each element.",
    np.tanh,
    result_memory=ResultMemory(into=apply_into(np.tanh)),
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare_float(
    "fast_erf",
    "Approximate the error function of each element.",
    erf,
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare(
    "abs",
    "Take the absolute value of each element.",
    evaluate=_keep_dtype("abs", np.abs),
    result_memory=ResultMemory(into=apply_into(np.abs)),
)
_declare(
    "negative",
    "Change the sign of each element.",
    evaluate=_keep_dtype("negative", lambda data: -data),
    result_memory=ResultMemory(into=apply_into(np.negative)),
)
_declare("sign", "Take the sign of each element: -1, 0 or 1.", evaluate=_keep_dtype("sign", _sign))
_declare(
    "logical_not",
    "Say of each element whether it is false.",
    shapes="data (...) bool -> (...) bool",
    evaluate=_keep_dtype("logical_not", np.logical_not),
)
_declare(
    "bitwise_not",
    "Turn around every bit of each element.",
    evaluate=_keep_dtype("bitwise_not", np.invert),
)
_declare("ceil", "Round each element up.", evaluate=_skip_integers(np.ceil))
_declare("floor", "Round each element down.", evaluate=_skip_integers(np.floor))
_declare("trunc", "Round each element towards zero.", evaluate=_skip_integers(np.trunc))
_declare(
    "round",
    "Round each element to the nearest integer, halves away from zero or to even as numpy does.",
    evaluate=_skip_integers(_half_away_from_zero),
)
_declare("copy", "Copy a tensor.", evaluate=_identity, mixed_precision=MixedPrecision.FOLLOW)
_declare(
    "zeros_like",
    "Make zeros of the shape and element type of a tensor.",
    evaluate=lambda _, data: np.zeros(data.shape, data.dtype),
)
_declare(
    "ones_like",
    "Make ones of the shape and element type of a tensor.",
    evaluate=lambda _, data: np.ones(data.shape, data.dtype),
)
_declare(
    "isnan",
    "Say of each element whether it is no number.",
    shapes="data (...) -> (...) bool",
    rule=identity_comparison,
    evaluate=_ask(np.isnan),
)
_declare(
    "isfinite",
    "Say of each element whether it is a finite number.",
    shapes="data (...) -> (...) bool",
    rule=identity_comparison,
    evaluate=_ask(np.isfinite),
)
_declare(
    "isinf",
    "Say of each element whether it is infinite.",
    shapes="data (...) -> (...) bool",
    rule=identity_comparison,
    evaluate=_ask(np.isinf),
)

register_op(
    "clip",
    arguments=("data",),
    signature="a, a_min, a_max",
    description="""
    Bring elements that are too small or too large to the nearest bound.
    a (...) -> (...)
    """,
    attrs_type=ClipAttrs,
    rule=identity,
    evaluate=_clip,
    pattern=OpPattern.ELEMWISE,
    result_memory=ResultMemory(into=_clip_into),
    mixed_precision=_convert_clip,
    infer_layout=keep_layout,
)
register_op(
    "cast",
    arguments=("data",),
    description="""
    Convert the elements to another element type.
    data (...) -> (...) of dtype
    """,
    attrs_type=CastAttrs,
    rule=_cast_type,
    evaluate=_cast,
    result_size=bound_by_broadcast,
    pattern=OpPattern.ELEMWISE,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=keep_layout,
)
register_op(
    "reinterpret",
    arguments=("data",),
    description="""
    Read the bits of the elements as another element type of the same width.
    data (...) -> (...) of dtype
    """,
    attrs_type=CastAttrs,
    rule=_cast_type,
    evaluate=_reinterpret,
    result_size=bound_by_broadcast,
    pattern=OpPattern.ELEMWISE,
    infer_layout=keep_layout,
)
register_op(
    "cast_like",
    arguments=("data", "dtype_like"),
    description="""
    Convert the elements to the element type of another tensor.
    data (...); dtype_like (...) -> (...) of the element type of dtype_like
    """,
    rule=_cast_like_type,
    evaluate=_cast_like,
    result_size=bound_by_broadcast,
    pattern=OpPattern.ELEMWISE,
    mixed_precision=MixedPrecision.FOLLOW,
)
register_op(
    "fixed_point_multiply",
    arguments=("data",),
    description="""
    Multiply integers by a fixed-point number and shift, rounding halves up.
    data (...) int32 -> (...) int32
    """,
    attrs_type=FixedPointMultiplyAttrs,
    rule=identity,
    evaluate=_fixed_point_multiply,
    pattern=OpPattern.ELEMWISE,
    infer_layout=keep_layout,
)
register_op(
    "fixed_point_multiply_per_axis",
    arguments=("data", "fp_multiplier", "left_shift", "right_shift"),
    signature="x, y, lshift, rshift, is_lshift_required, is_rshift_required, axes",
    description="""
    Multiply integers by fixed-point numbers that vary along axes.
    x (...) int32; y factors with 31 bits behind the point, a vector; lshift shifts to the left,
        a vector; rshift shifts to the right, a vector -> (...) int32
    """,
    attrs_type=FixedPointMultiplyPerAxisAttrs,
    rule=_fixed_point_multiply_per_axis_type,
    evaluate=_fixed_point_multiply_per_axis,
    pattern=OpPattern.BROADCAST,
)
