"""Intervals of integers and of floats, and how arithmetic of the loop IR acts on them.

Both are closed and never empty. What they hold are mathematical numbers; :func:`wrap` brings the
result of exact arithmetic back into the range of a type, as integers of a width do.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from relayish.tir.ir.operators import integer_range
from relayish.tir.ir.type import Type


class Interval(NamedTuple):
    """The integers from ``low`` to ``high``, both included. Truth values are 0 and 1.

    Example:
        >>> Interval(0, 3).hull(Interval(7, 9)), Interval(0, 3).meet(Interval(7, 9))
        (Interval(low=0, high=9), None)
    """

    low: int
    high: int

    @property
    def is_point(self) -> bool:
        """Whether it holds one integer only."""
        return self.low == self.high

    def holds(self, value: int) -> bool:
        """Return whether ``value`` is in it."""
        return self.low <= value <= self.high

    def covers(self, other: Interval) -> bool:
        """Return whether all of ``other`` is in it."""
        return self.low <= other.low and other.high <= self.high

    def hull(self, other: Interval) -> Interval:
        """Return the smallest interval that covers both."""
        return Interval(min(self.low, other.low), max(self.high, other.high))

    def meet(self, other: Interval) -> Interval | None:
        """Return what is in both; ``None`` where nothing is."""
        low, high = max(self.low, other.low), min(self.high, other.high)
        return Interval(low, high) if low <= high else None


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
FALSE: Final = Interval(0, 0)
TRUE: Final = Interval(1, 1)
EITHER: Final = Interval(0, 1)

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


def add(a: Interval, b: Interval) -> Interval:
    """Return the exact sums."""
    return Interval(a.low + b.low, a.high + b.high)


def sub(a: Interval, b: Interval) -> Interval:
    """Return the exact differences."""
    return Interval(a.low - b.high, a.high - b.low)


def mul(a: Interval, b: Interval) -> Interval:
    """Return the exact products."""
    corners = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
    return Interval(min(corners), max(corners))


def scale(a: Interval, factor: int) -> Interval:
    """Return the exact products with one number."""
    if factor < 0:
        return Interval(a.high * factor, a.low * factor)
    return Interval(a.low * factor, a.high * factor)


def div(a: Interval, b: Interval) -> Interval | None:
    """Return the quotients rounded towards zero; ``None`` if every divisor is zero."""
    found: list[int] = []
    for low, high in ((b.low, min(b.high, -1)), (max(b.low, 1), b.high)):
        if low <= high:
            found += [truncated_quotient(x, y) for x in a for y in (low, high)]
    return Interval(min(found), max(found)) if found else None


def mod(a: Interval, b: Interval) -> Interval | None:
    """Return the remainders of :func:`div`; ``None`` if every divisor is zero."""
    most = max(abs(b.low), abs(b.high)) - 1
    if most < 0:
        return None
    if b.is_point and (a.low >= 0 or a.high <= 0):
        divisor = b.low
        if truncated_quotient(a.low, divisor) == truncated_quotient(a.high, divisor):
            return Interval(
                truncated_remainder(a.low, divisor), truncated_remainder(a.high, divisor)
            )
    return Interval(max(-most, min(a.low, 0)), min(most, max(a.high, 0)))


def smaller(a: Interval, b: Interval) -> Interval:
    """Return the values of ``Min``."""
    return Interval(min(a.low, b.low), min(a.high, b.high))


def larger(a: Interval, b: Interval) -> Interval:
    """Return the values of ``Max``."""
    return Interval(max(a.low, b.low), max(a.high, b.high))


def truncated_quotient(a: int, b: int) -> int:
    """Return ``a / b`` rounded towards zero."""
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def truncated_remainder(a: int, b: int) -> int:
    """Return the remainder of :func:`truncated_quotient`, which has the sign of ``a``."""
    remainder = abs(a) % abs(b)
    return -remainder if a < 0 else remainder


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


def hull_of(intervals: Iterable[Interval]) -> Interval:
    """Return the smallest interval that covers all of some, one at least."""
    lows, highs = zip(*intervals, strict=True)
    return Interval(min(lows), max(highs))


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
