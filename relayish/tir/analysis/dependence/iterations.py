"""Iteration domains: iterations of accesses as solutions of systems of integers.

An expression becomes a sum of unknowns that has its value exactly, wrap-around included. What is
not affine is an unknown within its interval; then the system has solutions that no iteration is,
and says that it is not exact.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from relayish.dataflow.lattice.interval import Interval, add, div, hull_of, scale
from relayish.dataflow.lattice.symbols import BOTTOM
from relayish.tir.analysis.dependence.accesses import Around, Binding, Place, arounds
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.integer_system import Patience, Row, System, solve_equations
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.analysis.values.interval_rules import interval_by_rules
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import For, PolyFor
from relayish.tir.ir.tensor import Var

Rows = list[Row]
"""Inequalities ``each >= 0`` that hold together."""

MOST_ALTERNATIVES: Final = 16
"""Of how many systems one of which has to hold a condition may consist, to be kept."""

_DEEPEST: Final = 40
"""How deep bindings, quotients and conversions may be nested in what is looked into."""


class Iterations:
    """A system under construction, of which the iterations of accesses are solutions.

    Attributes:
        context: What is known of variables that are bound outside.
        is_exact: Whether every solution stands for iterations.
        patience: What is spent on questions about them.
    """

    def __init__(self, context: Context) -> None:
        self.context = context
        self.is_exact = True
        self.patience = Patience()
        self.ranges: list[Interval] = []
        self.equations: list[Row] = []
        self.inequalities: list[Row] = []
        self.choices: list[list[Rows]] = []
        self.symbols: dict[Hashable, Row] = {}

    def unknown(self, within: Interval) -> Row:
        """Return a new unknown, which lies in an interval."""
        if within.is_point:
            return Affine(within.low, {})
        made = Affine(0, {len(self.ranges): 1})
        self.ranges.append(within)
        self.inequalities.append(Affine(-within.low, made.terms))
        self.inequalities.append(Affine(within.high, {len(self.ranges) - 1: -1}))
        return made

    def interval(self, affine: Row) -> Interval:
        """Return an interval of a sum, from those of its unknowns."""
        found = Interval(affine.constant, affine.constant)
        for var, coefficient in affine.terms.items():
            found = add(found, scale(self.ranges[var], coefficient))
        return found

    def range_of(self, term: Expr) -> Interval:
        """Return an interval of all values of a term."""
        if not term.type.is_integer:
            return _ANY
        found = interval_by_rules(term, self.context)
        assert isinstance(found, Interval)
        return found

    def choose(self, alternatives: list[Rows]) -> None:
        """Demand that the rows of one of ``alternatives`` hold."""
        if len(alternatives) == 1:
            self.inequalities += alternatives[0]
            return
        count = len(alternatives)
        for each in self.choices:
            count *= len(each)
        if count > MOST_ALTERNATIVES:
            self.is_exact = False
        else:
            self.choices.append(alternatives)

    def solved(self, wanted: Sequence[Row]) -> tuple[list[System], list[Row]]:
        """Return systems of inequalities, and ``wanted`` in their unknowns.

        One of them has to have a solution; those that are found to have none are left out.
        """
        rows = [row for choice in self.choices for rows in choice for row in rows]
        found = solve_equations(System(self.equations, self.inequalities), [*wanted, *rows])
        if found is None:
            return [], list(wanted)
        base, images = found
        left = iter(images[len(wanted) :])
        systems = [] if self.patience.is_feasible(base) is False else [base]
        for choice in self.choices:
            alternatives = [[next(left) for _ in rows] for rows in choice]
            tried = [each.having((), rows) for each in systems for rows in alternatives]
            systems = [each for each in tried if self.patience.is_feasible(each) is not False]
        return systems, images[: len(wanted)]


class Instance:
    """The execution of one access: unknowns of the loops around it, and what is demanded of them.

    Attributes:
        coordinates: For each loop, the value of its variable; of a ``PolyFor``, the number of its
            iteration.
    """

    def __init__(self, iterations: Iterations, place: Place) -> None:
        self._iterations = iterations
        self._lane: Row | None = None
        self._values: dict[tuple[Around, Var], Row] = {}
        self._quotients: dict[Hashable, tuple[Row, Row]] = {}
        self.coordinates: dict[Around, Row] = {}
        for around in arounds(place):
            self._enter(around)

    def translate(self, expr: Expr, place: Place, depth: int = 0) -> Row:
        """Return a sum of unknowns that is the value of ``expr``, an integer, at ``place``."""
        iterations = self._iterations
        if not expr.type.is_integer:
            return self._opaque(expr, place)
        form = linear_form(expr, iterations.context)
        found: Row = Affine(form.constant, {})
        for term, coefficient in form.terms.items():
            found = found.plus(self._term(term, place, depth + 1), coefficient)
        return self._wrapped(found, expr)

    def demand(self, condition: Expr, place: Place, *, holds: bool) -> None:
        """Demand that a condition holds, or does not."""
        alternatives = self._alternatives(condition, place, holds)
        if alternatives is None:
            self._iterations.is_exact = False
        else:
            self._iterations.choose(alternatives)

    def set_lanes(self, lanes: int) -> None:
        """Say that what is translated next are vectors of so many elements, one of which counts."""
        self._lane = self._iterations.unknown(Interval(0, lanes - 1)) if lanes > 1 else None

    def _enter(self, around: Around) -> None:
        if isinstance(around.loop, For):
            self._enter_for(around, around.loop)
        elif around.loop is not None:
            self._enter_poly_for(around, around.loop)
        elif around.branch is not None:
            self.demand(around.branch.condition, around.place, holds=around.holds)
        for axis in around.axes:
            self._enter_axis(around, axis)

    def _enter_for(self, around: Around, loop: For) -> None:
        first = self.translate(loop.min, around.place)
        count = self.translate(loop.extent, around.place)
        self._values[around, loop.loop_var] = self._counted(
            loop.loop_var, first, first.plus(count).plus(_ONE, -1)
        )
        self.coordinates[around] = self._values[around, loop.loop_var]

    def _counted(self, var: Var, first: Row, last: Row) -> Row:
        """Return what a variable is that runs from ``first`` to ``last``, one by one."""
        iterations = self._iterations
        low, high = iterations.interval(first).low, iterations.interval(last).high
        whole = type_range(var.type) if var.type.is_integer else _ANY
        if not whole.covers(Interval(low, max(low, high))):
            iterations.is_exact = False  # it may wrap around
            return iterations.unknown(whole)
        value = iterations.unknown(Interval(low, max(low, high)))
        if first.terms:
            iterations.inequalities.append(value.plus(first, -1))
        if last.terms or high < low:
            iterations.inequalities.append(last.plus(value, -1))
        return value

    def _enter_poly_for(self, around: Around, loop: PolyFor) -> None:
        """Say what is known where the condition of a ``PolyFor`` is asked, by how often it was."""
        iterations = self._iterations
        var = loop.iterator
        whole = type_range(var.type) if var.type.is_integer else _ANY
        step = self._step(loop)
        first = self.translate(loop.init, around.place)
        last = self._last_of_poly_for(around, loop, step) if step else None
        if last is None or not whole.holds(last + step):
            iterations.is_exact = False  # it may wrap around
            self.coordinates[around] = iterations.unknown(_COUNT)
            self._values[around, var] = iterations.unknown(whole)
            return
        start = iterations.interval(first)
        reached = Interval(min(start.low, last + step), max(start.high, last + step))
        most = reached.high - start.low if step > 0 else start.high - reached.low
        number = self.coordinates[around] = iterations.unknown(Interval(0, most // abs(step)))
        value = self._values[around, var] = iterations.unknown(reached)
        iterations.equations.append(first.plus(number, step).plus(value, -1))

    def _step(self, loop: PolyFor) -> int:
        """Return by how much a ``PolyFor`` goes on, 0 if that is not known to be one number."""
        if not (loop.inc.type.is_integer and loop.inc.type == loop.iterator.type):
            return 0
        if loop.iterator in self._iterations.context.assigned:
            return 0
        step = linear_form(loop.inc, self._iterations.context)
        return step.constant if step.is_constant else 0

    def _last_of_poly_for(self, around: Around, loop: PolyFor, step: int) -> int | None:
        """Return what the iterator does not go beyond while the condition holds; ``None``: no such.

        The condition has to be the same question each time, which is answered no from some
        iteration on.
        """
        found: int | None = None
        for condition in ops.conjuncts(loop.condition):
            last = self._last_where(condition, around, loop.iterator, step)
            if last is None:
                self._iterations.is_exact = False
            elif found is None or (last < found) == (step > 0):
                found = last
        return found

    def _last_where(self, condition: Expr, around: Around, var: Var, step: int) -> int | None:
        match condition:
            case ops.LT() | ops.LE():
                least, greatest = condition.a, condition.b
            case ops.GT() | ops.GE():
                least, greatest = condition.b, condition.a
            case _:
                return None
        moving, limit = (least, greatest) if step > 0 else (greatest, least)
        if moving is not var or not self._is_invariant(limit, var):
            return None
        bound = self._iterations.interval(self.translate(limit, around.place))
        strict = int(isinstance(condition, (ops.LT, ops.GT)))
        return bound.high - strict if step > 0 else bound.low + strict

    def _is_invariant(self, limit: Expr, var: Var) -> bool:
        context = self._iterations.context
        variables = context.numbers.stable_variables(limit)
        if variables is None:
            return False
        return var not in variables and context.assigned.isdisjoint(variables)

    def _enter_axis(self, around: Around, axis: Var) -> None:
        if axis.lower_bound is None or axis.upper_bound is None:
            self._iterations.is_exact = False
            self._values[around, axis] = self._iterations.unknown(type_range(axis.type))
            return
        first = self.translate(axis.lower_bound, around.place)
        end = self.translate(axis.upper_bound, around.place)
        self._values[around, axis] = self._counted(axis, first, end.plus(_ONE, -1))

    def _term(self, term: Expr, place: Place, depth: int) -> Row:
        """Return a sum of unknowns that is the value of a term of a linear form."""
        iterations = self._iterations
        if depth > _DEEPEST:
            return self._opaque(term, place)
        match term:
            case Var():
                return self._variable(term, place, depth)
            case ops.Div() | ops.Mod():
                return self._quotient(term, place, depth)
            case ops.Min() | ops.Max():
                return self._extreme(term, place, depth)
            case ops.Select() if term.condition.type.is_scalar:
                return self._selected(term, place, depth)
            case ops.Ramp() if self._lane is not None:
                stride = linear_form(term.stride, iterations.context)
                if stride.is_constant:
                    base = self.translate(term.base, place, depth)
                    return self._wrapped(base.plus(self._lane, stride.constant), term)
            case _ if term.type.is_bool and term.type.is_scalar:
                return self._truth(term, place, depth)
            case _ if term.type.is_integer and not term.type.is_bool:
                form = linear_form(term, iterations.context)
                if term not in form.terms:  # a sum that is converted to a wider type
                    return self.translate(term, place, depth)
        return self._opaque(term, place)

    def _variable(self, var: Var, place: Place, depth: int) -> Row:
        if var in self._iterations.context.assigned:
            return self._opaque(var, place)
        bound = place.values.get(var, _FREE)
        if isinstance(bound, Around):
            return self._values[bound, var]
        if bound is _FREE:
            return self._symbol(var, var)
        if isinstance(bound, Binding) and bound.expr.type == var.type:
            return self.translate(bound.expr, bound.place, depth)
        return self._opaque(var, place)

    def _symbol(self, term: Expr, key: Hashable) -> Row:
        """Return the unknown of what is the same for all iterations."""
        symbols = self._iterations.symbols
        if key not in symbols:
            symbols[key] = self._iterations.unknown(self._iterations.range_of(term))
        return symbols[key]

    def _opaque(self, term: Expr, place: Place) -> Row:
        """Return an unknown for a term of which nothing is known but its interval."""
        iterations = self._iterations
        iterations.is_exact = False
        variables = iterations.context.numbers.stable_variables(term)
        if variables is not None and iterations.context.assigned.isdisjoint(variables):
            bound = [place.values.get(var, _FREE) for var in variables]
            if all(each is _FREE for each in bound):
                return self._symbol(term, iterations.context.numbers.number(term))
        return iterations.unknown(iterations.range_of(term))

    def _quotient(self, term: ops.Div | ops.Mod, place: Place, depth: int) -> Row:
        """Return the quotient, or the remainder, by a constant."""
        iterations = self._iterations
        divisor = linear_form(term.b, iterations.context)
        if not divisor.is_constant or divisor.constant in (0, -1):
            return self._opaque(term, place)
        by = divisor.constant
        value = self.translate(term.a, place, depth)
        key = (value.constant, frozenset(value.terms.items()), by)
        if key not in self._quotients:
            self._quotients[key] = self._divide(value, by)
        return self._quotients[key][isinstance(term, ops.Mod)]

    def _divide(self, value: Row, by: int) -> tuple[Row, Row]:
        iterations, most = self._iterations, abs(by) - 1
        interval = iterations.interval(value)
        low, high = (-most if interval.low < 0 else 0), (most if interval.high > 0 else 0)
        quotients = div(interval, Interval(by, by))
        assert quotients is not BOTTOM
        quotient, rest = iterations.unknown(quotients), iterations.unknown(Interval(low, high))
        iterations.equations.append(quotient.times(by).plus(rest).plus(value, -1))
        if low < 0 < high:  # the remainder has the sign of the dividend
            iterations.choose([[value, rest], [value.times(-1), rest.times(-1)]])
        return quotient, rest

    def _extreme(self, term: ops.Min | ops.Max, place: Place, depth: int) -> Row:
        a, b = self.translate(term.a, place, depth), self.translate(term.b, place, depth)
        first_is_less = [b.plus(a, -1)]
        second_is_less = [a.plus(b, -1)]
        if isinstance(term, ops.Max):
            first_is_less, second_is_less = second_is_less, first_is_less
        return self._one_of([(first_is_less, a), (second_is_less, b)])

    def _selected(self, term: ops.Select, place: Place, depth: int) -> Row:
        where = self._alternatives(term.condition, place, True, depth)
        where_not = self._alternatives(term.condition, place, False, depth)
        if where is None or where_not is None:
            return self._opaque(term, place)
        a = self.translate(term.true_value, place, depth)
        b = self.translate(term.false_value, place, depth)
        return self._one_of([(rows, a) for rows in where] + [(rows, b) for rows in where_not])

    def _truth(self, term: Expr, place: Place, depth: int) -> Row:
        where = self._alternatives(term, place, True, depth)
        where_not = self._alternatives(term, place, False, depth)
        if where is None or where_not is None:
            return self._opaque(term, place)
        return self._one_of(
            [(rows, _ONE) for rows in where] + [(rows, _ZERO) for rows in where_not]
        )

    def _one_of(self, cases: Sequence[tuple[Rows, Row]]) -> Row:
        """Return an unknown that is, where the rows of one case hold, the value of that case."""
        iterations = self._iterations
        found = iterations.unknown(hull_of([iterations.interval(value) for _, value in cases]))
        iterations.choose(
            [[*rows, found.plus(value, -1), value.plus(found, -1)] for rows, value in cases]
        )
        return found

    def _alternatives(
        self, condition: Expr, place: Place, holds: bool, depth: int = 0
    ) -> list[Rows] | None:
        """Return rows, those of one of which hold just where ``condition`` does, or does not.

        ``None`` where that is not affine, or takes too many.
        """
        if depth > _DEEPEST:
            return None
        match condition:
            case ops.UIntImm():
                return [[]] if bool(condition.value) == holds else []
            case ops.Not():
                return self._alternatives(condition.v, place, not holds, depth + 1)
            case ops.And() | ops.Or():
                a = self._alternatives(condition.a, place, holds, depth + 1)
                b = self._alternatives(condition.b, place, holds, depth + 1)
                both = isinstance(condition, ops.And) == holds
                if a is None or b is None:
                    return (a or b) if both and self._give_up() else None
                found = [x + y for x in a for y in b] if both else a + b
                return found if len(found) <= MOST_ALTERNATIVES else None
            case ops.ComparisonNode() if condition.type.is_scalar and condition.a.type.is_integer:
                first = self.translate(condition.a, place, depth + 1)
                second = self.translate(condition.b, place, depth + 1)
                return _compared(type(condition), first.plus(second, -1), holds)
        return None

    def _give_up(self) -> bool:
        self._iterations.is_exact = False
        return True

    def _wrapped(self, value: Row, term: Expr) -> Row:
        """Return ``value`` cut to the width of the type of ``term``."""
        iterations, whole = self._iterations, type_range(term.type)
        interval = iterations.interval(value)
        size = whole.high - whole.low + 1
        turns = (interval.low - whole.low) // size
        if interval.high - turns * size <= whole.high:
            return Affine(value.constant - turns * size, value.terms)
        most = (interval.high - whole.low) // size
        found, turn = iterations.unknown(whole), iterations.unknown(Interval(turns, most))
        iterations.equations.append(value.plus(turn, -size).plus(found, -1))
        return found


def _compared(kind: type[ops.ComparisonNode], difference: Row, holds: bool) -> list[Rows]:
    """Return rows, those of one of which hold just where ``difference`` compares so with 0."""
    less = difference.times(-1)
    above, below = difference.plus(_ONE, -1), less.plus(_ONE, -1)
    found: dict[type[ops.ComparisonNode], tuple[list[Rows], list[Rows]]] = {
        ops.LT: ([[below]], [[difference]]),
        ops.LE: ([[less]], [[above]]),
        ops.GT: ([[above]], [[less]]),
        ops.GE: ([[difference]], [[below]]),
        ops.EQ: ([[difference, less]], [[above], [below]]),
        ops.NE: ([[above], [below]], [[difference, less]]),
    }
    return found[kind][not holds]


_ZERO: Final[Row] = Affine(0, {})
_ONE: Final[Row] = Affine(1, {})
_ANY: Final = Interval(-(1 << 64), 1 << 64)
_COUNT: Final = Interval(0, 1 << 65)
_FREE: Final = object()
