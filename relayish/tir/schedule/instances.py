"""Instances of blocks: which combinations of values their variables have, and how often."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final, NamedTuple, TypeAlias

from relayish.dataflow.lattice.interval import Interval, add, div, scale
from relayish.dataflow.lattice.symbols import BOTTOM
from relayish.ir.scopes.scoping import PROGRAM, bound_by
from relayish.tir.analysis.dependence.accesses import Access, arounds
from relayish.tir.analysis.dependence.iterations import Instance, Iterations
from relayish.tir.analysis.facts.scopes import enter_block, enter_loop
from relayish.tir.analysis.facts.symbolic_bounds import symbolic_bounds
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.linear.integer_system import Row, System
from relayish.tir.analysis.linear.linear_form import LinearForm, expr_of_form, linear_form
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import GE, LE, Div, Expr
from relayish.tir.ir.stmt import For, PolyFor, ScheduleBlockRealize
from relayish.tir.ir.tensor import Var
from relayish.tir.schedule.paths import path_to
from relayish.tir.schedule.questions import Question, outside
from relayish.tir.schedule.state import Ref


class Span(NamedTuple):
    """Values from one on to another, both included: what all bounds leave.

    Attributes:
        lower: What a value is at least: the greatest of these.
        upper: What it is at most: the least of these.
    """

    lower: tuple[LinearForm, ...]
    upper: tuple[LinearForm, ...]


Box: TypeAlias = Sequence[Span]
"""The values of each of some variables, whatever the others are."""


def domain(block: Ref, region: Ref) -> Box | None:
    """Return between which bounds the variables of a block are, for all iterations in a region.

    Args:
        block: The place of the block.
        region: That of a statement around it.

    Returns:
        ``None`` where a value may wrap around.
    """
    path = path_to(region, block)
    realize = path[-1]
    assert isinstance(realize, ScheduleBlockRealize)
    inner = [var for stmt in path[:-1] for var in bound_by(stmt) if isinstance(var, Var)]
    known = [block.state.context(block), _whatever_holds(path, block.state.context(region))]
    found: list[Span] = []
    for value in realize.iter_values:
        told = [symbolic_bounds(value, inner, context) for context in known]
        bounds = [each for each in told if each is not None]
        if not bounds:
            return None
        interval = _interval(value, known[0])
        lower = [_at_least(each.lower, interval) for each in bounds]
        upper = [_at_most(each.upper, interval) for each in bounds]
        found.append(Span(_distinct(lower), _distinct(upper)))
    return found


def _whatever_holds(path: Sequence[Stmt], context: Context) -> Context:
    """Return what is known at the end of a path but for conditions on it."""
    for stmt in path[:-1]:
        if isinstance(stmt, (For, PolyFor)):
            context = enter_loop(context, stmt)
        elif isinstance(stmt, ScheduleBlockRealize):
            context = enter_block(context, stmt)
    return context


def _distinct(forms: Sequence[LinearForm]) -> tuple[LinearForm, ...]:
    return tuple([each for at, each in enumerate(forms) if each not in forms[:at]])


def _interval(value: Expr, context: Context) -> Interval:
    """Return an interval of a value; of quotients, by what is known of sums that are divided."""
    form = linear_form(value, context)
    found = Interval(form.constant, form.constant)
    for term, factor in form.terms.items():
        known = interval_of(term, context)
        if isinstance(term, Div):
            exact = div(interval_of(term.a, context), interval_of(term.b, context))
            known = known if exact is BOTTOM else (known.meet(exact) or known)
        found = add(found, scale(known, factor))
    return found.meet(interval_of(value, context)) or found


def _at_least(form: LinearForm, known: Interval) -> LinearForm:
    """Return a lower bound; a number that is as great as an interval tells."""
    return form if form.terms else Affine(max(form.constant, int(known.low)), {})


def _at_most(form: LinearForm, known: Interval) -> LinearForm:
    return form if form.terms else Affine(min(form.constant, int(known.high)), {})


def runs_once(access: Access, exprs: Sequence[Expr], context: Context) -> bool:
    """Return whether an access is made at most once for each combination of values.

    Args:
        access: The access.
        exprs: What is evaluated where it is made. Loops inside of what binds their variables tell
            accesses apart as well.
        context: What is known outside.
    """
    question = Question(context)
    one, other = question.execute(access), question.execute(access)
    variables = {each for each in PROGRAM.pre_order(list(exprs)) if isinstance(each, Var)}
    for expr in exprs:
        question.demand_equal(one.value(expr), other.value(expr))
    for around in arounds(access.place):
        if around.loop is not None and any(var in around.place.values for var in variables):
            coordinates = [each.instance.coordinates[around] for each in (one, other)]
            question.demand_equal(*coordinates)
    question.demand_before(one, other)
    return question.answer() is None


def guards_of(access: Access, exprs: Sequence[Expr], box: Box, context: Context) -> list[Expr]:
    """Return conditions under which values are in a box, without those that always hold.

    Args:
        access: Where they are evaluated.
        exprs: The values.
        box: The box.
        context: What is known outside.
    """
    found: list[Expr] = []
    for expr, span in zip(exprs, box, strict=True):
        bounds = [(each, True) for each in span.lower] + [(each, False) for each in span.upper]
        for bound, is_lower in bounds:
            question = Question(context)
            question.demand_beyond(question.execute(access), expr, bound, below=is_lower)
            if question.answer() is not None:
                limit = expr_of_form(bound, expr.type)
                found.append(GE(expr, limit) if is_lower else LE(expr, limit))
    return found


def covers(access: Access, exprs: Sequence[Expr], box: Box, context: Context) -> bool:
    """Return whether values become each combination in a box; ``False`` where that is not known.

    Args:
        access: Where they are evaluated.
        exprs: The values.
        box: The box.
        context: What is known outside.
    """
    iterations = Iterations(context)
    ends: list[_Ends] = []
    for expr, span in zip(exprs, box, strict=True):
        lower, upper = [[outside(iterations, each, expr.type) for each in part] for part in span]
        ends.append((lower, upper))
    cover = _Cover(iterations, access, exprs)
    return cover.is_product(ends) or cover.has_points(ends)


_Ends: TypeAlias = tuple[Sequence[Row], Sequence[Row]]
"""The bounds of a span: lower and upper ones."""


class _Cover:
    """What values expressions have together, in all iterations of the loops around an access."""

    def __init__(self, iterations: Iterations, access: Access, exprs: Sequence[Expr]) -> None:
        self._iterations = iterations
        start = len(iterations.ranges)
        equations, known = len(iterations.equations), len(iterations.inequalities)
        instance = Instance(iterations, access.place)
        self._rows = [instance.translate(each, access.place) for each in exprs]
        symbols = {var for row in iterations.symbols.values() for var in row.terms}
        self._own = set(range(start, len(iterations.ranges))) - symbols
        self._equations = iterations.equations[equations:]
        self._demands = iterations.inequalities[known:]

    def is_product(self, ends: Sequence[_Ends]) -> bool:
        """Return whether each variable goes through its range, whatever the others are."""
        if not self._iterations.is_exact or self._iterations.choices:
            return False
        solved = self._without_equations()
        if solved is None:
            return False
        rows, demands = solved
        used = [var for row in rows for var in row.terms if var in self._own]
        if len(set(used)) < len(used):
            return False
        for var in self._own.difference(used):
            projected = _without_unknown(demands, var)
            if projected is None:
                return False
            demands = projected
        ranges = _Ranges()
        joint: list[Row] = []
        alone = [self._only_unknown(row) for row in rows]
        for demand in demands:
            own = [var for var in demand.terms if var in self._own]
            if not own and not self._is_never_negative(demand):
                return False  # it may be that nothing is run
            if len(own) > 1 or (own and own[0] in alone):
                joint.append(demand)
            elif own and not ranges.add(demand, own[0]):
                return False
        for row, unknown, (lower, upper) in zip(rows, alone, ends, strict=True):
            reached: tuple[Row | None, Row | None] | None = (None, None)
            if unknown is None:
                reached = self._reach(row, ranges)
            if reached is None:
                return False
            least, greatest = reached
            if least is not None and not self._is_reached(least, lower, 1):
                return False
            if greatest is not None and not self._is_reached(greatest, upper, -1):
                return False
        return all(self._holds_in(demand, rows, ends) for demand in joint)

    def _only_unknown(self, row: Row) -> int | None:
        """Return the unknown of a row that has one, once; its demands say what the row is."""
        own = [var for var in row.terms if var in self._own]
        return own[0] if len(own) == 1 and abs(row.terms[own[0]]) == 1 else None

    def _is_reached(self, end: Row, bounds: Sequence[Row], sign: int) -> bool:
        """Return whether a lower end, or for a negative sign an upper one, is beyond a bound."""
        return any(self._is_never_negative(each.plus(end, -1).times(sign)) for each in bounds)

    def _without_equations(self) -> tuple[list[Row], list[Row]] | None:
        """Return rows and demands in which equations are solved, for unknowns of their own."""
        rows, demands = list(self._rows), list(self._demands)
        pending = list(self._equations)
        while pending:
            equation = pending.pop()
            used = {var for row in rows for var in row.terms}
            own = [v for v, c in equation.terms.items() if v in self._own and abs(c) == 1]
            if not own:
                return None
            var = min(own, key=lambda each: each in used)
            image = equation.plus(Affine(0, {var: equation.terms[var]}), -1)
            image = image.times(-equation.terms[var])
            rows = [each.replacing(var, image) for each in rows]
            demands = [each.replacing(var, image) for each in demands]
            pending = [each.replacing(var, image) for each in pending]
        return rows, demands

    def _reach(self, row: Row, ranges: _Ranges) -> tuple[Row, Row] | None:
        """Return the least and the greatest value of a row, if it has all between these."""
        own = [var for var in row.terms if var in self._own]
        least = greatest = Affine(
            row.constant, {var: value for var, value in row.terms.items() if var not in own}
        )
        width: int | None = 1
        for var in sorted(own, key=lambda each: abs(row.terms[each])):
            factor = row.terms[var]
            low, high = self._nearest(ranges.low[var], 1), self._nearest(ranges.high[var], -1)
            if low is None or high is None:
                return None
            spread = high.plus(low, -1)
            if width is None or (abs(factor) > width and spread != Affine(0, {})):
                return None
            first, last = (low, high) if factor > 0 else (high, low)
            least, greatest = least.plus(first, factor), greatest.plus(last, factor)
            width = None if spread.terms else width + abs(factor) * spread.constant
        return least, greatest

    def _nearest(self, bounds: Sequence[Row], sign: int) -> Row | None:
        """Return the greatest of lower bounds, or for a negative sign the least of upper ones."""
        return next(
            (
                each
                for each in bounds
                if all(
                    self._is_never_negative(each.plus(other, -1).times(sign)) for other in bounds
                )
            ),
            None,
        )

    def _holds_in(self, demand: Row, rows: Sequence[Row], ends: Sequence[_Ends]) -> bool:
        """Return whether a demand of several unknowns holds for all values that are asked about.

        That is where it is one of the values themselves.
        """
        rest, chosen = demand, []
        for row, (lower, upper) in zip(rows, ends, strict=True):
            own = [var for var in row.terms if var in self._own]
            if not own:
                continue
            var = min(own, key=lambda each: abs(row.terms[each]))
            share, left = divmod(demand.coefficient(var), row.terms[var])
            if left:
                return False
            rest = rest.plus(row, -share)
            chosen.append([each.times(share) for each in (lower if share > 0 else upper)])
        if any(var in self._own for var in rest.terms):
            return False
        return any(
            self._is_never_negative(functools.reduce(Affine.plus, parts, rest))
            for parts in product(*chosen)
        )

    def _is_never_negative(self, row: Row) -> bool:
        if self._iterations.interval(row).low >= 0:
            return True
        below = System((), [*self._limits(row), row.times(-1).shifted(-1)])
        return self._iterations.patience.is_feasible(below) is False

    def _limits(self, row: Row) -> Iterator[Row]:
        """Yield what is known of the unknowns of a row by themselves."""
        for var in row.terms:
            low, high = self._iterations.ranges[var]
            yield Affine(-int(low), {var: 1})
            yield Affine(int(high), {var: -1})

    def has_points(self, ends: Sequence[_Ends]) -> bool:
        """Return whether the values are few, and there is an iteration for each combination."""
        iterations = self._iterations
        bounds = [each for pair in ends for part in pair for each in part]
        if not iterations.is_exact or any(each.terms for each in bounds):
            return False
        spans = [
            range(max(low.constant for low in lower), min(high.constant for high in upper) + 1)
            for lower, upper in ends
        ]
        count = 1
        for span in spans:
            count *= len(span)
        if count > _MOST_POINTS:
            return False
        systems, images = iterations.solved(self._rows)
        return all(
            any(iterations.patience.is_feasible(each) for each in _at(systems, images, point))
            for point in product(*spans)
        )


class _Ranges:
    """Which bounds unknowns have, by themselves."""

    def __init__(self) -> None:
        self.low: dict[int, list[Row]] = {}
        self.high: dict[int, list[Row]] = {}

    def add(self, demand: Row, var: int) -> bool:
        """Add what a demand says of its only unknown; return whether it can be said."""
        factor = demand.terms[var]
        rest = demand.plus(Affine(0, {var: factor}), -1)
        if abs(factor) != 1 and rest.terms:
            return False
        if not rest.terms:
            rest = Affine(rest.constant // abs(factor), {})
        side, bound = (self.low, rest.times(-1)) if factor > 0 else (self.high, rest)
        side.setdefault(var, []).append(bound)
        return True


def _without_unknown(demands: Sequence[Row], var: int) -> list[Row] | None:
    """Return what demands leave for the other unknowns; ``None`` where that is not told exactly."""
    lower = [each for each in demands if each.coefficient(var) > 0]
    upper = [each for each in demands if each.coefficient(var) < 0]
    found = [each for each in demands if not each.coefficient(var)]
    for low, high in product(lower, upper):
        a, b = low.coefficient(var), -high.coefficient(var)
        if a == b > 1:  # there is one between if so many are
            together = low.plus(high)
            if together.terms or together.constant < a - 1:
                return None
        elif min(a, b) > 1:
            return None
        else:
            found.append(low.times(b).plus(high, a))
    return found


def _at(systems: Sequence[System], rows: Sequence[Row], point: Sequence[int]) -> Iterator[System]:
    """Yield systems in which rows have those values."""
    equations = [row.shifted(-value) for row, value in zip(rows, point, strict=True)]
    for system in systems:
        yield system.having(equations)


_MOST_POINTS: Final = 512
"""How many combinations of values are looked at one by one."""
