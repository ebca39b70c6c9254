"""Builders of expressions: variables, constants of a type, connectives and reductions."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from relayish.errors import FieldError, OperatorError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.kinds.one_line import one_line
from relayish.numeric.precision import is_native
from relayish.tir.ir import operators as ops
from relayish.tir.ir.expr import REDUCE_OPERATORS, Reduce
from relayish.tir.ir.flags import ReduceType
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.type import INT32, Type, TypeLike, as_type


def var(name: str, dtype: TypeLike = INT32) -> Var:
    """Return a new variable, a scalar of ``dtype``."""
    return Var(name, as_type(dtype))


def reduce_axis(name: str, upper: ops.Operand, lower: ops.Operand = 0) -> Var:
    """Return a new axis to reduce over, which runs over ``[lower, upper)``.

    Its type is that of the bounds, ``int32`` of numbers.

    Example:
        >>> k = reduce_axis("k", 20)
        >>> k.is_reduce_axis, k.upper_bound
        (True, IntImm(value=20, dtype=('int32', 1, 0, False)))
    """
    low, high = _as_operands(lower, upper)
    if low.type != high.type:
        raise OperatorError(
            f"axis {name!r} runs from {one_line(low)} of type {low.type} to {one_line(high)} of "
            f"type {high.type}; both must have one type: cast one"
        )
    return Var(name, low.type, low, high, is_reduce_axis=True)


def zero(dtype: TypeLike) -> Expr:
    """Return 0 of ``dtype``."""
    return ops.const(0, as_type(dtype))


def one(dtype: TypeLike) -> Expr:
    """Return 1 of ``dtype``."""
    return ops.const(1, as_type(dtype))


def min_value(dtype: TypeLike) -> Expr:
    """Return the least number of ``dtype``; of floats the least finite one.

    Raises:
        FieldError: If values of the type have no order, as truth values.
    """
    return ops.const(_extreme(as_type(dtype), 0), as_type(dtype))


def max_value(dtype: TypeLike) -> Expr:
    """Return the greatest number of ``dtype``; of floats the greatest finite one.

    Raises:
        FieldError: If values of the type have no order, as truth values.
    """
    return ops.const(_extreme(as_type(dtype), 1), as_type(dtype))


def epsilon(dtype: TypeLike) -> Expr:
    """Return the distance from 1 to the next greater number of ``dtype``; 0 of integers.

    Raises:
        FieldError: If the type is not one of numbers.
    """
    made = as_type(dtype)
    if made.is_float:
        return ops.const(_float_limits(made)[2], made)
    return zero(made)


def infinity(dtype: TypeLike) -> Expr:
    """Return infinity of ``dtype``, a type of floats.

    Raises:
        FieldError: If it is another type.
    """
    made = as_type(dtype)
    if not made.is_float:
        raise FieldError(f"only types of floats have an infinity; found {made}")
    return ops.const(np.inf, made)


def minimum(a: ops.Operand, b: ops.Operand) -> Expr:
    """Return ``Min(a, b)``; a number takes the type of the other operand."""
    return ops.binary(ops.Min, a, b)


def maximum(a: ops.Operand, b: ops.Operand) -> Expr:
    """Return ``Max(a, b)``; a number takes the type of the other operand."""
    return ops.binary(ops.Max, a, b)


def equal(a: ops.Operand, b: ops.Operand) -> Expr:
    """Return ``EQ(a, b)``, the comparison of values; a number takes the other operand's type."""
    return ops.binary(ops.EQ, a, b)


def not_equal(a: ops.Operand, b: ops.Operand) -> Expr:
    """Return ``NE(a, b)``, the comparison of values; a number takes the other operand's type."""
    return ops.binary(ops.NE, a, b)


def select(condition: ops.Operand, true_value: ops.Operand, false_value: ops.Operand) -> Expr:
    """Return ``Select``, which evaluates both values; a number takes the type of the other one.

    Raises:
        OperatorError: If the values are of two types.
    """
    chosen, other = _as_operands(true_value, false_value)
    if chosen.type != other.type:
        raise OperatorError(
            f"a selection is between {one_line(chosen)} of type {chosen.type} and "
            f"{one_line(other)} of type {other.type}; both must have one type: cast one"
        )
    return ops.Select(ops.as_expr(condition), chosen, other)


def logic_and(*conditions: ops.Operand) -> Expr:
    """Return whether all of ``conditions`` hold, all of which are evaluated.

    Raises:
        OperatorError: If there is none.
    """
    return _connect(ops.And, conditions)


def logic_or(*conditions: ops.Operand) -> Expr:
    """Return whether one of ``conditions`` holds, all of which are evaluated.

    Raises:
        OperatorError: If there is none.
    """
    return _connect(ops.Or, conditions)


def reduce_sum(e: ops.Operand, axes: Iterable[Var], init: ops.Operand | None = None) -> Reduce:
    """Return the sum of ``e`` over ``axes``, from ``init`` on, by default 0."""
    return make_reduce(ReduceType.SUM, e, axes, init)


def reduce_sub(e: ops.Operand, axes: Iterable[Var], init: ops.Operand) -> Reduce:
    """Return ``init`` less ``e`` for each value of ``axes``, one after the other."""
    return make_reduce(ReduceType.SUB, e, axes, init)


def reduce_mul(e: ops.Operand, axes: Iterable[Var], init: ops.Operand | None = None) -> Reduce:
    """Return the product of ``e`` over ``axes``, from ``init`` on, by default 1."""
    return make_reduce(ReduceType.MUL, e, axes, init)


def reduce_div(e: ops.Operand, axes: Iterable[Var], init: ops.Operand) -> Reduce:
    """Return ``init`` divided by ``e`` for each value of ``axes``, one after the other."""
    return make_reduce(ReduceType.DIV, e, axes, init)


def reduce_max(e: ops.Operand, axes: Iterable[Var], init: ops.Operand | None = None) -> Reduce:
    """Return the maximum of ``e`` over ``axes`` and ``init``, by default the least number."""
    return make_reduce(ReduceType.MAX, e, axes, init)


def reduce_min(e: ops.Operand, axes: Iterable[Var], init: ops.Operand | None = None) -> Reduce:
    """Return the minimum of ``e`` over ``axes`` and ``init``, by default the greatest number."""
    return make_reduce(ReduceType.MIN, e, axes, init)


def reduce_all(e: ops.Operand, axes: Iterable[Var], init: ops.Operand | None = None) -> Reduce:
    """Return whether ``e`` holds for all values of ``axes``, and ``init``, by default true."""
    return make_reduce(ReduceType.ALL, e, axes, init)


def reduce_any(e: ops.Operand, axes: Iterable[Var], init: ops.Operand | None = None) -> Reduce:
    """Return whether ``e`` holds for one value of ``axes``, or ``init``, by default false."""
    return make_reduce(ReduceType.ANY, e, axes, init)


def make_reduce(
    kind: ReduceType, e: ops.Operand, axes: Iterable[Var], init: ops.Operand | None = None
) -> Reduce:
    """Return the reduction of ``e`` by ``kind`` over ``axes``.

    Args:
        kind: What is done with each value.
        e: The value, in which the axes occur.
        axes: Variables that :func:`reduce_axis` makes; the last one runs fastest.
        init: What it begins with; by default the identity of ``kind``.

    Raises:
        OperatorError: If ``init`` is of another type than ``e``, or an axis has no bounds.
        FieldError: If there is no ``init`` and ``kind`` has no identity for such values.
    """
    body, over = ops.as_expr(e), tuple(axes)
    first = reduce_identity(kind, body.type) if init is None else ops.as_expr(init, body.type)
    if first.type != body.type:
        raise OperatorError(
            f"a reduction of {one_line(body)} of type {body.type} begins with {one_line(first)} "
            f"of type {first.type}; both must have one type: cast one"
        )
    for axis in over:
        if axis.lower_bound is None or axis.upper_bound is None:
            raise OperatorError(
                f"axis {axis.name!r} of a reduction has no bounds; make it by "
                f"reduce_axis({axis.name!r}, upper)"
            )
    return Reduce(kind, first, body, over)


def reduce_step(kind: ReduceType, value: Expr, e: Expr) -> Expr:
    """Return what a reduction by ``kind`` makes of the ``value`` so far and the next, ``e``."""
    return REDUCE_OPERATORS[kind](value, e)


def reduce_identity(kind: ReduceType, dtype: TypeLike) -> Expr:
    """Return what changes nothing where it is combined by ``kind``: 0 of sums, 1 of products.

    Raises:
        FieldError: If there is none, as of differences and quotients.
    """
    made = as_type(dtype)
    match kind:
        case ReduceType.SUM:
            return zero(made)
        case ReduceType.MUL:
            return one(made)
        case ReduceType.MAX:
            return min_value(made)
        case ReduceType.MIN:
            return max_value(made)
        case ReduceType.ALL | ReduceType.ANY if made.is_bool:
            return ops.const(kind is ReduceType.ALL, made)
    raise FieldError(
        f"a reduction of {made} by {kind.value} has no identity to begin with; give it an init"
    )


def as_attrs(attrs: Mapping[str, object] | None) -> DictAttrs | None:
    """Return attributes as nodes hold them."""
    return None if attrs is None else DictAttrs(attrs)


def _as_operands(a: ops.Operand, b: ops.Operand) -> tuple[Expr, Expr]:
    """Return both as expressions, a number as a literal of the type of the other."""
    left = a if isinstance(a, Expr) else ops.as_expr(a, b.type if isinstance(b, Expr) else None)
    return left, ops.as_expr(b, left.type)


def _connect(kind: type[ops.BinaryOpNode], conditions: Sequence[ops.Operand]) -> Expr:
    if not conditions:
        raise OperatorError(f"{kind.__name__} is given no condition; expected one or more")
    first, *rest = conditions
    return functools.reduce(lambda a, b: ops.binary(kind, a, b), rest, ops.as_expr(first))


def _extreme(made: Type, which: int) -> float:
    """Return the least number of a type, or the greatest where ``which`` is 1."""
    if made.is_bool or not made.is_numeric:
        raise FieldError(f"values of type {made} have no least and no greatest; expected numbers")
    return _float_limits(made)[which] if made.is_float else ops.integer_range(made)[which]


def _float_limits(made: Type) -> tuple[float, float, float]:
    """Return the least and the greatest finite number of a type, and its epsilon."""
    held = made.numpy
    limits: Any = np.finfo(held) if is_native(held) else _extended_limits(held)  # Any: of both
    return float(limits.min), float(limits.max), float(limits.eps)


def _extended_limits(held: np.dtype[np.generic]) -> object:
    import ml_dtypes  # noqa: PLC0415 - loaded only for the element types numpy lacks

    return ml_dtypes.finfo(held)  # type: ignore[no-untyped-call]
