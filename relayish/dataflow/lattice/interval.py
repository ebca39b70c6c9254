"""Interval arithmetic: on any intervals of integers, without bounds too, and on none.

Each function returns an interval of all results of the operands' integers, the smallest where it
does not say otherwise, and ``BOTTOM`` where there are none: of no operands, and of divisions by
zero only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Final, NamedTuple, Protocol, TypeAlias, TypeVar, cast, overload

from relayish.dataflow.lattice.symbols import BOTTOM, IsBottom

_Found_co = TypeVar("_Found_co", covariant=True)

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


AnyIntegers: TypeAlias = Interval | IsBottom
"""The states of :class:`~.intervals.Intervals`: an interval, or ``BOTTOM`` for no integer."""

FALSE: Final = Interval(0, 0)
TRUE: Final = Interval(1, 1)
EITHER: Final = Interval(0, 1)


class Strict(Protocol[_Found_co]):
    """An operation that gives ``BOTTOM`` of ``BOTTOM``."""

    @overload
    def __call__(self, a: Interval, b: Interval, /) -> _Found_co: ...
    @overload
    def __call__(self, a: AnyIntegers, b: AnyIntegers, /) -> _Found_co | IsBottom: ...


def _strict(operation: Callable[[Interval, Interval], _Found_co]) -> Strict[_Found_co]:
    """Let an operation on intervals take none as well."""

    @wraps(operation)
    def apply(a: AnyIntegers, b: AnyIntegers) -> _Found_co | IsBottom:
        return BOTTOM if a is BOTTOM or b is BOTTOM else operation(a, b)

    return cast("Strict[_Found_co]", apply)


def of(value: int) -> Interval:
    """Return the interval of one integer."""
    return Interval(value, value)


@_strict
def add(a: Interval, b: Interval) -> Interval:
    """Return the sums.

    Example:
        >>> add(Interval(0, INFINITE), Interval(-1, 1))
        Interval(low=-1, high=inf)
    """
    return Interval(a.low + b.low, a.high + b.high)


@_strict
def sub(a: Interval, b: Interval) -> Interval:
    """Return the differences."""
    return Interval(a.low - b.high, a.high - b.low)


def negate(a: AnyIntegers) -> AnyIntegers:
    """Return the integers of opposite sign."""
    return BOTTOM if a is BOTTOM else Interval(-a.high, -a.low)


def absolute(a: AnyIntegers) -> AnyIntegers:
    """Return the absolute values."""
    if a is BOTTOM or a.low >= 0:
        return a
    return Interval(max(0, -a.high), max(-a.low, a.high))


@_strict
def mul(a: Interval, b: Interval) -> Interval:
    """Return the hull of the products.

    Example:
        >>> mul(Interval(0, INFINITE), Interval(-2, 3))
        Interval(low=-inf, high=inf)
    """
    corners = [x * y if x and y else 0 for x in a for y in b]  # of zero and an infinity it is zero
    return Interval(min(corners), max(corners))


def scale(a: Interval, factor: int) -> Interval:
    """Return the exact products with one number."""
    if factor < 0:
        return Interval(a.high * factor, a.low * factor)
    return Interval(a.low * factor, a.high * factor)


@_strict
def div(a: Interval, b: Interval) -> AnyIntegers:
    """Return the hull of the quotients rounded towards zero."""
    return _quotients(truncated_quotient, a, b)


@_strict
def floor_div(a: Interval, b: Interval) -> AnyIntegers:
    """Return the hull of the quotients rounded down.

    Example:
        >>> floor_div(Interval(-7, INFINITE), Interval(2, 2)), div(Interval(-7, 7), Interval(2, 2))
        (Interval(low=-4, high=inf), Interval(low=-3, high=3))
    """
    return _quotients(_floored, a, b)


@_strict
def mod(a: Interval, b: Interval) -> AnyIntegers:
    """Return an interval of the remainders of :func:`div`, which have the sign of ``a``."""
    if b == (0, 0):
        return BOTTOM
    if b.is_point and a.is_bounded and (a.low >= 0 or a.high <= 0):
        first, last = (truncated_quotient(x, b.low) for x in a)
        if first == last:
            return Interval(a.low - first * b.low, a.high - last * b.low)
    most = max(abs(b.low), abs(b.high)) - 1
    return Interval(max(-most, min(a.low, 0)), min(most, max(a.high, 0)))


@_strict
def floor_mod(a: Interval, b: Interval) -> AnyIntegers:
    """Return an interval of the remainders of :func:`floor_div`, which have the sign of ``b``.

    Example:
        >>> floor_mod(Interval(-INFINITE, INFINITE), Interval(4, 4))
        Interval(low=0, high=3)
    """
    if b == (0, 0):
        return BOTTOM
    if a.is_bounded and b.is_point and a.low // b.low == a.high // b.low:
        return Interval(a.low % b.low, a.high % b.low)
    if (a.low >= 0 and a.high < b.low) or (a.high <= 0 and a.low > b.high):
        return a
    low = 0 if b.low >= 0 else b.low + 1
    high = 0 if b.high <= 0 else b.high - 1
    if b.low >= 0 and a.low >= 0:
        high = min(high, a.high)
    if b.high <= 0 and a.high <= 0:
        low = max(low, a.low)
    return Interval(low, high)


@_strict
def smaller(a: Interval, b: Interval) -> Interval:
    """Return the lesser of each two."""
    return Interval(min(a.low, b.low), min(a.high, b.high))


@_strict
def larger(a: Interval, b: Interval) -> Interval:
    """Return the greater of each two."""
    return Interval(max(a.low, b.low), max(a.high, b.high))


# Comparisons, as intervals of truth values


@_strict
def less(a: Interval, b: Interval) -> Interval:
    """Return the truth values of ``a < b``.

    Example:
        >>> less(Interval(0, 3), Interval(4, INFINITE)), less(Interval(0, 3), Interval(3, 9))
        (Interval(low=1, high=1), Interval(low=0, high=1))
    """
    return TRUE if a.high < b.low else FALSE if a.low >= b.high else EITHER


@_strict
def less_equal(a: Interval, b: Interval) -> Interval:
    """Return the truth values of ``a <= b``."""
    return TRUE if a.high <= b.low else FALSE if a.low > b.high else EITHER


@_strict
def same(a: Interval, b: Interval) -> Interval:
    """Return the truth values of ``a == b``."""
    if a.meet(b) is None:
        return FALSE
    return TRUE if a.is_point and a == b else EITHER


# Refinement: what is left of the first where a comparison holds


def where_less(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return what is left of ``a`` where ``a < b``.

    Example:
        >>> where_less(Interval(0, INFINITE), Interval(5, 9))
        Interval(low=0, high=8)
        >>> where_less(Interval(9, 9), Interval(0, 9))
        BOTTOM
    """
    return BOTTOM if b is BOTTOM else _between(a, -INFINITE, b.high - 1)


def where_less_equal(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return what is left of ``a`` where ``a <= b``."""
    return BOTTOM if b is BOTTOM else _between(a, -INFINITE, b.high)


def where_greater(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return what is left of ``a`` where ``a > b``."""
    return BOTTOM if b is BOTTOM else _between(a, b.low + 1, INFINITE)


def where_greater_equal(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return what is left of ``a`` where ``a >= b``."""
    return BOTTOM if b is BOTTOM else _between(a, b.low, INFINITE)


def where_same(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return what is left of ``a`` where ``a == b``."""
    return BOTTOM if b is BOTTOM else _between(a, b.low, b.high)


def where_different(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return what is left of ``a`` where ``a != b``: one end less, if ``b`` is that."""
    if a is BOTTOM or b is BOTTOM:
        return BOTTOM
    if not b.is_point:
        return a
    low = a.low + 1 if a.low == b.low else a.low
    high = a.high - 1 if a.high == b.high else a.high
    return _between(a, low, high)


def _between(a: AnyIntegers, low: int, high: int) -> AnyIntegers:
    if a is BOTTOM:
        return a
    if low <= a.low and a.high <= high:
        return a
    low, high = max(a.low, low), min(a.high, high)
    return Interval(low, high) if low <= high else BOTTOM


def _quotients(operator: Callable[[int, int], int], a: Interval, b: Interval) -> AnyIntegers:
    """Return the hull of quotients by the negative and by the positive divisors."""
    found: list[int] = []
    for low, high in ((b.low, min(b.high, -1)), (max(b.low, 1), b.high)):
        if low <= high:
            found += [operator(x, y) for x in a for y in (low, high)]
    return Interval(min(found), max(found)) if found else BOTTOM


def _floored(x: int, y: int) -> int:
    if abs(y) == INFINITE:
        return 0 if x == 0 or (x > 0) == (y > 0) else -1
    if abs(x) == INFINITE:
        return x if y > 0 else -x
    return x // y


def truncated_quotient(a: int, b: int) -> int:
    """Return ``a / b`` rounded towards zero, also of infinities."""
    if abs(b) == INFINITE:
        return 0
    if abs(a) == INFINITE:
        return a if b > 0 else -a
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
