"""Interval arithmetic: on any intervals of integers, without bounds too, and on none.

Each function returns an interval of all results of the operands' integers, the smallest where it
does not say otherwise, and ``BOTTOM`` where there are none: of no operands, and of divisions by
zero only. :mod:`.interval` has faster ones for intervals that have bounds.
"""

from __future__ import annotations

from collections.abc import Callable

from relayish.dataflow.lattice import interval as bounded
from relayish.dataflow.lattice.interval import EITHER, FALSE, INFINITE, TRUE, Interval
from relayish.dataflow.lattice.intervals import AnyIntegers
from relayish.dataflow.lattice.symbols import BOTTOM


def of(value: int) -> Interval:
    """Return the interval of one integer."""
    return Interval(value, value)


def add(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return the sums.

    Example:
        >>> add(Interval(0, INFINITE), Interval(-1, 1))
        Interval(low=-1, high=inf)
    """
    return BOTTOM if a is BOTTOM or b is BOTTOM else bounded.add(a, b)


def sub(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return the differences."""
    return BOTTOM if a is BOTTOM or b is BOTTOM else bounded.sub(a, b)


def negate(a: AnyIntegers) -> AnyIntegers:
    """Return the integers of opposite sign."""
    return BOTTOM if a is BOTTOM else Interval(-a.high, -a.low)


def absolute(a: AnyIntegers) -> AnyIntegers:
    """Return the absolute values."""
    if a is BOTTOM or a.low >= 0:
        return a
    return Interval(max(0, -a.high), max(-a.low, a.high))


def mul(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return the hull of the products.

    Example:
        >>> mul(Interval(0, INFINITE), Interval(-2, 3))
        Interval(low=-inf, high=inf)
    """
    if a is BOTTOM or b is BOTTOM:
        return BOTTOM
    if a.is_bounded and b.is_bounded:
        return bounded.mul(a, b)
    return _corners(lambda x, y: x * y if x and y else 0, a, b)


def div(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return the hull of the quotients rounded towards zero."""
    return _quotients(_truncated, a, b)


def floor_div(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return the hull of the quotients rounded down.

    Example:
        >>> floor_div(Interval(-7, INFINITE), Interval(2, 2)), div(Interval(-7, 7), Interval(2, 2))
        (Interval(low=-4, high=inf), Interval(low=-3, high=3))
    """
    return _quotients(_floored, a, b)


def mod(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return an interval of the remainders of :func:`div`, which have the sign of ``a``."""
    if a is BOTTOM or b is BOTTOM or b == (0, 0):
        return BOTTOM
    if a.is_bounded and b.is_bounded:
        return bounded.mod(a, b) or BOTTOM
    most = max(abs(b.low), abs(b.high)) - 1
    return Interval(max(-most, min(a.low, 0)), min(most, max(a.high, 0)))


def floor_mod(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return an interval of the remainders of :func:`floor_div`, which have the sign of ``b``.

    Example:
        >>> floor_mod(Interval(-INFINITE, INFINITE), Interval(4, 4))
        Interval(low=0, high=3)
    """
    if a is BOTTOM or b is BOTTOM or b == (0, 0):
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


def smaller(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return the lesser of each two."""
    return BOTTOM if a is BOTTOM or b is BOTTOM else bounded.smaller(a, b)


def larger(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return the greater of each two."""
    return BOTTOM if a is BOTTOM or b is BOTTOM else bounded.larger(a, b)


# Comparisons, as intervals of truth values


def less(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return the truth values of ``a < b``.

    Example:
        >>> less(Interval(0, 3), Interval(4, INFINITE)), less(Interval(0, 3), Interval(3, 9))
        (Interval(low=1, high=1), Interval(low=0, high=1))
    """
    if a is BOTTOM or b is BOTTOM:
        return BOTTOM
    return TRUE if a.high < b.low else FALSE if a.low >= b.high else EITHER


def less_equal(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return the truth values of ``a <= b``."""
    if a is BOTTOM or b is BOTTOM:
        return BOTTOM
    return TRUE if a.high <= b.low else FALSE if a.low > b.high else EITHER


def same(a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return the truth values of ``a == b``."""
    if a is BOTTOM or b is BOTTOM:
        return BOTTOM
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


def _corners(operator: Callable[[int, int], int], a: Interval, b: Interval) -> Interval:
    found = [operator(x, y) for x in a for y in b]
    return Interval(min(found), max(found))


def _quotients(operator: Callable[[int, int], int], a: AnyIntegers, b: AnyIntegers) -> AnyIntegers:
    """Return the hull of quotients by the negative and by the positive divisors."""
    if a is BOTTOM or b is BOTTOM:
        return BOTTOM
    found = [
        _corners(operator, a, Interval(low, high))
        for low, high in ((b.low, min(b.high, -1)), (max(b.low, 1), b.high))
        if low <= high
    ]
    return bounded.hull_of(found) if found else BOTTOM


def _truncated(x: int, y: int) -> int:
    if abs(y) == INFINITE:
        return 0
    if abs(x) == INFINITE:
        return x if y > 0 else -x
    return bounded.truncated_quotient(x, y)


def _floored(x: int, y: int) -> int:
    if abs(y) == INFINITE:
        return 0 if x == 0 or (x > 0) == (y > 0) else -1
    if abs(x) == INFINITE:
        return x if y > 0 else -x
    return x // y
