"""What is known at a point of a program: which values variables, and sums of them, may have.

A :class:`Context` is persistent: entering a loop or a branch makes a new one, and leaving it is
going on with the old one, so nothing that holds inside can leak out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from pyrsistent import PMap, PVector, pmap, pvector

from relayish.tir.analysis.interval import AnyInterval, Interval
from relayish.tir.analysis.value_numbers import ValueNumbers
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var

Terms: TypeAlias = frozenset[tuple[Expr, int]]
"""A sum of multiples of terms, whose coefficients have no common divisor; one of the two signs."""

_NO_FACTS: Final[PMap[Terms, Interval]] = pmap()
_NOT_MENTIONED: Final[PMap[Var, PVector[Terms]]] = pmap()


class Context:
    """What is known where an expression is evaluated; persistent.

    It holds intervals of sums ``sum(coefficient * term)``, as integers that do not wrap around:
    that ``i`` is 0 to 9, that ``i - n`` is negative. Only what stays true is kept: values of
    variables that nothing in the program assigns, never of memory.

    ``context_of`` makes the one for the outermost level of a program, :mod:`.scopes` extends it.
    ``Context()`` is for expressions by themselves, where no variable is assigned.
    """

    __slots__ = (
        "_numbers",
        "assigned",
        "facts",
        "intervals",
        "is_unreachable",
        "knows_computed",
        "mentions",
    )

    def __init__(self, assigned: frozenset[Var] = frozenset()) -> None:
        self.assigned: Final = assigned
        """The variables that some statement of the program assigns to: nothing is kept of them."""
        self.facts: PMap[Terms, Interval] = _NO_FACTS
        self.is_unreachable = False
        """Whether what is known contradicts itself, so that nothing is ever evaluated here."""
        self.knows_computed = False
        """Whether something is known of an expression that is no variable."""
        self.intervals: dict[Expr, AnyInterval] = {}
        """What was found so far by :mod:`.interval_rules`."""
        self.mentions = _NOT_MENTIONED
        """By variable, the sums that depend on it of which something is known, in order."""
        self._numbers = ValueNumbers()

    @property
    def numbers(self) -> ValueNumbers:
        """The value numbers, which all contexts of a program share: they depend on no fact."""
        return self._numbers

    def with_range(self, var: Var, interval: Interval) -> Context:
        """Return what is known where ``var`` is within ``interval`` as well."""
        return self.with_fact({var: 1}, interval)

    def with_ranges(self, ranges: Mapping[Var, Interval]) -> Context:
        """Return what is known where many variables, of which nothing is known yet, have ranges.

        Complexity:
            Linear in the number of variables, and less for each than :meth:`with_range`.
        """
        made = self._copy()
        facts, mentions = made.facts.evolver(), made.mentions.evolver()
        for var, interval in ranges.items():
            if var not in self.assigned:
                key: Terms = frozenset(((var, 1),))
                facts[key] = interval
                mentions[var] = pvector((key,))
        made.facts, made.mentions = facts.persistent(), mentions.persistent()
        return made

    def with_fact(self, terms: Mapping[Expr, int], interval: Interval) -> Context:
        """Return what is known where ``sum(coefficient * term)`` is within ``interval`` as well.

        Returns:
            ``self`` where that is known, or would not stay true.
        """
        if not terms or not self.is_stable(terms):
            return self
        key, divisor = normalize(terms)
        interval = _divide(interval, divisor)
        before = self.facts.get(key)
        if before is not None:
            met = before.meet(interval)
            if met == before:
                return self
            if met is None:
                return self.as_unreachable()
            interval = met
        if interval.low > interval.high:
            return self.as_unreachable()
        made = self._copy()
        made.facts = self.facts.set(key, interval)
        if len(key) == 1 and not all(isinstance(term, Var) for term, _ in key):
            made.knows_computed = True
        if before is None:
            for var in self._variables(key):
                known = made.mentions.get(var, pvector())
                made.mentions = made.mentions.set(var, known.append(key))
        return made

    def as_unreachable(self) -> Context:
        """Return what is known where what is known contradicts itself."""
        made = self._copy()
        made.is_unreachable = True
        return made

    def without(self, variables: Iterable[Var]) -> Context:
        """Return what is known where ``variables`` are new ones, of which nothing is known."""
        gone = {key for var in variables for key in self.mentions.get(var, ())}
        if not gone:
            return self
        made = self._copy()
        for key in gone:
            made.facts = made.facts.discard(key)
        for var in {var for key in gone for var in self._variables(key)}:
            kept = pvector([key for key in made.mentions[var] if key not in gone])
            made.mentions = made.mentions.set(var, kept)
        return made

    def interval_of_term(self, term: Expr) -> Interval | None:
        """Return what was said of ``term`` by itself, a representative of its value number."""
        return self.facts.get(frozenset(((term, 1),)))

    def interval_of_terms(self, terms: Mapping[Expr, int]) -> Interval | None:
        """Return what was said of ``sum(coefficient * term)``, as integers."""
        key, divisor = normalize(terms)
        found = self.facts.get(key)
        if found is None:
            return None
        if divisor < 0:
            return Interval(found.high * divisor, found.low * divisor)
        return Interval(found.low * divisor, found.high * divisor)

    def facts_about(self, terms: Iterable[Expr]) -> Iterator[tuple[Terms, Interval]]:
        """Yield what is known of sums that mention a variable of ``terms``, latest first."""
        seen: set[Terms] = set()
        for term in terms:
            for var in self._numbers.stable_variables(term) or ():
                for key in reversed(self.mentions.get(var, ())):
                    if key not in seen:
                        seen.add(key)
                        yield key, self.facts[key]

    def is_stable(self, terms: Iterable[Expr]) -> bool:
        """Return whether the values of ``terms`` stay what they are while their variables live."""
        for term in terms:
            variables = self._numbers.stable_variables(term)
            if variables is None or not self.assigned.isdisjoint(variables):
                return False
        return True

    def _variables(self, key: Terms) -> frozenset[Var]:
        found = [self._numbers.stable_variables(term) for term, _ in key]
        return frozenset().union(*[each for each in found if each is not None])

    def _copy(self) -> Context:
        made = Context(self.assigned)
        made.facts, made.is_unreachable = self.facts, self.is_unreachable
        made.knows_computed = self.knows_computed
        made.mentions, made._numbers = self.mentions, self._numbers
        return made


def normalize(terms: Mapping[Expr, int]) -> tuple[Terms, int]:
    """Return ``(key, divisor)``: the sum of ``terms`` is ``divisor`` times that of ``key``.

    One of several sums with the same key is known where another is.
    """
    divisor = math.gcd(*terms.values())
    if terms[min(terms, key=id)] < 0:
        divisor = -divisor
    return frozenset(
        [(term, coefficient // divisor) for term, coefficient in terms.items()]
    ), divisor


def _divide(interval: Interval, divisor: int) -> Interval:
    """Return the integers whose product with ``divisor`` is within ``interval``."""
    low, high = interval if divisor > 0 else (-interval.high, -interval.low)
    divisor = abs(divisor)
    return Interval(-(-low // divisor), high // divisor)
