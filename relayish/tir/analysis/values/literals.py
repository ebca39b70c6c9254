"""Literals: their values, and exact arithmetic on them in their types.

Integers wrap around as they do when they run, floats are computed by numpy in their width. What
faults has no value, and neither has what gives a NaN, whose bits no literal tells.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.dataflow.lattice.interval import truncated_quotient, truncated_remainder
from relayish.tir.analysis.values.interval import wrap_integer
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.type import BOOL, Type

Number: TypeAlias = "int | float"

TRUE: Final = ops.UIntImm(1, BOOL)
FALSE: Final = ops.UIntImm(0, BOOL)


@lru_cache(maxsize=1024)
def range_of(given: Type) -> tuple[int, int] | None:
    """Return the least and the greatest value of a type of integers, truth values included.

    Returns:
        ``None`` for all other types.
    """
    return ops.integer_range(given) if given.is_integer else None


@lru_cache(maxsize=1024)
def is_arithmetic(given: Type) -> bool:
    """Return whether values of a type are scalar integers that wrap around."""
    return given.lanes == 1 and given.is_integer and not given.is_bool


def value_of(expr: Expr) -> Number | None:
    """Return the value of a literal, a float rounded to its type; ``None`` for all else."""
    if isinstance(expr, (ops.IntImm, ops.UIntImm)):
        return expr.value
    if isinstance(expr, ops.FloatImm):
        return _rounded(expr.value, expr.dtype)
    return None


def element_of(expr: Expr) -> Number | None:
    """Return the value of a literal, or of each element of a vector of equal ones."""
    return value_of(expr.value if isinstance(expr, ops.Broadcast) else expr)


def is_number(expr: Expr, value: Number) -> bool:
    """Return whether ``expr`` is the literal ``value``, or a vector of it; the sign of 0 counts."""
    found = element_of(expr)
    if found is None or found != value:
        return False
    return math.copysign(1, found) == math.copysign(1, value)


def make_literal(value: Number, given: Type) -> Expr:
    """Return the literal of ``value`` in a type that holds it; a vector of it, if it has lanes."""
    scalar = given.scalar
    literal: Expr
    if scalar.is_float:
        literal = ops.FloatImm(float(value), scalar)
    elif scalar.is_int:
        literal = ops.IntImm(int(value), scalar)
    else:
        literal = ops.UIntImm(int(value), scalar)
    return literal if given.lanes == 1 else ops.Broadcast(literal, given.lanes)


def compute(kind: type[Expr], a: Number, b: Number, given: Type) -> Number | None:
    """Return the value of an operator on two values of type ``given``.

    Returns:
        ``None`` where it faults, is a NaN, or is not known to be computed alike everywhere.
    """
    comparison = _COMPARISONS.get(kind)
    if comparison is not None:
        return int(comparison(a, b))
    if given.is_bool:
        connective = _CONNECTIVES.get(kind)
        return None if connective is None else connective(int(a), int(b))
    if given.is_integer:
        exact = _INTEGERS.get(kind)
        value = None if exact is None else exact(int(a), int(b))
        return None if value is None else wrap_integer(value, given)
    rounded = _FLOATS.get(kind)
    if rounded is None or not given.is_float:
        return None
    make = given.numpy.type
    with np.errstate(all="ignore"):
        found = float(rounded(make(a), make(b)))
    return None if math.isnan(found) else found


def convert(value: Number, source: Type, target: Type) -> Number | None:
    """Return ``value`` cast from one type of numbers to another.

    Returns:
        ``None`` where the cast faults, or is of a NaN.
    """
    if math.isnan(value) and not target.is_bool:
        return None
    if target.is_bool:
        return int(value != 0)
    if target.is_float:
        return _rounded(value, target) if source.is_float else _rounded_integer(int(value), target)
    if not source.is_float:
        return wrap_integer(int(value), target)
    low, high = ops.integer_range(target)
    fits = math.isfinite(value) and low <= math.trunc(value) <= high
    return math.trunc(value) if fits else None


def _divide_exactly(a: int, b: int) -> int | None:
    return truncated_quotient(a, b) if b and a % b == 0 else None


def _rounded(value: Number, given: Type) -> float:
    with np.errstate(all="ignore"):
        return float(given.numpy.type(value))


def _rounded_integer(value: int, given: Type) -> float | None:
    """Return an integer as the interpreter rounds it; ``None`` if it is rounded twice on the way.

    Narrow types are made by way of wider ones, where numpy converts integers.
    """
    if abs(value) > 1 << 53 and given.element != "float64":
        return None
    return _rounded(value, given)


_COMPARISONS: Final[dict[type[Expr], Callable[[Number, Number], bool]]] = {
    ops.EQ: lambda a, b: a == b,
    ops.NE: lambda a, b: a != b,
    ops.LT: lambda a, b: a < b,
    ops.LE: lambda a, b: a <= b,
    ops.GT: lambda a, b: a > b,
    ops.GE: lambda a, b: a >= b,
}
_CONNECTIVES: Final[dict[type[Expr], Callable[[int, int], int]]] = {
    ops.And: lambda a, b: a & b,
    ops.Or: lambda a, b: a | b,
}
_INTEGERS: Final[dict[type[Expr], Callable[[int, int], int | None]]] = {
    ops.Add: lambda a, b: a + b,
    ops.Sub: lambda a, b: a - b,
    ops.Mul: lambda a, b: a * b,
    ops.Div: lambda a, b: truncated_quotient(a, b) if b else None,
    ops.Mod: lambda a, b: truncated_remainder(a, b) if b else None,
    ops.FracOp: _divide_exactly,
}
_FLOATS: Final[dict[type[Expr], Callable[[Any, Any], Any]]] = {  # Any: scalars of one numpy type
    ops.Add: operator.add,
    ops.Sub: operator.sub,
    ops.Mul: operator.mul,
    ops.Div: operator.truediv,
    ops.FracOp: operator.truediv,
}
