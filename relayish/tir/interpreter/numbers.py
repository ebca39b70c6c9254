"""Numbers as the interpreter holds them.

A scalar integer is a Python integer within the range of its type, a truth value a Python or numpy
truth value, a float a numpy scalar of its type; a vector is a numpy array of its lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np

from relayish._support.division import divide
from relayish.errors import DivisionByZeroError, InexactError, TypeConfusionError
from relayish.tir.interpreter.memory import Array
from relayish.tir.ir.operators import integer_range
from relayish.tir.ir.type import Type

_NATIVE: Final = ("float16", "float32", "float64")
_WIDE: Final = ("float64", "int64", "uint64", "int32", "uint32")


def wrap(value: int, given: Type) -> int:
    """Return the integer of a type that has the low bits of ``value``.

    Example:
        >>> wrap(200, Type("int8")), wrap(-1, Type("uint8"))
        (-56, 255)
    """
    low, _ = integer_range(given)
    return (value - low & (1 << given.bits) - 1) + low


def divide_exactly(a: int, b: int, high: int) -> int:
    """Return the quotient of what is divisible."""
    if b == 0:
        raise DivisionByZeroError(f"{a} is divided by zero")
    if a % b:
        raise InexactError(
            f"{a} is no multiple of {b}, and FracOp of integers is exact; use Div to round"
        )
    return divide(a, b, high)


def truncate(value: Any, given: Type) -> int:  # Any: a float of numpy's or ml_dtypes'
    """Return the integer of a type next to a float, towards zero."""
    low, high = integer_range(given)
    number = float(value)
    if number == number and abs(number) != float("inf"):  # noqa: PLR0124 - no NaN
        found = int(number)
        if low <= found <= high:
            return found
    raise InexactError(
        f"{value} is out of range of {given}, which is {low} to {high}; "
        f"guard the cast, or clamp the value"
    )


def round_to(given: Type) -> Callable[[Any], Any]:
    """Return the function that makes the nearest float of a type of an array or numpy scalar."""
    dtype = given.numpy
    if given.element in _NATIVE:
        return lambda value: value.astype(dtype)
    return lambda value: _round_once(value).astype(dtype)


def _round_once(value: Any) -> Any:  # Any: an array or a scalar
    """Return ``value`` as ``float32``, rounded so that rounding further rounds correctly.

    That is rounding to odd: what ``float32`` cannot hold ends in a one.
    """
    if value.dtype.name not in _WIDE:
        return value.astype(np.float32)
    near = np.asarray(value.astype(np.float32))
    if value.dtype.kind == "f":
        over, exact = np.abs(near) > np.abs(value), near == value
        finite = np.isfinite(near)
    else:
        back, finite = near.astype(np.longdouble), np.isfinite(near)
        over = np.abs(back) > np.abs(value.astype(np.longdouble))
        exact = back == value.astype(np.longdouble)
    bits = near.view(np.uint32).copy()
    inexact = finite & ~exact
    bits = np.where(inexact & over, bits - np.uint32(1), bits)  # towards zero
    bits = np.where(inexact, bits | np.uint32(1), bits).astype(np.uint32)
    return bits.view(np.float32)[()] if np.ndim(value) == 0 else bits.view(np.float32)


@lru_cache(maxsize=256)
def maker(given: Type) -> Callable[[Any], Any]:
    """Return the function that makes a number of numpy's, of the type, of a Python number."""
    if given.is_float and given.element not in _NATIVE:
        nearest = round_to(given)
        return lambda value: nearest(np.float64(value))
    return given.numpy.type


def literal(value: Any, given: Type) -> Any:  # Any: a number, in and out
    """Return a literal as the interpreter holds it.

    Raises:
        TypeConfusionError: If it is out of range of its type.
    """
    if given.is_integer:
        low, high = integer_range(given)
        if not low <= value <= high:
            raise TypeConfusionError(
                f"{value} is no literal of type {given}, which holds {low} to {high}"
            )
        return bool(value) if given.is_bool else int(value)
    with np.errstate(all="ignore"):
        return maker(given)(value)


def take(value: object, given: Type, what: str) -> Any:  # Any: a number or an array
    """Return a number or vector from outside as the interpreter holds it.

    Raises:
        TypeConfusionError: If it is none of that type.
    """
    if given.is_pointer or not given.is_numeric:
        raise TypeConfusionError(f"{what} is of type {given}, of which there are no values here")
    if given.lanes > 1:
        return _take_vector(value, given, what)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.generic):
        if value.dtype != given.numpy:
            raise TypeConfusionError(
                f"{what} is of type {given} and is given {value!r} of type {value.dtype}; "
                f"convert it"
            )
        return value if given.is_float else bool(value) if given.is_bool else int(value)
    if given.is_bool and isinstance(value, bool):
        return value
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not given.is_bool:
        if given.is_float:
            return literal(value, given)
        low, high = integer_range(given)
        if int(value) == value and low <= value <= high:
            return int(value)
    raise TypeConfusionError(
        f"{what} is of type {given} and is given {value!r} ({type(value).__name__}); expected a "
        f"number of that type"
    )


def _take_vector(value: object, given: Type, what: str) -> Array:
    shape, dtype = (given.lanes,), given.numpy
    if isinstance(value, np.ndarray) and value.shape == shape and value.dtype == dtype:
        return value.copy()
    raise TypeConfusionError(
        f"{what} is of type {given} and is given {value!r}; expected a numpy array of "
        f"{given.lanes} elements of type {given.element}"
    )


def hand_out(value: Any, given: Type) -> Any:  # Any: a number or an array, in and out
    """Return what the interpreter holds as numpy's scalar or array of the type."""
    if isinstance(value, np.ndarray) or not given.is_numeric or given.lanes > 1:
        return value
    return given.numpy.type(value)
