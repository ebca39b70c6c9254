"""Order of accesses before and after blocks are moved, decided by systems of integers.

What is executed is told apart by the values of variables: those of schedule blocks, and of loops
that both programs have. A move is refused where two accesses of one element, of which one writes,
are made in one order before and may be made in the other one after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from relayish.dataflow.lattice.interval import Interval
from relayish.errors import ScheduleError
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.dependence.accesses import (
    OUTERMOST,
    Access,
    Accesses,
    arounds,
    collect_accesses,
)
from relayish.tir.analysis.dependence.finder import common_loops
from relayish.tir.analysis.dependence.iterations import Instance, Iterations, Rows
from relayish.tir.analysis.dependence.same_element import equate_elements
from relayish.tir.analysis.linear.integer_system import Row, System
from relayish.tir.analysis.linear.linear_form import LinearForm, expr_of_form
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import For, PolyFor
from relayish.tir.ir.tensor import Store, Var
from relayish.tir.ir.type import Type
from relayish.tir.schedule.reduction_steps import free_steps
from relayish.tir.verifier.dependences import quote


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


Same: TypeAlias = tuple[tuple[Expr, Expr], ...]
"""Expressions that are equal: the one where an access was made, the other where it will be."""


class Move(NamedTuple):
    """An access, where it is made instead, and what tells which execution becomes which.

    Attributes:
        access: As it was.
        image: As it will be; the same where nothing of it changes.
        same: What is equal for both.
        block: The name of the innermost block around it.
        variables: Those of that block.
    """

    access: Access
    image: Access
    same: Same = ()
    block: str = ""
    variables: tuple[Node, ...] = ()

    @classmethod
    def unmoved(cls, access: Access) -> Move:
        """Return that of an access that stays where it is."""
        return cls(access, access)


def check_moves(
    moved: Sequence[Move],
    others: Sequence[Move],
    context: Context,
    what: str,
    *,
    within: int = 0,
    steps: Mapping[Node, Store] | None = None,
) -> None:
    """Raise if two accesses of one element would be made in another order.

    Args:
        moved: What is moved; each is compared with each, and with itself.
        others: What it is compared with besides.
        context: What is known outside.
        what: The primitive.
        within: How many of the outer loops the images of two that are both moved have in common, to
            be compared: others are known not to matter.
        steps: Those of reductions that may be made in any order, as ``free_steps`` tells them.

    Raises:
        ScheduleError: Naming the accesses, an iteration of each, and what would make it legal.

    Complexity:
        Quadratic in the accesses of a location that is accessed by what is moved, times what it
        takes to decide one pair.
    """
    known = steps or {}
    moved, others = _one_for_each_element(moved, known), _one_for_each_element(others, {})
    for at, one in enumerate(moved):
        for other in moved[at:]:
            _check_pair(one, other, context, what, within, known)
        for other in others:
            _check_pair(one, other, context, what, 0, {})


def _one_for_each_element(moves: Sequence[Move], steps: Mapping[Node, Store]) -> list[Move]:
    """Return one of the accesses of a block to the same element, which does what all of them do.

    Others come before and after the same accesses of other executions.
    """
    found: dict[Hashable, Move] = {}
    for move in moves:
        access = move.access
        key = (move.variables, access.place.around, access.location, access.tensor, access.indices)
        whole = (*key, steps.get(access.node)) if move.variables else (access, move.image)
        known = found.get(whole, move)
        reads, writes = access.reads or known.access.reads, access.writes or known.access.writes
        chosen = move if access.writes else known
        if (reads, writes) != (chosen.access.reads, chosen.access.writes):
            chosen = chosen._replace(access=replace(chosen.access, reads=reads, writes=writes))
        found[whole] = chosen
    return list(found.values())


def _check_pair(
    one: Move, other: Move, context: Context, what: str, within: int, steps: Mapping[Node, Store]
) -> None:
    a, b = one.access, other.access
    if not (a.writes or b.writes):
        return
    if a.location is not None and b.location is not None and a.location != b.location:
        return
    step = steps.get(a.node)
    if step is not None and step is steps.get(b.node):
        return
    for source, sink in [(one, other)] if one is other else [(one, other), (other, one)]:
        found = _reversed(source, sink, context, within)
        if found is not None:
            raise ScheduleError(_refusal(source.access, sink.access, found, what))


def _reversed(source: Move, sink: Move, context: Context, within: int) -> Found | None:
    """Return executions of accesses that are made in one order, and then in the other."""
    question = Question(context)
    first, second = question.execute(source.access), question.execute(sink.access)
    question.demand_same_element(first, second)
    question.demand_before(first, second)
    images: list[Execution] = []
    for move, own in ((source, first), (sink, second)):
        image = own if move.image is move.access else question.execute(move.image)
        for one, other in move.same:
            question.demand_equal(own.value(one), image.value(other))
        images.append(image)
    outer = [each.loops[:within] for each in images]
    for (_, one_iteration), (_, other_iteration) in zip(*outer, strict=True):
        question.demand_equal(one_iteration, other_iteration)
    question.demand_before(images[1], images[0])
    return question.answer(first, second)


def _refusal(source: Access, sink: Access, found: Found, what: str) -> str:
    return (
        f"{what} would change what is computed: {in_order(source, sink, found)}, and would come "
        f"before it; expected a place that keeps their order, or that both are moved"
    )


def in_order(source: Access, sink: Access, found: Found) -> str:
    """Return in which order two accesses have to be made, of which iterations were found."""
    one, other = found.when()
    sure = "" if found.is_exact else " (it is not known that it need not)"
    return f"{quote(sink.node)}{other} has to come after {quote(source.node)}{one}{sure}"


class Programs:
    """The accesses of a program, and of another in which some of its blocks stand elsewhere.

    Args:
        before: The program.
        after: The other one. What is evaluated in blocks are the same nodes in both.
    """

    def __init__(self, before: Stmt, after: Stmt) -> None:
        self.before, self.after = collect_accesses(before), collect_accesses(after)
        self.steps = free_steps(before)

    def moves(self, loops: Mapping[Var, Var]) -> Iterator[Move]:
        """Yield the accesses of the program before that the other has as well.

        Args:
            loops: The variables of loops that are left, with those of the loops instead.
        """
        images = dict(_keyed(self.after))
        for key, access in _keyed(self.before):
            image = images.get(key)
            if image is not None:
                known = image.place.values
                pairs = [(var, loops.get(var, var)) for var in access.place.values]
                same = tuple([(var, other) for var, other in pairs if other in known])
                yield Move(access, image, same, key[0], key[1])


def _keyed(accesses: Accesses) -> Iterator[tuple[_Key, Access]]:
    """Yield accesses by the innermost block around each, and their number among the same in it."""
    owners: list[tuple[str, tuple[Node, ...]]] = [("", ())] * len(accesses.all)
    for block, start, stop in accesses.blocks:  # inner ones last
        owners[start:stop] = [(block.name, block.iter_vars)] * (stop - start)
    counts: Counter[_Key] = Counter()
    for access, (name, variables) in zip(accesses.all, owners, strict=True):
        counts[name, variables, access.node, 0] += 1
        yield (name, variables, access.node, counts[name, variables, access.node, 0]), access


_Key: TypeAlias = tuple[str, tuple[Node, ...], Node, int]
