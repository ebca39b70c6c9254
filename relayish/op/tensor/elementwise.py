"""Functions of single elements of one tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, Unpack

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.domains.property import Property
from relayish.ir.values.dtype import DType, get_lowest_number, numpy_dtype
from relayish.numeric.elementary import round_half_away, sigmoid
from relayish.numeric.error_function import erf
from relayish.numeric.precision import is_whole, narrow, widen
from relayish.op.declaration.properties import MixedPrecision, OpPattern, ResultMemory
from relayish.op.declaration.record import Record
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import keep_layout
from relayish.op.types.type_rules import identity, identity_comparison
from relayish.op.values.evaluation import Array, Parameters, apply_into


@attrs("relay.attrs.ClipAttrs")
class ClipAttrs(Attrs):
    """Attributes of ``clip``."""

    a_min: float
    a_max: float


Evaluation = Callable[[Parameters, Array], Array]


def _make_error(name: str, data: Array, expected: str) -> EvaluationError:
    return EvaluationError(f"{name} of {data.dtype} is not defined; expected {expected}")


def _require_float(name: str, function: Callable[[Array], Array]) -> Evaluation:
    """Return the evaluation of a function that is defined on floating point numbers only."""

    def evaluation(_: Parameters, data: Array) -> Array:
        if is_whole(data.dtype):
            raise _make_error(name, data, "a floating point type")
        return function(data)

    return evaluation


def _skip_integers(function: Callable[[Array], Array]) -> Evaluation:
    """Return the evaluation of a function that leaves integers as they are."""
    return lambda _, data: data if is_whole(data.dtype) else function(data)


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
        return predicate(data.astype(np.int64) if is_whole(data.dtype) else data)

    return evaluation


def _rsqrt(data: Array) -> Array:
    return data.dtype.type(1) / np.sqrt(data)


def _sign(data: Array) -> Array:
    if data.dtype.kind == "b":
        return data
    return (data > 0).astype(data.dtype) - (data < 0).astype(data.dtype)


def _identity(_: Parameters, data: Array) -> Array:
    return data


def _clip(attrs: ClipAttrs, data: Array) -> Array:
    low, high = attrs.a_min, attrs.a_max
    if not is_whole(data.dtype):
        kind = data.dtype.type
        return np.minimum(np.maximum(data, kind(low)), kind(high))
    if math.isnan(low) or math.isnan(high):
        raise EvaluationError(f"integers cannot be clipped between {low} and {high}")
    wide = data if data.dtype.itemsize == 8 else data.astype(np.int64)
    limits = np.iinfo(wide.dtype)
    least, most = (int(min(max(b, limits.min), limits.max)) for b in (low, high))
    return np.minimum(np.maximum(wide, least), most).astype(data.dtype)


def _sigmoid_into(_: Parameters, out: Array, data: Array) -> Array:
    return sigmoid(data, out)


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


_OF_FLOATS: Final[tuple[tuple[str, str, np.ufunc], ...]] = (
    ("log2", "Take the logarithm to base 2 of each element.", np.log2),
    ("log10", "Take the logarithm to base 10 of each element.", np.log10),
    ("tan", "Take the tangent of each element.", np.tan),
    ("asin", "Take the inverse sine of each element.", np.arcsin),
    ("acos", "Take the inverse cosine of each element.", np.arccos),
    ("atan", "Take the inverse tangent of each element.", np.arctan),
    ("sinh", "Take the hyperbolic sine of each element.", np.sinh),
    ("cosh", "Take the hyperbolic cosine of each element.", np.cosh),
    ("asinh", "Take the inverse hyperbolic sine of each element.", np.arcsinh),
    ("acosh", "Take the inverse hyperbolic cosine of each element.", np.arccosh),
    ("atanh", "Take the inverse hyperbolic tangent of each element.", np.arctanh),
)
for _name, _summary, _ufunc in _OF_FLOATS:
    _declare(_name, _summary, evaluate=_require_float(_name, _ufunc))

_NEVER, _FOLLOW = MixedPrecision.NEVER, MixedPrecision.FOLLOW
# The fast ones are approximations; computed exactly, they are better still.
_IN_MEMORY: Final[tuple[tuple[str, str, np.ufunc, MixedPrecision | None], ...]] = (
    ("exp", "Raise e to the power of each element.", np.exp, _NEVER),
    ("log", "Take the natural logarithm of each element.", np.log, None),
    ("sqrt", "Take the square root of each element.", np.sqrt, _FOLLOW),
    ("sin", "Take the sine of each element.", np.sin, None),
    ("cos", "Take the cosine of each element.", np.cos, None),
    ("tanh", "Take the hyperbolic tangent of each element.", np.tanh, _FOLLOW),
    ("fast_exp", "Approximate e to the power of each element.", np.exp, _FOLLOW),
    ("fast_tanh", "Approximate the hyperbolic tangent of each element.", np.tanh, _FOLLOW),
)
"""Functions of floating point numbers that write into memory there is."""
for _name, _summary, _ufunc, _precision in _IN_MEMORY:
    _declare(
        _name,
        _summary,
        evaluate=_require_float(_name, _ufunc),
        result_memory=ResultMemory(into=apply_into(_ufunc)),
        mixed_precision=_precision,
    )

_declare(
    "rsqrt",
    "Take one over the square root of each element.",
    evaluate=_require_float("rsqrt", lambda data: narrow(_rsqrt(widen(data)), data)),
    result_memory=ResultMemory(into=_rsqrt_into),
)
_declare(
    "sigmoid",
    "Take 1 / (1 + exp(-x)) of each element x.",
    evaluate=_require_float("sigmoid", lambda data: narrow(sigmoid(widen(data)), data)),
    result_memory=ResultMemory(into=_sigmoid_into),
    mixed_precision=_FOLLOW,
)
_declare(
    "erf",
    "Take the error function of each element.",
    evaluate=_require_float("erf", erf),
    mixed_precision=_NEVER,
)
_declare(
    "fast_erf",
    "Approximate the error function of each element.",
    evaluate=_require_float("fast_erf", erf),
    mixed_precision=_FOLLOW,
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
    evaluate=_skip_integers(round_half_away),
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
for _name, _summary, _predicate in (
    ("isnan", "Say of each element whether it is no number.", np.isnan),
    ("isfinite", "Say of each element whether it is a finite number.", np.isfinite),
    ("isinf", "Say of each element whether it is infinite.", np.isinf),
):
    _declare(
        _name,
        _summary,
        shapes="data (...) -> (...) bool",
        rule=identity_comparison,
        properties=Property.BOOLEAN,
        evaluate=_ask(_predicate),
    )

register_op(
    "clip",
    arguments=("data",),
    signature="a, a_min, a_max",
    description="""
    Bring elements that are too small or large to the nearest bound; to a_max, if a_min is larger.
    a (...) -> (...)
    """,
    rule=identity,
    evaluate=_clip,
    pattern=OpPattern.ELEMWISE,
    result_memory=ResultMemory(into=_clip_into),
    mixed_precision=_convert_clip,
    infer_layout=keep_layout,
)
