"""The lattice of congruences, and arithmetic on them."""

from __future__ import annotations

import math
from typing import Final, NamedTuple, TypeAlias

from relayish.dataflow.lattice.lattice import Lattice
from relayish.dataflow.lattice.symbols import BOTTOM, IsBottom


class Congruence(NamedTuple):
    """The integers that leave ``remainder`` when they are divided by ``modulus``, rounding down.

    ``modulus`` is 0 for one integer, the remainder; 1 for all. :func:`congruent` makes remainders
    lie between 0 and the modulus.
    """

    remainder: int
    modulus: int

    def holds(self, value: int) -> bool:
        """Return whether ``value`` is one of them."""
        apart = value - self.remainder
        return apart == 0 if self.modulus == 0 else apart % self.modulus == 0

    @property
    def is_point(self) -> bool:
        """Whether it holds one integer only."""
        return self.modulus == 0


AnyResidues: TypeAlias = Congruence | IsBottom
"""The states of :class:`Congruences`: a congruence, or ``BOTTOM`` for no integer at all."""

ANY_RESIDUE: Final = Congruence(0, 1)


def congruent(remainder: int, modulus: int = 0) -> Congruence:
    """Return the integers that are ``remainder`` modulo ``modulus``; by default only that one.

    Example:
        >>> congruent(7, 4), congruent(7), congruent(-1, -4)
        (Congruence(remainder=3, modulus=4), Congruence(remainder=7, modulus=0), \
Congruence(remainder=3, modulus=4))
    """
    modulus = abs(modulus)
    return Congruence(remainder % modulus if modulus else remainder, modulus)


class Congruences(Lattice[AnyResidues]):
    """The lattice of congruences: the integers equal to one modulo another, such as strides.

    Chains of ever more integers end, as each modulus divides the one before.

    Source:
        Granger, *Static analysis of arithmetical congruences*, 1989.

    Example:
        >>> strides = Congruences()
        >>> strides.join(congruent(4), congruent(10))
        Congruence(remainder=4, modulus=6)
        >>> strides.meet(congruent(1, 4), congruent(2, 3))
        Congruence(remainder=5, modulus=12)
        >>> strides.meet(congruent(1, 4), congruent(0, 2))
        BOTTOM
    """

    bottom: AnyResidues = BOTTOM
    top: AnyResidues = ANY_RESIDUE

    def join(self, a: AnyResidues, b: AnyResidues) -> AnyResidues:
        if a is b or b is BOTTOM:
            return a
        if a is BOTTOM:
            return b
        modulus = math.gcd(a.modulus, b.modulus, a.remainder - b.remainder)
        return a if modulus == a.modulus else congruent(a.remainder, modulus)

    def meet(self, a: AnyResidues, b: AnyResidues) -> AnyResidues:
        if a is b or a is BOTTOM:
            return a
        if b is BOTTOM:
            return b
        if a.is_point or b.is_point:
            point, other = (a, b) if a.is_point else (b, a)
            return point if other.holds(point.remainder) else BOTTOM
        shared = math.gcd(a.modulus, b.modulus)
        if (a.remainder - b.remainder) % shared:
            return BOTTOM
        if a.modulus % b.modulus == 0:
            return a
        turns = (b.remainder - a.remainder) // shared
        step = b.modulus // shared
        turns = turns * pow(a.modulus // shared, -1, step) % step
        return congruent(a.remainder + a.modulus * turns, a.modulus * step)

    def leq(self, a: AnyResidues, b: AnyResidues) -> bool:
        if a is b or a is BOTTOM:
            return True
        if b is BOTTOM or not b.holds(a.remainder):
            return False
        return a.modulus == 0 if b.modulus == 0 else a.modulus % b.modulus == 0

    def equal(self, a: AnyResidues, b: AnyResidues) -> bool:
        return a is b or a == b

    def widen(self, old: AnyResidues, new: AnyResidues) -> AnyResidues:
        return self.join(old, new)


def add(a: AnyResidues, b: AnyResidues) -> AnyResidues:
    """Return the sums.

    Example:
        >>> add(congruent(1, 4), congruent(2, 6))
        Congruence(remainder=1, modulus=2)
    """
    if a is BOTTOM or b is BOTTOM:
        return BOTTOM
    return congruent(a.remainder + b.remainder, math.gcd(a.modulus, b.modulus))


def sub(a: AnyResidues, b: AnyResidues) -> AnyResidues:
    """Return the differences."""
    if a is BOTTOM or b is BOTTOM:
        return BOTTOM
    return congruent(a.remainder - b.remainder, math.gcd(a.modulus, b.modulus))


def negate(a: AnyResidues) -> AnyResidues:
    """Return the integers of opposite sign."""
    return BOTTOM if a is BOTTOM else congruent(-a.remainder, a.modulus)


def mul(a: AnyResidues, b: AnyResidues) -> AnyResidues:
    """Return what holds all products.

    Example:
        >>> mul(congruent(1, 4), congruent(6)), mul(congruent(0, 4), congruent(0, 6))
        (Congruence(remainder=6, modulus=24), Congruence(remainder=0, modulus=24))
    """
    if a is BOTTOM or b is BOTTOM:
        return BOTTOM
    modulus = math.gcd(a.modulus * b.modulus, a.modulus * b.remainder, b.modulus * a.remainder)
    return congruent(a.remainder * b.remainder, modulus)


def floor_div(a: AnyResidues, b: AnyResidues) -> AnyResidues:
    """Return what holds all quotients rounded down; exact if all of ``a`` are multiples of ``b``.

    Example:
        >>> floor_div(congruent(6, 24), congruent(6)), floor_div(congruent(6, 4), congruent(6))
        (Congruence(remainder=1, modulus=4), Congruence(remainder=0, modulus=1))
    """
    if a is BOTTOM or b is BOTTOM or b == (0, 0):
        return BOTTOM
    if not b.is_point:
        return congruent(0) if a == (0, 0) else ANY_RESIDUE
    if a.is_point:
        return congruent(a.remainder // b.remainder)
    if a.modulus % b.remainder:
        return ANY_RESIDUE
    return congruent(a.remainder // b.remainder, a.modulus // b.remainder)


def div(a: AnyResidues, b: AnyResidues) -> AnyResidues:
    """Return what holds all quotients rounded towards zero."""
    if a is BOTTOM or b is BOTTOM or b == (0, 0):
        return BOTTOM
    if b.is_point and a.is_point:
        exact = abs(a.remainder) // abs(b.remainder)
        return congruent(exact if (a.remainder < 0) == (b.remainder < 0) else -exact)
    if b.is_point and a.remainder % b.remainder == 0:
        return floor_div(a, b)  # nothing is rounded
    return congruent(0) if a == (0, 0) else ANY_RESIDUE


def floor_mod(a: AnyResidues, b: AnyResidues) -> AnyResidues:
    """Return what holds all remainders of :func:`floor_div`.

    Example:
        >>> floor_mod(congruent(1, 8), congruent(4)), floor_mod(congruent(1, 6), congruent(4))
        (Congruence(remainder=1, modulus=0), Congruence(remainder=1, modulus=2))
    """
    if a is BOTTOM or b is BOTTOM or b == (0, 0):
        return BOTTOM
    if b.is_point and (a.is_point or a.modulus % b.remainder == 0):
        return congruent(a.remainder % b.remainder)
    return congruent(a.remainder, math.gcd(a.modulus, b.modulus, b.remainder))


def mod(a: AnyResidues, b: AnyResidues) -> AnyResidues:
    """Return what holds all remainders of :func:`div`."""
    if a is BOTTOM or b is BOTTOM or b == (0, 0):
        return BOTTOM
    if a.is_point and b.is_point:
        exact = abs(a.remainder) % abs(b.remainder)
        return congruent(-exact if a.remainder < 0 else exact)
    if b.is_point and a.modulus % b.remainder == 0 and a.remainder % b.remainder == 0:
        return congruent(0)
    return congruent(a.remainder, math.gcd(a.modulus, b.modulus, b.remainder))
