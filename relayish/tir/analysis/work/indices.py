"""Index expressions as affine forms over digits of loop counters.

A digit is ``counter / by % size`` of a counter that runs from 0 on: what splitting and fusing of
loops make of indices. So ``i_j / 8`` and ``i_j % 8``, of a loop of 64, are two digits that are
independent of each other.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from relayish._support.persistent_map import PersistentMap
from relayish.dataflow.lattice.interval import Interval
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.linear_form import exact_form, linear_form
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval_rules import integer_interval
from relayish.tir.analysis.work.count import Count
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var


@dataclass(frozen=True, slots=True, eq=False)
class Counter:
    """The iterations of a loop at one place, numbered from 0 on.

    Attributes:
        node: The loop, or the axis of a reduction.
        extent: How many there are, at most.
    """

    node: Node
    extent: Count


class Digit(NamedTuple):
    """``counter / by % size``; without a size, all of ``counter / by``."""

    counter: Counter
    by: int = 1
    size: int | None = None

    @property
    def extent(self) -> Count:
        """How many values it takes, from 0 on, at most."""
        if self.size is not None:
            return Count({(): self.size})
        whole = self.counter.extent.number
        if whole is None or self.by == 1:
            return self.counter.extent
        return Count({(): -(-whole // self.by)}, self.counter.extent.is_exact)


class Opaque(NamedTuple):
    """What is not affine.

    Attributes:
        expr: One of those that are computed alike.
        counters: What it may depend on; ``None``: each loop around it.
        interval: Where it lies.
        at: Tells evaluations apart between which it may become another.
    """

    expr: Expr
    counters: frozenset[Counter] | None
    interval: Interval
    at: object = None


Term: TypeAlias = Digit | Opaque | Expr
"""An expression is a size: the same in all iterations."""
Form: TypeAlias = Affine[Term]
Environment: TypeAlias = PersistentMap[Var, Form]
"""What variables are that loops and schedule blocks bind."""

NO_VARIABLES: Final[Environment] = PersistentMap()
UNKNOWN: Final = Interval(-(1 << 64), 1 << 64)


class Indices:
    """Makes forms of expressions.

    Args:
        context: What is known of all variables of the program at any time.
    """

    def __init__(self, context: Context) -> None:
        self._context = context
        self._lanes: dict[int, Counter] = {}

    def form(self, expr: Expr, env: Environment, *, exact: bool = False) -> Form | None:
        """Return the form of an integer, or of each element of a vector.

        Args:
            expr: The integer.
            env: What variables are.
            exact: Whether it has to be valid as an integer, not only modulo ``2 ** bits``.

        Returns:
            ``None`` where ``exact`` and it may wrap around.
        """
        found = exact_form(expr, self._context) if exact else linear_form(expr, self._context)
        if found is None:
            return None
        made: Form = Affine(found.constant, {})
        for term, factor in found.terms.items():
            made = made.plus(self._term(term, env), factor)
        return made

    def interval(self, form: Form) -> Interval:
        """Return where a form lies."""
        low = high = form.constant
        for term, factor in form.terms.items():
            ends = [factor * end for end in self._interval_of_term(term)]
            low, high = low + min(ends), high + max(ends)
        return Interval(low, high)

    def _interval_of_term(self, term: Term) -> Interval:
        if isinstance(term, Opaque):
            return term.interval
        if isinstance(term, Digit):
            extent = term.extent.number
            return UNKNOWN if extent is None else Interval(0, max(extent - 1, 0))
        return integer_interval(term, self._context)

    def _term(self, term: Expr, env: Environment) -> Form:
        if isinstance(term, Var):
            known = env.get(term)
            if known is not None:
                return known
        elif isinstance(term, (ops.Div, ops.Mod)):
            found = self._quotient(term, env)
            if found is not None:
                return found
        elif isinstance(term, ops.Ramp):
            stride = linear_form(term.stride, self._context)
            base = self.form(term.base, env)
            if base is not None and stride.is_constant:
                return base.plus(Affine(0, {Digit(self._lane(term)): 1}), stride.constant)
        return self._opaque(term, env)

    def _lane(self, ramp: ops.Ramp) -> Counter:
        """Return the counter of the lanes of a vector, which is one for all of that width."""
        if ramp.lanes not in self._lanes:
            self._lanes[ramp.lanes] = Counter(ramp, Count({(): ramp.lanes}))
        return self._lanes[ramp.lanes]

    def lanes_in(self, form: Form) -> list[Counter]:
        """Return the counters of lanes that a form depends on."""
        lanes = self._lanes.values()
        return [each for each in lanes if any(_counts(term, each) for term in form.terms)]

    def _quotient(self, term: ops.Div | ops.Mod, env: Environment) -> Form | None:
        by = linear_form(term.b, self._context)
        inner = self.form(term.a, env, exact=True)
        if inner is None or not by.is_constant or by.constant < 1:
            return None
        by_number = by.constant
        whole, rest = _split(inner, by_number)
        if self.interval(inner).low < 0 or self.interval(rest).low < 0:
            return None  # it is rounded towards zero
        quotient, remainder = self._digits(rest, by_number)
        if quotient is None or remainder is None:
            return None
        return remainder if isinstance(term, ops.Mod) else whole.plus(quotient)

    def _digits(self, form: Form, by: int) -> tuple[Form | None, Form | None]:
        """Return the quotient and the remainder of a form that is not negative."""
        if self.interval(form).high < by:
            return Affine(0, {}), form
        [(term, factor), *others] = form.terms.items()
        if others or factor != 1 or form.constant or not isinstance(term, Digit):
            return None, None
        counter, step, size = term
        if size is not None and size % by:
            return None, None
        above = Digit(counter, step * by, None if size is None else size // by)
        return Affine(0, {above: 1}), Affine(0, {Digit(counter, step, by): 1})

    def _opaque(self, term: Expr, env: Environment) -> Form:
        numbers, interval = self._context.numbers, integer_interval(term, self._context)
        variables = numbers.stable_variables(term)
        if variables is None or not self._context.assigned.isdisjoint(variables):
            return Affine(0, {Opaque(numbers.number(term), None, interval, object()): 1})
        counters = counters_of([form for var in variables if (form := env.get(var)) is not None])
        if interval.is_point:
            return Affine(interval.low, {})
        if not counters:
            return Affine(0, {term: 1})
        return Affine(0, {Opaque(numbers.number(term), counters, interval): 1})


def counters_of(forms: Iterable[Form]) -> frozenset[Counter]:
    """Return the counters that forms depend on."""
    found: set[Counter] = set()
    for form in forms:
        for term in form.terms:
            if isinstance(term, Digit):
                found.add(term.counter)
            elif isinstance(term, Opaque):
                found.update(term.counters or ())
    return frozenset(found)


def hangs_on(term: Term, counter: Counter) -> bool:
    """Return whether a term may be another in another iteration of a loop."""
    if isinstance(term, Digit):
        return term.counter is counter
    return isinstance(term, Opaque) and (term.counters is None or counter in term.counters)


def recombined(form: Form) -> Form:
    """Return ``form`` with neighbouring digits of a counter as one, as ``4*(i/4) + i%4`` is ``i``.

    Complexity:
        Quadratic in the number of terms.
    """
    for low, factor in form.terms.items():
        if not isinstance(low, Digit) or low.size is None:
            continue
        for high, by in form.terms.items():
            if (
                isinstance(high, Digit)
                and high[:2] == (low.counter, low.by * low.size)
                and by == factor * low.size
            ):
                size = None if high.size is None else low.size * high.size
                others = {t: f for t, f in form.terms.items() if t not in (low, high)}
                whole = Digit(low.counter, low.by, size)
                return recombined(Affine(form.constant, {**others, whole: factor}))
    return form


def _split(form: Form, by: int) -> tuple[Form, Form]:
    """Return ``(whole, rest)`` with ``form == by * whole + rest``."""
    whole = {term: factor // by for term, factor in form.terms.items() if factor % by == 0}
    rest = {term: factor for term, factor in form.terms.items() if factor % by}
    return Affine(form.constant // by, whole), Affine(form.constant % by, rest)


def _counts(term: Term, counter: Counter) -> bool:
    return isinstance(term, Digit) and term.counter is counter
