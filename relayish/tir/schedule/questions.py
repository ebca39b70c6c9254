"""Questions about executions of accesses, answered by systems of integers.

An execution is told apart by the iterations of the loops around it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from relayish.dataflow.lattice.interval import Interval
from relayish.tir.analysis.dependence.accesses import OUTERMOST, Access, arounds
from relayish.tir.analysis.dependence.finder import common_loops
from relayish.tir.analysis.dependence.iterations import Instance, Iterations, Rows
from relayish.tir.analysis.dependence.same_element import equate_elements
from relayish.tir.analysis.linear.integer_system import Row, System
from relayish.tir.analysis.linear.linear_form import LinearForm, expr_of_form
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import For, PolyFor
from relayish.tir.ir.type import Type


class Execution(NamedTuple):
    """An access that is made once, in some iteration of the loops around it."""

    access: Access
    instance: Instance

    def value(self, expr: Expr) -> Row:
        """Return the value of an expression where the access is made."""
        return self.instance.translate(expr, self.access.place)

    @property
    def loops(self) -> list[tuple[For | PolyFor, Row]]:
        """The loops around it, the outermost first, with the iteration of each."""
        found = [(each.loop, each) for each in arounds(self.access.place)]
        coordinates = self.instance.coordinates
        return [(loop, coordinates[each]) for loop, each in found if loop is not None]


class Found(NamedTuple):
    """Executions for which all that was demanded holds.

    Attributes:
        iterations: Of each that was asked about, the values of the variables of its loops.
        is_exact: Whether there are such; else it is not known that there are none.
    """

    iterations: tuple[str, ...]
    is_exact: bool

    def when(self) -> list[str]:
        """Return for each what messages add to an access, ``" at i = 0"`` or nothing."""
        return [f" at {each}" if each else "" for each in self.iterations]


class Question:
    """Asks whether accesses may be executed such that what is demanded of them holds.

    Args:
        context: What is known outside.
    """

    def __init__(self, context: Context) -> None:
        self._iterations = Iterations(context)
        self._orders: list[list[Rows]] = []

    def execute(self, access: Access) -> Execution:
        """Return an execution of an access."""
        return Execution(access, Instance(self._iterations, access.place))

    def demand_same_element(self, a: Execution, b: Execution) -> None:
        """Demand that both access one element."""
        equate_elements(self._iterations, (a.access, a.instance), (b.access, b.instance))

    def demand_equal(self, a: Row, b: Row) -> None:
        """Demand that two values are equal."""
        self._iterations.equations.append(a.plus(b, -1))

    def demand_beyond(
        self, execution: Execution, expr: Expr, bound: LinearForm, *, below: bool
    ) -> None:
        """Demand that the value of an expression is below a bound, or else above it."""
        apart = execution.value(expr).plus(outside(self._iterations, bound, expr.type), -1)
        self._iterations.inequalities.append(apart.times(-1 if below else 1).shifted(-1))

    def demand_before(self, a: Execution, b: Execution) -> None:
        """Demand that ``a`` is made before ``b``, of the same program."""
        cases: list[Rows] = []
        held: Rows = []
        for each in common_loops(a.access, b.access):
            apart = b.instance.coordinates[each].plus(a.instance.coordinates[each], -1)
            cases.append([*held, apart.shifted(-1)])
            held = [*held, apart, apart.times(-1)]
        if a.access.position < b.access.position:
            cases.append(held)
        self._orders.append(cases)

    def demand_less(self, a: Row, b: Row) -> None:
        """Demand that a value is less than another."""
        self._iterations.inequalities.append(b.plus(a, -1).shifted(-1))

    def demand_before_in(self, a: Execution, b: Execution, loops: Sequence[For]) -> None:
        """Demand that ``a`` is in an earlier iteration than ``b``, of loops in some order."""
        around = {each.loop: each for each in common_loops(a.access, b.access)}
        cases: list[Rows] = []
        held: Rows = []
        for loop in loops:
            if loop in around:
                each = around[loop]
                apart = b.instance.coordinates[each].plus(a.instance.coordinates[each], -1)
                cases.append([*held, apart.shifted(-1)])
                held = [*held, apart, apart.times(-1)]
        self._orders.append(cases)

    def answer(self, *asked: Execution) -> Found | None:
        """Return executions as demanded; ``None`` where there are none.

        Args:
            asked: Those whose iterations are to be told.
        """
        iterations = self._iterations
        rows = [row for cases in self._orders for case in cases for row in case]
        told = [row for each in asked for _, row in each.loops]
        systems, images = iterations.solved([*rows, *told])
        spans = [iterations.interval(row) for row in told]
        left = iter(images)
        orders = [[[next(left) for _ in case] for case in cases] for cases in self._orders]
        coordinates = list(left)
        pending = [(each, 0) for each in reversed(systems)]
        while pending:
            system, depth = pending.pop()
            found = iterations.patience.is_feasible(system)
            if found is False:
                continue
            if depth < len(orders):
                cases = [case for case in orders[depth] if not _is_contradiction(case)]
                pending += [(system.having((), case), depth + 1) for case in reversed(cases)]
                continue
            values = iter(self._solution(system, coordinates, spans) if found else ())
            shown = [", ".join(_spell(each, values)) for each in asked]
            return Found(tuple(shown), iterations.is_exact and found is True)
        return None

    def _solution(
        self, system: System, rows: Sequence[Row], spans: Sequence[Interval]
    ) -> list[int]:
        """Return values of rows that are possible together: of each the least, given those before.

        Complexity:
            As many questions as the ranges of the rows have binary digits.
        """
        found: list[int] = []
        for row, span in zip(rows, spans, strict=True):
            low, high = int(span.low), int(span.high)
            while low < high:
                middle = (low + high) // 2
                below = system.having((), [row.times(-1).shifted(middle)])
                if self._iterations.patience.is_feasible(below) is False:
                    low = middle + 1
                else:
                    high = middle
            found.append(low)
            system = system.having([row.shifted(-low)])
        return found


def _is_contradiction(rows: Rows) -> bool:
    """Return whether a row is a number, and negative."""
    return any(row.constant < 0 and not row.terms for row in rows)


def outside(iterations: Iterations, form: LinearForm, ty: Type) -> Row:
    """Return the value of a form in which variables from outside occur."""
    return Instance(iterations, OUTERMOST).translate(expr_of_form(form, ty), OUTERMOST)


def _spell(execution: Execution, values: Iterator[int]) -> Iterator[str]:
    for loop, _ in execution.loops:
        value = next(values, None)
        if value is not None:
            yield f"{(loop.loop_var if isinstance(loop, For) else loop.iterator).name} = {value}"


def may_meet(one: Access, other: Access, context: Context) -> bool:
    """Return whether two accesses, in whatever iterations, may be to one element."""
    question = Question(context)
    question.demand_same_element(question.execute(one), question.execute(other))
    return question.answer() is not None
