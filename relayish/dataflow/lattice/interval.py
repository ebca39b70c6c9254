"""Intervals of integers, and exact arithmetic on those that have bounds.

Arithmetic on any, also on those without bounds and on none, is in :mod:`.interval_arithmetic`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, NamedTuple, cast

INFINITE: Final = cast("int", math.inf)
"""The bound of what has none. No integer, but type checkers know of nothing that is either."""


class Interval(NamedTuple):
    """The integers from ``low`` to ``high``, both included. Truth values are 0 and 1.

    A side without a bound has an infinity, :data:`INFINITE` or its negative, which compares with
    integers and adds to them as one would have it.

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

    @property
    def is_bounded(self) -> bool:
        """Whether it holds finitely many integers."""
        return self.low > -INFINITE and self.high < INFINITE

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


FALSE: Final = Interval(0, 0)
TRUE: Final = Interval(1, 1)
EITHER: Final = Interval(0, 1)


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


def hull_of(intervals: Iterable[Interval]) -> Interval:
    """Return the smallest interval that covers all of some, one at least."""
    lows, highs = zip(*intervals, strict=True)
    return Interval(min(lows), max(highs))
