"""Operators that make a tensor from nothing, or from a number."""

from __future__ import annotations

import math
from math import ceil
from typing import Any

import numpy as np

from relayish.errors import EvaluationError, RelayishError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.expr import Constant, Expr
from relayish.ir.relay.type import IncompleteType, TensorType, Type
from relayish.ir.values.dtype import DType
from relayish.numeric.precision import cast_to
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.declaration.relation import TypeReporter
from relayish.op.types.dimension import ANY, show_type
from relayish.op.types.fields import Dimension, OptionalDType
from relayish.op.types.type_rules import scalar, sizes, tensor
from relayish.op.values.evaluation import Array, Parameters, result_dtype


@attrs("relay.attrs.InitOpAttrs")
class InitOpAttrs(Attrs):
    """Attributes of ``broadcast_to``, ``full``, ``ones`` and others."""

    shape: tuple[int, ...] | None
    dtype: OptionalDType = None


@attrs("relay.attrs.ArangeAttrs")
class ArangeAttrs(Attrs):
    """Attributes of ``arange``."""

    start: Expr
    stop: Expr
    step: Expr
    dtype: DType


def _shape(attrs: InitOpAttrs) -> tuple[int, ...]:
    if attrs.shape is None:
        raise EvaluationError("the shape of the result is not given; set shape=(...)")
    return attrs.shape


def _zeros(attrs: InitOpAttrs) -> Array:
    return np.zeros(_shape(attrs), result_dtype(attrs.dtype, np.dtype(np.float32)))


def _ones(attrs: InitOpAttrs) -> Array:
    return np.ones(_shape(attrs), result_dtype(attrs.dtype, np.dtype(np.float32)))


def fill_tensor(
    shape: tuple[int, ...], value: Array, dtype: np.dtype[Any]
) -> Array:  # Any: its scalar class
    """Return a tensor of one number, cast to ``dtype``."""
    return np.full(shape, cast_to(value, dtype), dtype)


def _full(attrs: InitOpAttrs, fill_value: Array) -> Array:
    return fill_tensor(_shape(attrs), fill_value, result_dtype(attrs.dtype, fill_value.dtype))


def _full_like(_: object, data: Array, fill_value: Array) -> Array:
    return fill_tensor(data.shape, fill_value, data.dtype)


def count_steps(
    first: float, last: float, stride: float, refuses: type[RelayishError] = EvaluationError
) -> int:
    """Return how many numbers there are from ``first`` in steps of ``stride`` before ``last``.

    Raises:
        RelayishError: Of the class ``refuses``, if there is no such number.
    """
    if stride == 0:
        raise refuses("arange has step 0; expected another")
    if not all(math.isfinite(bound) for bound in (first, last, stride)):
        raise refuses(f"arange from {first} to {last} by {stride} does not end; expected numbers")
    if all(isinstance(bound, int) for bound in (first, last, stride)):
        return int(max(0, -((first - last) // stride)))
    return max(0, math.ceil((last - first) / stride))


def _arange(attrs: ArangeAttrs, start: Array, stop: Array, step: Array) -> Array:
    dtype = result_dtype(attrs.dtype, start.dtype)
    first, stride = start.item(), step.item()
    count = count_steps(first, stop.item(), stride)
    return cast_to(first + stride * np.arange(count), dtype)


def read_shape(attrs: InitOpAttrs) -> tuple[Dimension, ...]:
    """Return the shape that is asked for.

    Raises:
        TypeInferenceError: If none is, or a size is negative.
    """
    if attrs.shape is None:
        raise TypeInferenceError("the shape of the result is not given; set shape=(...)")
    return sizes(attrs.shape, "shape")


def _init_op_type(attrs: InitOpAttrs) -> TensorType:
    return TensorType(read_shape(attrs), attrs.dtype or "float32")


def _full_type(attrs: InitOpAttrs, fill_value: Type) -> TensorType:
    given = scalar(fill_value, "fill_value")
    return TensorType(read_shape(attrs), attrs.dtype or given.dtype)


def _full_like_type(_: Parameters, data: Type, fill_value: Type) -> TensorType:
    scalar(fill_value, "fill_value")
    return tensor(data, "data")


def _arange_relation(
    attrs: ArangeAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> TensorType:
    bound = TensorType((), attrs.dtype)
    for what, ty in zip(("start", "end", "step"), types, strict=True):
        if isinstance(ty, IncompleteType):
            reporter.assign(ty, bound)
        elif scalar(ty, what).dtype != attrs.dtype:
            raise TypeInferenceError(f"{what} is {show_type(ty)}; expected {show_type(bound)}")
    first, last, stride = (_number(expr) for expr in (attrs.start, attrs.stop, attrs.step))
    if first is None or last is None or stride is None:
        return TensorType((ANY,), attrs.dtype)
    return TensorType((count_steps(first, last, stride, TypeInferenceError),), attrs.dtype)


def _number(expr: Expr) -> float | None:
    """Return the number a constant holds, or ``None`` where it is known only when running."""
    if isinstance(expr, Constant) and isinstance(expr.data, np.generic):
        value: float = expr.data.item()
        return value
    return None


def _count_numbers(_: Parameters, *bounds: Array) -> int:
    if not all(np.isfinite(bound) for bound in bounds):
        return 0  # evaluating it says that it has no end
    from fractions import Fraction  # noqa: PLC0415 - it takes as long as a family of operators

    start, end, step = (Fraction(bound.item()) for bound in bounds)
    return max(0, ceil((end - start) / step)) if step else 0


register_op(
    "zeros",
    signature="shape, dtype='float32'",
    description="""
    Make zeros.
    shape sizes, or an expression for them -> shape
    """,
    rule=_init_op_type,
    evaluate=_zeros,
    pattern=OpPattern.ELEMWISE,
    mixed_precision=MixedPrecision.FOLLOW,
    chosen_dtype="dtype",
)
register_op(
    "ones",
    signature="shape, dtype='float32'",
    description="""
    Make ones.
    shape sizes, or an expression for them -> shape
    """,
    rule=_init_op_type,
    evaluate=_ones,
    pattern=OpPattern.ELEMWISE,
    chosen_dtype="dtype",
)
register_op(
    "full",
    description="""
    Fill a tensor with a number.
    fill_value () -> shape
    """,
    rule=_full_type,
    evaluate=_full,
    pattern=OpPattern.ELEMWISE,
    mixed_precision=MixedPrecision.FOLLOW,
    chosen_dtype="dtype",
)
register_op(
    "full_like",
    description="""
    Fill a tensor of the shape of another with a number.
    data (...); fill_value () -> (...)
    """,
    rule=_full_like_type,
    evaluate=_full_like,
    pattern=OpPattern.ELEMWISE,
)
register_op(
    "arange",
    arguments=("start", "end", "step"),
    description="""
    Make the numbers from start up to stop in steps.
    start (); stop (); step () -> (n,), n = ceil((stop - start) / step)
    """,
    relation=_arange_relation,
    evaluate=_arange,
    result_size=_count_numbers,
    mixed_precision=MixedPrecision.NEVER,
)
