"""Operators on whole arrays: of the lanes of a vector, or of the iterations of loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.errors import DivisionByZeroError, InexactError
from relayish.numeric.precision import cast_to
from relayish.tir.interpreter.memory import Array
from relayish.tir.interpreter.numbers import round_to
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import integer_range
from relayish.tir.ir.type import Type

Binary: TypeAlias = Callable[[Any, Any], Any]  # Any: arrays, or scalars that are broadcast


def quotient(a: Array, b: Array) -> Array:
    """Return the quotients of integers, rounded towards zero."""
    if not np.all(b):
        raise DivisionByZeroError("a lane is divided by zero")
    found: Array = np.floor_divide(a - np.fmod(a, b), b)
    return found


def remainder(a: Array, b: Array) -> Array:
    """Return what these quotients leave."""
    if not np.all(b):
        raise DivisionByZeroError("the remainder of a lane by zero is asked for")
    found: Array = np.fmod(a, b)
    return found


def exact_quotient(a: Array, b: Array) -> Array:
    """Return the quotients of integers that are divisible."""
    found = quotient(a, b)
    if np.any(np.fmod(a, b)):
        raise InexactError("a lane is no multiple of its divisor, and FracOp of integers is exact")
    return found


def minimum(a: Any, b: Any) -> Array:  # Any: as in Binary
    """Return ``a`` where it is less, else ``b``."""
    found: Array = np.where(a < b, a, b)
    return found


def maximum(a: Any, b: Any) -> Array:  # Any: as in Binary
    """Return ``a`` where it is greater, else ``b``."""
    found: Array = np.where(a > b, a, b)
    return found


_FLOATS: Final[dict[type[ops.BinaryOpNode], Binary]] = {
    ops.Div: np.true_divide,
    ops.FracOp: np.true_divide,
    ops.Mod: np.fmod,
}
_INTEGERS: Final[dict[type[ops.BinaryOpNode], Binary]] = {
    ops.Div: quotient,
    ops.FracOp: exact_quotient,
    ops.Mod: remainder,
}
_BINARY: Final[dict[type[ops.BinaryOpNode], Binary]] = {
    ops.Add: np.add,
    ops.Sub: np.subtract,
    ops.Mul: np.multiply,
    ops.Min: minimum,
    ops.Max: maximum,
    ops.EQ: np.equal,
    ops.NE: np.not_equal,
    ops.LT: np.less,
    ops.LE: np.less_equal,
    ops.GT: np.greater,
    ops.GE: np.greater_equal,
    ops.And: np.logical_and,
    ops.Or: np.logical_or,
}


def binary(kind: type[ops.BinaryOpNode], given: Type) -> Binary:
    """Return what an operator does with arrays of elements of a type."""
    special = _FLOATS if given.is_float else _INTEGERS
    found = special[kind] if kind in special else _BINARY[kind]
    return _widely(found, given) if given.is_narrow else found


def _widely(found: Binary, given: Type) -> Binary:
    """Return an operator of integers of fewer than 8 bits, of which numpy knows some operators."""
    dtype = given.numpy

    def apply(a: Any, b: Any) -> Any:  # Any: as in Binary
        made = found(a.astype(np.int64), b.astype(np.int64))
        return made if made.dtype == bool else made.astype(dtype)

    return apply


def negated(value: Array) -> Array:
    """Return numbers with the other sign, in their type."""
    return np.negative(value).astype(value.dtype, copy=False)


def ramp(base: Any, stride: Any, lanes: int, dtype: np.dtype[Any]) -> Array:  # Any: numbers
    """Return ``base + lane * stride`` for each lane."""
    steps = np.arange(lanes).astype(dtype)
    found: Array = np.asarray([base], dtype) + steps * np.asarray([stride], dtype)
    return found


def spread(value: Any, lanes: int, dtype: np.dtype[Any]) -> Array:  # Any: a number
    """Return a vector of equal lanes."""
    return np.full(lanes, value, dtype)


def caster(source: Type, target: Type) -> Callable[[Array], Array]:
    """Return what converts arrays of elements of a type to another."""
    if target.is_bool:
        return lambda value: value != 0
    if source.is_float and target.is_integer:
        return lambda value: _truncate(value, target)
    if target.is_float:
        return round_to(target)
    return lambda value: cast_to(value, target.numpy)


def _truncate(value: Array, target: Type) -> Array:
    low, high = integer_range(target)
    whole = np.trunc(value.astype(np.float64))
    # of 64 bits, the greatest integer is no float; all floats below its successor are less
    if not np.all((whole >= low) & (whole < float(high + 1))):
        raise InexactError(f"a lane is out of range of {target}, which is {low} to {high}")
    return whole.astype(target.numpy)
