"""Abstract environments: what is known at a point of a program of variables, and of sums of them.

A :class:`Context` is persistent: entering a loop or a branch makes a new one, and leaving it is
going on with the old one, so nothing that holds inside can leak out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from relayish._support.persistent_map import PersistentMap
from relayish.dataflow.lattice.interval import Interval
from relayish.tir.analysis.values.interval import AnyInterval
from relayish.tir.analysis.values.value_numbers import ValueNumbers
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var

Terms: TypeAlias = frozenset[tuple[Expr, int]]
"""A sum of multiples of terms, whose coefficients have no common divisor; one of the two signs."""

Mentions: TypeAlias = "tuple[Terms, Mentions] | None"
"""Sums that mention a variable, the latest first, then the others."""

_NOTHING: Final = object()
_NO_FACTS: Final[PersistentMap[Terms, Interval]] = PersistentMap()
_NOT_MENTIONED: Final[PersistentMap[Var, Mentions]] = PersistentMap()


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
        "premises",
    )

    def __init__(
        self, assigned: frozenset[Var] = frozenset(), numbers: ValueNumbers | None = None
    ) -> None:
        self.assigned: Final = assigned
        """The variables that some statement of the program assigns to: nothing is kept of them."""
        self.facts = _NO_FACTS
        self.is_unreachable = False
        """Whether what is known contradicts itself, so that nothing is ever evaluated here."""
        self.knows_computed = False
        """Whether something is known of an expression that is no variable."""
        self.intervals: dict[Expr, AnyInterval] = {}
        """What was found so far by :mod:`.interval_rules`, which ask of single terms alone: one
        table for all contexts that say the same of these."""
        self.mentions = _NOT_MENTIONED
        """By variable, the sums that depend on it of which something is known, in order."""
        self.premises: object = _NOTHING
        """What was assumed: where a context and one around it have the same premises, they differ
        in what is said of variables that only the inner one knows, so that what this tells of
        expressions without them holds outside as well."""
        self._numbers = ValueNumbers() if numbers is None else numbers

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
        keys: dict[Var, Terms] = {
            var: frozenset(((var, 1),)) for var in ranges if var not in self.assigned
        }
        made.premises, made.intervals = object(), {}
        made.facts = self.facts.update([(key, ranges[var]) for var, key in keys.items()])
        made.mentions = self.mentions.update([(var, (key, None)) for var, key in keys.items()])
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
        made.premises = object()
        made.facts = self.facts.set(key, interval)
        if len(key) == 1:
            made.intervals = {}
            made.knows_computed |= not all(isinstance(term, Var) for term, _ in key)
        if before is None:
            for var in self._variables(key):
                made.mentions = made.mentions.set(var, (key, made.mentions.get(var)))
        return made

    def as_unreachable(self) -> Context:
        """Return what is known where what is known contradicts itself."""
        made = self._copy()
        made.premises = object()
        made.is_unreachable = True
        return made

    def as_definition_in(self, outer: Context) -> Context:
        """Return ``self``, which says no more than ``outer`` but of what is defined here.

        What has no other value cannot be otherwise: a name for a value, a counter between numbers.
        That a loop has an iteration, or that a condition holds, may be.
        """
        if self.premises is outer.premises or self.is_unreachable:
            return self
        made = self._copy()
        made.premises = outer.premises
        return made

    def without(self, variables: Iterable[Var]) -> Context:
        """Return what is known where ``variables`` are new ones, of which nothing is known."""
        gone = {key for var in variables for key in self.sums_with(var)}
        if not gone:
            return self
        made = self._copy()
        made.intervals = {}
        for key in gone:
            made.facts = made.facts.discard(key)
        for var in {var for key in gone for var in self._variables(key)}:
            kept: Mentions = None
            for key in reversed(list(self.sums_with(var))):
                kept = kept if key in gone else (key, kept)
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
                for key in self.sums_with(var):
                    known = None if key in seen else self.facts.get(key)
                    seen.add(key)
                    if known is not None:
                        yield key, known

    def is_stable(self, terms: Iterable[Expr]) -> bool:
        """Return whether the values of ``terms`` stay what they are while their variables live."""
        for term in terms:
            variables = self._numbers.stable_variables(term)
            if variables is None or not self.assigned.isdisjoint(variables):
                return False
        return True

    def sums_with(self, var: Var) -> Iterator[Terms]:
        """Yield the sums that mention ``var`` of which something is known, latest first."""
        mentions = self.mentions.get(var)
        while mentions is not None:
            key, mentions = mentions
            yield key

    def _variables(self, key: Terms) -> frozenset[Var]:
        found = [self._numbers.stable_variables(term) for term, _ in key]
        return frozenset().union(*[each for each in found if each is not None])

    def _copy(self) -> Context:
        made = Context(self.assigned, self._numbers)
        made.facts, made.is_unreachable = self.facts, self.is_unreachable
        made.knows_computed = self.knows_computed
        made.mentions = self.mentions
        made.premises = self.premises
        made.intervals = self.intervals
        return made


def normalize(terms: Mapping[Expr, int]) -> tuple[Terms, int]:
    """Return ``(key, divisor)``: the sum of ``terms`` is ``divisor`` times that of ``key``.

    One of several sums with the same key is known where another is.
    """
    if len(terms) == 1:
        [(term, divisor)] = terms.items()
        return frozenset(((term, 1),)), divisor
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
