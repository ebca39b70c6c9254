"""Operators that look at one element of one tensor at a time."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attrs import Attrs, attrs
from relayish.ir.dtype import DType, numpy_dtype
from relayish.ir.relay.type import TensorType, Type
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import keep_layout
from relayish.op.types.dimension import compare, show_shape, show_type
from relayish.op.types.dimension import normalise_axis as checked_axis
from relayish.op.types.type_rules import identity, identity_comparison, tensor
from relayish.op.values.error_function import erf
from relayish.op.values.evaluation import (
    Array,
    Parameters,
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


_FLOATING: dict[str, Callable[[Array], Array]] = {
    "exp": np.exp,
    "log": np.log,
    "log2": np.log2,
    "log10": np.log10,
    "sqrt": np.sqrt,
    "rsqrt": lambda data: apply_widened(_rsqrt, data),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "erf": erf,
    "sigmoid": lambda data: apply_widened(_sigmoid, data),
    # The fast ones are approximations of these; computed exactly, they are better still.
    "fast_exp": np.exp,
    "fast_tanh": np.tanh,
    "fast_erf": erf,
}
_PREDICATES: dict[str, Callable[[Array], Array]] = {
    "isnan": np.isnan,
    "isfinite": np.isfinite,
    "isinf": np.isinf,
}
_KEEPING: dict[str, Callable[[Array], Array]] = {
    "abs": np.abs,
    "negative": lambda data: -data,
    "sign": _sign,
    "logical_not": np.logical_not,
    "bitwise_not": np.invert,
}
_OTHER: dict[str, Evaluation] = {
    **{name: _keep_dtype(name, function) for name, function in _KEEPING.items()},
    "ceil": _skip_integers(np.ceil),
    "floor": _skip_integers(np.floor),
    "trunc": _skip_integers(np.trunc),
    "round": _skip_integers(_half_away_from_zero),
    "copy": _identity,
    "zeros_like": lambda _, data: np.zeros(data.shape, data.dtype),
    "ones_like": lambda _, data: np.ones(data.shape, data.dtype),
}

for _name, _function in _FLOATING.items():
    register_op(
        _name,
        arguments=("data",),
        pattern=OpPattern.ELEMWISE,
        rule=identity,
        evaluate=_require_float(_name, _function),
    )
for _name, _evaluation in _OTHER.items():
    register_op(
        _name,
        arguments=("data",),
        pattern=OpPattern.ELEMWISE,
        rule=identity,
        evaluate=_evaluation,
    )
for _name, _predicate in _PREDICATES.items():
    register_op(
        _name,
        arguments=("data",),
        pattern=OpPattern.ELEMWISE,
        rule=identity_comparison,
        evaluate=_ask(_predicate),
    )

register_op(
    "clip",
    arguments=("data",),
    attrs_type=ClipAttrs,
    pattern=OpPattern.ELEMWISE,
    rule=identity,
    evaluate=_clip,
    infer_layout=keep_layout,
)
register_op(
    "cast",
    arguments=("data",),
    attrs_type=CastAttrs,
    pattern=OpPattern.ELEMWISE,
    rule=_cast_type,
    evaluate=_cast,
    infer_layout=keep_layout,
)
register_op(
    "reinterpret",
    arguments=("data",),
    attrs_type=CastAttrs,
    pattern=OpPattern.ELEMWISE,
    rule=_cast_type,
    evaluate=_reinterpret,
    infer_layout=keep_layout,
)
register_op(
    "cast_like",
    arguments=("data", "dtype_like"),
    pattern=OpPattern.ELEMWISE,
    rule=_cast_like_type,
    evaluate=_cast_like,
)
register_op(
    "fixed_point_multiply",
    arguments=("data",),
    attrs_type=FixedPointMultiplyAttrs,
    pattern=OpPattern.ELEMWISE,
    rule=identity,
    evaluate=_fixed_point_multiply,
    infer_layout=keep_layout,
)
register_op(
    "fixed_point_multiply_per_axis",
    arguments=("data", "fp_multiplier", "left_shift", "right_shift"),
    attrs_type=FixedPointMultiplyPerAxisAttrs,
    pattern=OpPattern.BROADCAST,
    rule=_fixed_point_multiply_per_axis_type,
    evaluate=_fixed_point_multiply_per_axis,
)
