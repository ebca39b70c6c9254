"""The lattice of signs, and arithmetic on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import Final

from relayish.dataflow.lattice.lattice import Lattice


class Sign(IntEnum):
    """Which of negative numbers, zero and positive ones a number may be; the states of signs."""

    NONE = 0
    NEGATIVE = 1
    ZERO = 2
    NON_POSITIVE = 3
    POSITIVE = 4
    NON_ZERO = 5
    NON_NEGATIVE = 6
    ANY = 7

    def __repr__(self) -> str:
        return self.name

    __str__ = __repr__

    def holds(self, value: float) -> bool:
        """Return whether a number may be ``value``."""
        return bool(self & sign_of(value))


class Signs(Lattice[Sign]):
    """The lattice of signs: the powerset of negative, zero and positive.

    Example:
        >>> Signs().join(Sign.ZERO, Sign.POSITIVE), Signs().meet(Sign.NON_ZERO, Sign.NON_NEGATIVE)
        (NON_NEGATIVE, POSITIVE)
        >>> mul(Sign.NEGATIVE, Sign.NON_POSITIVE), sub(Sign.POSITIVE, Sign.POSITIVE)
        (NON_NEGATIVE, ANY)
    """

    bottom = Sign.NONE
    top = Sign.ANY
    finite_height = True

    def join(self, a: Sign, b: Sign) -> Sign:
        return _SIGNS[a | b]

    def meet(self, a: Sign, b: Sign) -> Sign:
        return _SIGNS[a & b]

    def leq(self, a: Sign, b: Sign) -> bool:
        return not a & ~b

    def equal(self, a: Sign, b: Sign) -> bool:
        return a is b


_SIGNS: Final = tuple(Sign)


def sign_of(value: float) -> Sign:
    """Return the sign of a number that is no NaN."""
    return Sign.POSITIVE if value > 0 else Sign.ZERO if value == 0 else Sign.NEGATIVE


def signs_of(values: Iterable[float]) -> Sign:
    """Return the signs of some numbers."""
    found = Sign.NONE
    for value in values:
        found = _SIGNS[found | sign_of(value)]
    return found


def add(a: Sign, b: Sign) -> Sign:
    """Return the signs of sums."""
    return _ADD[a][b]


def sub(a: Sign, b: Sign) -> Sign:
    """Return the signs of differences."""
    return _ADD[a][negate(b)]


def mul(a: Sign, b: Sign) -> Sign:
    """Return the signs of products."""
    return _MUL[a][b]


def negate(a: Sign) -> Sign:
    """Return the signs of numbers of opposite sign."""
    return _SIGNS[(a & 1) << 2 | a & 2 | (a & 4) >> 2]


def div(a: Sign, b: Sign) -> Sign:
    """Return the signs of quotients of integers, rounded towards zero."""
    return _DIV[a][b]


def floor_div(a: Sign, b: Sign) -> Sign:
    """Return the signs of quotients of integers, rounded down."""
    return _FLOOR_DIV[a][b]


def mod(a: Sign, b: Sign) -> Sign:
    """Return the signs of remainders of :func:`div`."""
    return _MOD[a][b]


def floor_mod(a: Sign, b: Sign) -> Sign:
    """Return the signs of remainders of :func:`floor_div`."""
    return _FLOOR_MOD[a][b]


def smaller(a: Sign, b: Sign) -> Sign:
    """Return the signs of the lesser of each two."""
    return _SMALLER[a][b]


def larger(a: Sign, b: Sign) -> Sign:
    """Return the signs of the greater of each two."""
    return _LARGER[a][b]


def less(a: Sign, b: Sign) -> frozenset[bool]:
    """Return the truth values of ``a < b``.

    Example:
        >>> less(Sign.NEGATIVE, Sign.NON_NEGATIVE)
        frozenset({True})
    """
    both = {(x, y) for x in _parts(a) for y in _parts(b)}
    found = {x < y for x, y in both}
    return frozenset(found | ({True, False} if {(-1, -1), (1, 1)} & both else set()))


def _parts(sign: Sign) -> tuple[int, ...]:
    """Return -1, 0 and 1 as far as numbers of that sign may be."""
    return tuple([value for value in (-1, 0, 1) if sign.holds(value)])


def _table(rule: Callable[[int, int], Iterable[int]]) -> tuple[tuple[Sign, ...], ...]:
    """Return the table of an operator, of which ``rule`` gives the signs for two signs."""
    return tuple(
        [
            tuple(
                [
                    signs_of([z for x in _parts(a) for y in _parts(b) for z in rule(x, y)])
                    for b in Sign
                ]
            )
            for a in Sign
        ]
    )


def _nothing_by_zero(
    rule: Callable[[int, int], Iterable[int]],
) -> Callable[[int, int], Iterable[int]]:
    return lambda x, y: rule(x, y) if y else ()


_ADD: Final = _table(lambda x, y: (-1, 0, 1) if x * y < 0 else (x or y,))
_MUL: Final = _table(lambda x, y: (x * y,))
_DIV: Final = _table(_nothing_by_zero(lambda x, y: (0, x * y)))
_FLOOR_DIV: Final = _table(_nothing_by_zero(lambda x, y: (0, 1) if x * y > 0 else (x * y,)))
_MOD: Final = _table(_nothing_by_zero(lambda x, _: (0, x)))
_FLOOR_MOD: Final = _table(_nothing_by_zero(lambda x, y: (0, y) if x else (0,)))
_SMALLER: Final = _table(lambda x, y: (min(x, y),))
_LARGER: Final = _table(lambda x, y: (max(x, y),))
