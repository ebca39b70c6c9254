"""Linear inference: what the known bounds of some sums tell together of another one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from relayish.dataflow.lattice.interval import Interval, div, scale
from relayish.dataflow.lattice.symbols import BOTTOM
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.integer_system import Row, System, is_feasible
from relayish.tir.analysis.linear.linear_form import LinearForm, exact_form, linear_form
from relayish.tir.analysis.values.context import Context, Terms
from relayish.tir.analysis.values.interval_rules import integer_interval, interval_by_rules
from relayish.tir.ir.operators import Div, Expr, Max, Min, Mod
from relayish.tir.ir.tensor import Var

_MOST_FACTS: Final = 24
_MOST_TERMS: Final = 24


class Signs:
    """Which signs an integer may have; each is found out when it is asked for."""

    def __init__(self, wanted: Row, system: System | None) -> None:
        """Ask for the signs of a sum.

        Args:
            wanted: The sum.
            system: What is known of its unknowns; ``None`` where it may have any sign.
        """
        self._wanted = wanted
        self._system = system

    @cached_property
    def negative(self) -> bool:
        """Whether it may be less than 0."""
        return self._may_be((), [self._wanted.times(-1).shifted(-1)])

    @cached_property
    def zero(self) -> bool:
        """Whether it may be 0."""
        return self._may_be([self._wanted])

    @cached_property
    def positive(self) -> bool:
        """Whether it may be more than 0."""
        return self._may_be((), [self._wanted.shifted(-1)])

    def _may_be(self, equations: Iterable[Row], inequalities: Iterable[Row] = ()) -> bool:
        if self._system is None:
            return True
        return is_feasible(self._system.having(equations, inequalities)) is not False


def possible_signs(form: LinearForm, context: Context) -> Signs:
    """Return the signs that the integer ``form`` may have, from all that is known of its terms.

    Facts count that share variables with it, or with such facts; quotients, remainders, minima and
    maxima among the terms are what they are by definition. Both up to a limit.
    """
    facts = _Facts(context)
    wanted = facts.affine(form)
    return Signs(wanted, facts.system() if facts.add_known(form.terms) else None)


class _Facts:
    """A system whose unknowns are terms."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._number: dict[Expr, int] = {}
        self._pending: list[Expr] = []
        self._count = 0
        self._equations: list[Row] = []
        self._inequalities: list[Row] = []
        self._quotients: dict[tuple[frozenset[tuple[Expr, int]], int, int], tuple[int, int]] = {}

    def affine(self, form: LinearForm) -> Row:
        terms = {self._unknown(term): factor for term, factor in form.terms.items()}
        return Affine(form.constant, terms)

    def add_known(self, terms: Iterable[Expr]) -> int:
        """Add what is known of ``terms``, and of what that mentions; return how much it is."""
        found = 0
        seen: set[object] = set()
        mentioned = list(terms)
        while (mentioned or self._pending) and found < _MOST_FACTS:
            if self._pending:
                found += self._define(self._pending.pop())
                continue
            term = mentioned.pop()
            for key, interval in self._context.facts_about((term,)):
                if found >= _MOST_FACTS or self._count + 2 > _MOST_TERMS:
                    break
                if key in seen or len(key) < 2:
                    continue
                seen.add(key)
                if self._count + len(key) > _MOST_TERMS:
                    continue
                found += 1
                if len(key) == 2 and self._add_bound(key, interval):
                    continue
                mentioned += [each for each, _ in key if each not in self._number]
                total = Affine(0, {self._unknown(each): factor for each, factor in key})
                self._between(total, interval)
        return found

    def _add_bound(self, key: Terms, interval: Interval) -> bool:
        """Add what a sum says of one of its terms, if nothing else is known of the other."""
        context = self._context
        for term, factor in key:
            if type(term) is not Var or abs(factor) != 1 or term in self._number:
                continue
            if any(len(other) > 1 and other != key for other in context.sums_with(term)):
                continue
            [(bounded, by)] = key - {(term, factor)}
            if bounded not in self._number:
                continue
            free = scale(integer_interval(term, context), factor)
            rest = Interval(interval.low - free.high, interval.high - free.low)
            if not rest.covers(scale(integer_interval(bounded, context), by)):
                self._between(Affine(0, {self._number[bounded]: by}), rest)
            return True
        return False

    def system(self) -> System:
        return System(self._equations, self._inequalities)

    def _unknown(self, term: Expr) -> int:
        found = self._number.get(term)
        if found is None:
            interval = interval_by_rules(term, self._context)
            assert isinstance(interval, Interval)
            found = self._number[term] = self._new(interval)
            if isinstance(term, (Div, Mod, Min, Max)):
                self._pending.append(term)
        return found

    def _new(self, interval: Interval) -> int:
        self._count += 1
        self._between(Affine(0, {self._count: 1}), interval)
        return self._count

    def _between(self, total: Row, interval: Interval) -> None:
        self._inequalities.append(total.shifted(-interval.low))
        self._inequalities.append(total.times(-1).shifted(interval.high))

    def _define(self, term: Expr) -> int:
        """Add what ``term`` is by definition; return whether that is anything."""
        unknown = Affine(0, {self._number[term]: 1})
        match term:
            case Min():
                self._inequalities += [
                    self.affine(form).plus(unknown, -1) for form in self._exact((term.a, term.b))
                ]
                return 1
            case Max():
                self._inequalities += [
                    unknown.plus(self.affine(form), -1) for form in self._exact((term.a, term.b))
                ]
                return 1
            case Div() | Mod():
                return self._define_quotient(term, unknown)
        return 0

    def _define_quotient(self, term: Div | Mod, unknown: Row) -> int:
        divisor = linear_form(term.b, self._context)
        exact = self._exact((term.a,))
        if not exact or not divisor.is_constant or divisor.constant in (0, -1):
            return 0
        by, [form] = divisor.constant, exact
        key = (frozenset(form.terms.items()), form.constant, by)
        if key not in self._quotients:
            self._quotients[key] = self._divide(self.affine(form), term.a, by)
        same = Affine(0, {self._quotients[key][isinstance(term, Mod)]: 1})
        self._equations.append(unknown.plus(same, -1))
        return 1

    def _divide(self, value: Row, dividend: Expr, by: int) -> tuple[int, int]:
        interval, most = interval_by_rules(dividend, self._context), abs(by) - 1
        assert isinstance(interval, Interval)
        quotients = div(interval, Interval(by, by))
        assert quotients is not BOTTOM
        quotient = self._new(quotients)
        rest = self._new(
            Interval(-most if interval.low < 0 else 0, most if interval.high > 0 else 0)
        )
        total = Affine(0, {quotient: by, rest: 1})
        self._equations.append(total.plus(value, -1))
        return quotient, rest

    def _exact(self, exprs: Sequence[Expr]) -> list[LinearForm]:
        """Return those forms of ``exprs`` that are valid as integers."""
        forms = [exact_form(each, self._context) for each in exprs]
        return [form for form in forms if form is not None]
