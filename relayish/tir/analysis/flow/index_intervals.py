"""Interval analysis: where the integer variables of a program lie, at each of its points.

The variables of loops, axes and schedule blocks lie between their bounds; scalars that are
declared and assigned, where what is assigned to them does; and where a condition was tested,
within what it allows. Loops are widened, so that counters of any sort come to rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Final

from relayish.dataflow.functor import ForwardDataFlow
from relayish.dataflow.graph import Action, FlowGraph, Procedure
from relayish.dataflow.graph.point import Branch
from relayish.dataflow.lattice.interval import EITHER, Interval, add
from relayish.dataflow.lattice.symbols import UNREACHABLE, Unreachable
from relayish.dataflow.registry import register_analysis
from relayish.dataflow.solver.analysis import Transfer
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, has_scopes
from relayish.tir.analysis.facts.scopes import assignments_among
from relayish.tir.analysis.flow.environments import (
    NOTHING_KNOWN,
    Environment,
    Environments,
    Outcome,
    interval_held,
)
from relayish.tir.analysis.flow.refinement import Refinement, variable_read
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import type_range, wrap
from relayish.tir.analysis.values.interval_rules import integer_interval
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.operators import ComparisonNode, Expr, IntImm, UIntImm
from relayish.tir.ir.stmt import Block, For, Let, PolyFor, ScheduleBlockRealize
from relayish.tir.ir.tensor import Store, Var
from relayish.tir.ir.traversal import NODES


class Values:
    """Where expressions lie in one state; each is looked at once.

    Attributes:
        context: What is known of them, for other analyses that are asked in this state.
    """

    def __init__(self, context: Context, repeats: dict[Expr, bool]) -> None:
        self.context = context
        self._repeats = repeats

    def interval(self, expr: Expr) -> Interval:
        """Return an interval of all values of an integer expression, or of its elements."""
        if isinstance(expr, (IntImm, UIntImm)):
            return Interval(expr.value, expr.value)
        found = integer_interval(expr, self.context)
        if found.is_point or expr.type.is_bool:
            return found
        repeats = self._repeats.get(expr)
        if repeats is None:
            repeats = self._repeats[expr] = _reads_again(expr)
        return interval_of(expr, self.context) if repeats else found


@register_analysis("Intervals")
class IndexIntervals(ForwardDataFlow["Environment | Unreachable"]):
    """Interval analysis: where the integer variables of a program lie, at each of its points.

    States are environments, persistent maps from variables to intervals; what a map lacks may be
    anything of its type. ``UNREACHABLE`` is the state of code that is never run.
    :meth:`interval` finds intervals of expressions in a state.

    Complexity:
        A visit of a point takes time linear in the expressions of its statement. Loops are visited
        a bounded number of times, which does not depend on how often they run.

    Source:
        Cousot and Cousot, Abstract interpretation, 1977; widening with thresholds as in Astrée.

    Example:
        >>> from relayish import tir
        >>> from relayish.dataflow import solve
        >>> x, i = tir.Var("x"), tir.Var("i")
        >>> step = tir.IfThenElse(x < 10, tir.Store(x, x + 1, ()))
        >>> loop = tir.For(i, 0, 99, step)
        >>> [found] = solve([IndexIntervals()], tir.Block((tir.Let(x, tir.const(0)), loop)))
        >>> found.before(step)[x], found.before(step)[i], found.after(loop)[x]
        (Interval(low=0, high=10), Interval(low=0, high=98), Interval(low=0, high=10))
    """

    family = IrNode

    def __init__(self) -> None:
        super().__init__()
        self.lattice = Environments(self._thresholds)
        self._refinement = Refinement(self.values, self.lattice, self._is_tracked)
        self._leaves: dict[Node, tuple[tuple[Expr, Var], ...]] = {}
        self._repeats: dict[Expr, bool] = {}
        self._testing: dict[
            Var, dict[Var, None]
        ] = {}  # truth variables, by what they are told from
        self._written_by_others: frozenset[Var] = frozenset()
        self._assigned: frozenset[Var] = frozenset()

    def interval(self, expr: Expr, state: Environment) -> Interval:
        """Return an interval of all values of an integer expression, or of its elements.

        Complexity:
            Linear in the number of distinct nodes; no recursion. Of many expressions in one state
            ask :meth:`values`.
        """
        if isinstance(expr, (IntImm, UIntImm)):
            return Interval(expr.value, expr.value)
        var = variable_read(expr)
        if var is not None:
            known = interval_held(state.get(var))
            if known is not None:
                return known
        return self.values((expr,), state).interval(expr)

    def values(self, exprs: Iterable[Node], state: Environment) -> Values:
        """Return where some expressions lie in a state, and what they consist of.

        Complexity:
            Linear in the number of distinct nodes of each of ``exprs``, once, and then in the
            variables they read.
        """
        context = Context()
        for expr in exprs:
            for leaf, read in self.leaves_of(expr):
                known = interval_held(state.get(read))
                if known is not None:
                    context.intervals[leaf] = known
        return Values(context, self._repeats)

    # The transfers of statements

    def boundary(self, procedure: Procedure) -> Environment | Unreachable:  # noqa: ARG002
        return NOTHING_KNOWN

    def visit_stmt(self, stmt: Node, state: Environment) -> Environment:  # noqa: ARG002
        """Return the state unchanged, by statements that assign to no variable."""
        return state

    def visit_expr(self, expr: Node, state: Environment) -> Environment:  # noqa: ARG002
        """Return the state unchanged, by expressions: they assign to none that is kept."""
        return state

    def visit_let(self, let: Let, state: Environment) -> Environment:
        """Declare a variable with its first value, or without one."""
        return self._assign(let.symbol, let.body, state)

    def visit_store(self, store: Store, state: Environment) -> Environment:
        """Assign to a variable."""
        if isinstance(store.tensor, Var):
            return self._assign(store.tensor, store.value, state)
        return state

    def visit_poly_for(self, loop: PolyFor, state: Environment) -> Environment:
        """Begin a loop: its variable lies where it will come to, as far as that can be told."""
        state = self._assign(loop.iterator, loop.init, state)
        whole = self._range_with_steps(loop, state)
        return state if whole is None else self._hold(loop.iterator, whole, state)

    def overwritten(
        self,
        node: Node,  # noqa: ARG002 - as the base has it
        places: tuple[Node, ...],  # noqa: ARG002 - likewise
        state: Environment | Unreachable,
    ) -> Environment | Unreachable:
        """Return the state unchanged: variables that others may write are not kept."""
        return state

    def bind(
        self, node: Node, variables: tuple[Node, ...], state: Environment | Unreachable
    ) -> Environment | Unreachable:
        assert state is not UNREACHABLE
        match node:
            case For():
                return self._hold(node.loop_var, self._range(node, state), state)
            case PolyFor():
                return state
            case ScheduleBlockRealize():
                values = [self._value(v, state) for v in node.iter_values]
                for var, value in zip(node.schedule_block.iter_vars, values, strict=False):
                    state = self._hold(var, value, state)
                return state
        return self._forget(variables, state)

    def choose(self, branch: Branch, state: Environment | Unreachable) -> Environment | Unreachable:
        if isinstance(branch.node, For) and state is not UNREACHABLE:
            return state if branch.case is None else self._enter(branch.node, state)
        return super().choose(branch, state)

    def assume(
        self, condition: Node, truth: bool, state: Environment | Unreachable
    ) -> Environment | Unreachable:
        if state is UNREACHABLE or not isinstance(condition, Expr):
            return state
        return self._refinement.assume(condition, truth, state)

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        self._find_assigned(graph)
        found = list(super().transfers(graph))
        for number, action in enumerate(graph.actions):
            if action is Action.LOOP:
                loop = graph.nodes[number]
                if isinstance(loop, PolyFor):
                    for source in graph.predecessors(number):
                        if source >= number:
                            found[source] = self._advance(loop, found[source])
            elif action is Action.LEAVE:
                bound = bound_inside(graph.nodes[number])
                if bound:
                    found[number] = self._leaving(bound)
        return found

    def _advance(self, loop: PolyFor, before: Transfer | None) -> Transfer:
        """Return the transfer of the end of an iteration: the variable goes on by a step."""

        def advance(node: Node, state: Environment) -> Environment:
            if before is not None:
                state = before(node, state)
            var = loop.iterator
            if not (var.type.is_integer and loop.inc.type.is_integer):
                return state
            exact = add(self.interval(var, state), self.interval(loop.inc, state))
            return self._hold(var, wrap(exact, var.type), state)

        return advance

    def _range_with_steps(self, loop: PolyFor, state: Environment) -> Interval | None:
        """Return where a loop variable lies when the condition is asked, if that can be told.

        It is found by the steps and the condition alone, as the solver would find it by going
        through the loop, which takes a few visits of all inside of it for each loop of a nest.
        """
        var, inc = loop.iterator, loop.inc
        around: Environment | Unreachable = state
        if not (self._is_tracked(var) and inc.type.is_integer) or var in self._assigned:
            return None
        if any(read is var or read in self._assigned for _, read in self.leaves_of(inc)):
            return None
        found = first = self.interval(var, state)
        step, room = self.interval(inc, state), type_range(var.type)
        for _ in range(2 * MOST_THRESHOLDS):
            inside = self.assume(loop.condition, True, around)
            if inside is UNREACHABLE:
                return found
            following = first.hull(add(self.interval(var, inside), step))
            if not room.covers(following):
                return None
            if found.covers(following):
                return following
            around = self.lattice.widen(around, self._hold(var, found.hull(following), state))
            assert around is not UNREACHABLE
            found = self.interval(var, around)
        return None

    def _leaving(self, bound: tuple[Var, ...]) -> Transfer:
        """Return the transfer of the end of a scope, whose variables others may be now."""
        return lambda _, state: self._forget(bound, state)

    # What is known of variables

    def _is_tracked(self, var: Var) -> bool:
        """Return whether only stores and binders change a variable, an integer."""
        return var.type.is_integer and var not in self._written_by_others

    def _find_assigned(self, graph: FlowGraph) -> None:
        roots = {procedure.node: None for procedure in graph.procedures}
        written = list(assignments_among(PROGRAM.pre_order(tuple(roots))))
        self._assigned = frozenset([var for _, var in written])
        self._written_by_others = frozenset(
            [var for node, var in written if not isinstance(node, Store)]
        )

    def _assign(self, var: Var, value: Expr | None, state: Environment) -> Environment:
        if value is None or value.type != var.type or not self._is_tracked(var):
            return self._forget((var,), state)
        found = self.interval(value, state)
        if found.is_point or not self._is_condition(var, value):
            return self._hold(var, found, state)
        for _, read in self.leaves_of(value):
            self._testing.setdefault(read, {})[var] = None
        return self._forget((var,), state).set(var, Outcome(EITHER, frozenset((value,))))

    def _hold(self, var: Var, interval: Interval | None, state: Environment) -> Environment:
        """Return the state in which a variable has a new value, which lies in an interval."""
        if interval is None or not self._is_tracked(var) or interval.covers(type_range(var.type)):
            return self._forget((var,), state)
        if var in self._testing:
            state = self._forget((var,), state)
        elif state.get(var) == interval:
            return state
        return state.set(var, interval)

    def _forget(self, variables: Iterable[Node], state: Environment) -> Environment:
        """Return the state in which variables may be anything, and so what is told from them."""
        for var in variables:
            if not isinstance(var, Var):
                continue
            state = state.discard(var)
            for truth in self._testing.get(var, ()):
                held = state.get(truth)
                if isinstance(held, Outcome):
                    known = None if held.interval == EITHER else held.interval
                    state = state.discard(truth) if known is None else state.set(truth, known)
        return state

    def _value(self, value: Expr, state: Environment) -> Interval | None:
        return self.interval(value, state) if value.type.is_integer else None

    def _range(self, loop: For, state: Environment) -> Interval | None:
        """Return where the variable of a loop lies while it runs."""
        first, count = self._value(loop.min, state), self._value(loop.extent, state)
        if first is None or count is None or not loop.loop_var.type.is_integer:
            return None
        found = Interval(first.low, max(first.low, first.high + count.high - 1))
        return found if type_range(loop.loop_var.type).covers(found) else None

    def _enter(self, loop: For, state: Environment) -> Environment | Unreachable:
        """Return what holds where a loop has an iteration: its extent is positive."""
        extent = loop.extent
        count = self._value(extent, state)
        if count is None or count.low > 0:
            return state
        if count.high <= 0:
            return UNREACHABLE
        if any(read in self._assigned for _, read in self.leaves_of(extent)):
            return state  # it was positive when the loop began
        return self._refinement.lie_within(extent, Interval(1, count.high), state)

    def _is_condition(self, var: Var, value: Expr) -> bool:
        """Return whether a truth value is told from variables alone, which tell when it changes."""
        if not (value.type.is_bool and value.type.is_scalar):
            return False
        for node in PROGRAM.pre_order(value):
            read = variable_read(node)
            if read is not None:
                if read is var or not self._is_tracked(read):
                    return False
            elif type(node).traits_.effect is not Effect.NONE or has_scopes(type(node)):
                return False
        return True

    def leaves_of(self, expr: Node) -> tuple[tuple[Expr, Var], ...]:
        """Return the integer variables that an expression reads, each with what reads it."""
        found = self._leaves.get(expr)
        if found is None:
            leaves: list[tuple[Expr, Var]] = []
            for node in PROGRAM.pre_order(expr):
                var = variable_read(node)
                if var is not None and isinstance(node, Expr) and self._is_tracked(var):
                    leaves.append((node, var))
            found = self._leaves[expr] = tuple(leaves)
        return found

    # Widening

    def _thresholds(self, var: Var) -> Sequence[int]:
        return self._tested_against.get(var, ())

    @cached_property
    def _tested_against(self) -> dict[Var, tuple[int, ...]]:
        """The numbers near those that each variable is compared with, a few for each, in order."""
        roots = {procedure.node: None for procedure in self.graph.procedures}
        return bounds_tested(NODES.pre_order(tuple(roots)), self.leaves_of)


def bounds_tested(
    nodes: Iterable[Node], leaves_of: Callable[[Node], Iterable[tuple[Expr, Var]]]
) -> dict[Var, tuple[int, ...]]:
    """Return the numbers near those that ``nodes`` compare each variable with, a few, in order."""
    found: dict[Var, set[int]] = {}
    for node in nodes:
        if not isinstance(node, ComparisonNode):
            continue
        for side, other in ((node.a, node.b), (node.b, node.a)):
            if not isinstance(other, (IntImm, UIntImm)) or not side.type.is_integer:
                continue
            for _, var in leaves_of(side):
                near = found.setdefault(var, set())
                if len(near) < MOST_THRESHOLDS:
                    near |= {other.value - 1, other.value, other.value + 1}
    return {var: tuple(sorted(near)) for var, near in found.items()}


MOST_NODES: Final = 32
"""How many nodes an expression may have that is looked at as a linear form as well."""

MOST_THRESHOLDS: Final = 24
"""How many bounds a variable is widened to, about, before it is given up."""


def bound_inside(node: Node) -> tuple[Var, ...]:
    """Return the variables whose scope ends where ``node`` is left."""
    match node:
        case For():
            return (node.loop_var,)
        case PolyFor():
            return (node.iterator,)
        case Reduce():
            return node.reduce_axis
        case ScheduleBlockRealize():
            return node.schedule_block.iter_vars
        case Block():
            return tuple([stmt.symbol for stmt in node.stmts if isinstance(stmt, Let)])
    return ()


def _reads_again(expr: Expr) -> bool:
    """Return whether a small expression reads a variable in several places, which may cancel."""
    read: set[Var] = set()
    pending: list[Node] = [expr]
    for _ in range(MOST_NODES):
        if not pending:
            break
        node = pending.pop()
        var = variable_read(node)
        if var is None:
            pending += PROGRAM.children(node)
        elif var in read:
            return True
        else:
            read.add(var)
    return False
