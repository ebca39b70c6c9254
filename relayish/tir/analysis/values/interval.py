"""Intervals of integers and of floats, and how arithmetic of the loop IR acts on them.

Both are closed and never empty. What they hold are mathematical numbers; :func:`wrap` brings the
result of exact arithmetic back into the range of a type, as integers of a width do. Intervals of
integers are those of :mod:`relayish.dataflow.lattice.interval`; here all have bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from relayish.dataflow.lattice.interval import Interval
from relayish.tir.ir.operators import integer_range
from relayish.tir.ir.type import Type


class FloatInterval(NamedTuple):
    """The numbers from ``low`` to ``high``, infinities included, and NaN if ``nan``.

    Signed zeros are not told apart, as comparisons do not.
    """

    low: float = -math.inf
    high: float = math.inf
    nan: bool = True

    def hull(self, other: FloatInterval) -> FloatInterval:
        """Return the smallest interval that covers both."""
        nan = self.nan or other.nan
        return FloatInterval(min(self.low, other.low), max(self.high, other.high), nan)


ANY_FLOAT: Final = FloatInterval()
AnyInterval: TypeAlias = Interval | FloatInterval


@lru_cache(maxsize=1024)
def type_range(ty: Type) -> Interval:
    """Return the interval of all values of an integer type, or of the elements of a vector type."""
    return Interval(*integer_range(ty))


def wrap(exact: Interval, ty: Type) -> Interval:
    """Return what values of ``exact`` become when they are cut to the width of ``ty``.

    Example:
        >>> from relayish.tir.ir.type import UInt
        >>> wrap(Interval(250, 260), UInt(8)), wrap(Interval(256, 260), UInt(8))
        (Interval(low=0, high=255), Interval(low=0, high=4))
    """
    whole = type_range(ty)
    if whole.covers(exact):
        return exact
    size = whole.high - whole.low + 1
    turns = (exact.low - whole.low) // size
    if (exact.high - whole.low) // size != turns:
        return whole
    return Interval(exact.low - turns * size, exact.high - turns * size)


def wrap_integer(value: int, ty: Type) -> int:
    """Return the value of integer type ``ty`` that has the low bits of ``value``."""
    low, high = type_range(ty)
    return low + (value - low) % (high - low + 1)


def float_of(values: AnyInterval, ty: Type) -> FloatInterval:
    """Return what numbers become when they are rounded to the nearest of a float type."""
    low, high = values[:2]
    if isinstance(values, Interval):
        low, high = _few_bits(values.low), -_few_bits(-values.high)
    with np.errstate(all="ignore"):
        low, high = _round(low, ty), _round(high, ty)
    if math.isnan(low) or math.isnan(high):  # the type has no infinity
        return ANY_FLOAT
    return FloatInterval(low, high, isinstance(values, FloatInterval) and values.nan)


def float_corners(
    operator: Callable[[Any, Any], Any], a: FloatInterval, b: FloatInterval, ty: Type
) -> FloatInterval:
    """Return the values of an operator that is monotone in each operand, rounded to ``ty``.

    Rounding is monotone, so the corners bound all others. A corner that is NaN tells nothing.
    """
    made: Any = ty.numpy.type  # Any: the scalars of one numpy type
    with np.errstate(all="ignore"):
        found = [float(operator(made(x), made(y))) for x in a[:2] for y in b[:2]]
    if any(math.isnan(value) for value in found):
        return ANY_FLOAT
    return FloatInterval(min(found), max(found), a.nan or b.nan)


def _few_bits(value: int) -> int:
    """Return ``value``, or one below it that a float32 holds, so that it is rounded only once."""
    spare = max(0, value.bit_length() - 24)
    return value if value.bit_length() <= 53 else value >> spare << spare


def _round(value: float, ty: Type) -> float:
    made: Any = ty.numpy.type  # Any: the scalars of one numpy type
    try:
        return float(made(value))
    except OverflowError:  # an integer beyond all floats
        return math.inf if value > 0 else -math.inf
