"""Constant propagation: which scalar variables have one value, at each point of a program.

A branch whose condition is known is not taken, nor is a loop without iterations run; so this is
conditional constant propagation. Variables may be assigned, so what is known of them is told by
program point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from relayish.dataflow.functor import ForwardDataFlow
from relayish.dataflow.graph import Action, FlowGraph, Procedure
from relayish.dataflow.graph.point import Branch
from relayish.dataflow.lattice import TOP, Flat, MapLattice
from relayish.dataflow.lattice.flat import FlatState
from relayish.dataflow.lattice.interval import Interval
from relayish.dataflow.lattice.map_lattice import MapState
from relayish.dataflow.lattice.symbols import UNREACHABLE, Extreme, Unreachable
from relayish.dataflow.registry import register_analysis
from relayish.dataflow.solver.analysis import Transfer
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, has_scopes, operands
from relayish.tir.analysis.facts.scopes import assignments_among
from relayish.tir.analysis.flow.index_intervals import bound_inside
from relayish.tir.analysis.flow.refinement import variable_read
from relayish.tir.analysis.values.constant_rules import EVALUATIONS
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval_rules import interval_by_rules
from relayish.tir.analysis.values.literals import Number, compute, value_of
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.operators import EQ, NE, Add, And, Expr, Not, Or
from relayish.tir.ir.stmt import For, Let, PolyFor, ScheduleBlockRealize
from relayish.tir.ir.tensor import Store, Var

Known: TypeAlias = MapState[Var, FlatState[Number]]
"""The value of each scalar variable that has one; what a map lacks may be anything."""

MOST_FACTS: Final = 64
"""Of how many parts a condition is looked at that a branch is taken by."""


@register_analysis()
class ScalarConstants(ForwardDataFlow[Known]):
    """Conditional constant propagation: the scalars that have one value, at each program point.

    States are persistent maps from variables to values, exact as literals are: integers, floats
    rounded to their type. NaNs are not kept. :meth:`value` evaluates expressions in a state.

    Complexity:
        A visit of a point takes time linear in the expressions of its statement. A loop is visited
        once more for each variable that is assigned in it and turns out not to be constant; so are
        those inside of it, with states of as many variables.

    Source:
        Wegman and Zadeck, Constant propagation with conditional branches, 1991.

    Example:
        >>> from relayish import tir
        >>> from relayish.dataflow import solve
        >>> x, y = tir.Var("x"), tir.Var("y")
        >>> keep = tir.IfThenElse(tir.EQ(x, 1), tir.Store(x, 1, ()), tir.Store(x, 2, ()))
        >>> loop = tir.For(tir.Var("i"), 0, y, keep)
        >>> [constants] = solve([ScalarConstants()], tir.Block((tir.Let(x, tir.const(1)), loop)))
        >>> constants.after(loop)[x]
        1
    """

    family = IrNode
    lattice: MapLattice[Var, FlatState[Number]] = MapLattice(Flat(), default=TOP)

    def __init__(self) -> None:
        super().__init__()
        self._written_by_others: frozenset[Var] = frozenset()
        self._orders: dict[Node, Sequence[Node]] = {}
        self._outside = Context()
        """What is known of variables by their declarations, where nothing assigns to them."""

    def value(self, expr: Expr, state: Known) -> Number | None:
        """Return the value of an expression in a state; ``None``: it may have several, or fault.

        Complexity:
            Linear in the number of distinct nodes; no recursion.
        """
        literal = value_of(expr)
        if literal is not None:
            return None if literal != literal else literal  # noqa: PLR0124 - a NaN
        order = self._orders.get(expr)
        if order is None:
            order = self._orders[expr] = PROGRAM.post_order(expr)
        values: dict[Node, Number | None] = {}
        for node in order:
            if isinstance(node, Expr):
                values[node] = self._value(node, values, state)
        return values[expr]

    def _value(
        self, expr: Expr, values: Mapping[Node, Number | None], state: Known
    ) -> Number | None:
        literal = value_of(expr)
        if literal is not None:
            return None if literal != literal else literal  # noqa: PLR0124 - as above
        var = variable_read(expr)
        if var is not None:
            known = state.get(var, TOP)
            return None if isinstance(known, Extreme) else known
        if has_scopes(type(expr)):
            return None
        return EVALUATIONS[type(expr)](expr, *[values.get(each) for each in operands(expr)])

    # The transfers of statements

    def boundary(self, procedure: Procedure) -> Known:  # noqa: ARG002
        """Return what is known at first: nothing."""
        return self.lattice.top

    def visit_stmt(self, stmt: Node, state: Known) -> Known:  # noqa: ARG002
        """Return the state unchanged, by statements that assign to no variable."""
        return state

    def visit_expr(self, expr: Node, state: Known) -> Known:  # noqa: ARG002
        """Return the state unchanged, by expressions: they assign to none that is kept."""
        return state

    def visit_let(self, let: Let, state: Known) -> Known:
        """Declare a variable with its first value, or without one."""
        return self._assign(let.symbol, let.body, state)

    def visit_store(self, store: Store, state: Known) -> Known:
        """Assign to a variable."""
        if isinstance(store.tensor, Var):
            return self._assign(store.tensor, store.value, state)
        return state

    def overwritten(self, node: Node, places: tuple[Node, ...], state: Known) -> Known:  # noqa: ARG002
        """Return the state unchanged: variables that others may write are not kept."""
        return state

    def visit_poly_for(self, loop: PolyFor, state: Known) -> Known:
        """Begin a loop: its variable has its first value, and none if a second one follows."""
        state = self._assign(loop.iterator, loop.init, state)
        return self._forget((loop.iterator,), state) if self._has_second(loop, state) else state

    def bind(self, node: Node, variables: tuple[Node, ...], state: Known) -> Known:
        match node:
            case For():
                once = self.value(node.extent, state) == 1
                return self._assign(node.loop_var, node.min if once else None, state)
            case PolyFor():
                return state
            case ScheduleBlockRealize():
                found = [(value, self.value(value, state)) for value in node.iter_values]
                for var, (expr, value) in zip(node.schedule_block.iter_vars, found, strict=False):
                    state = self._hold(var, value if expr.type == var.type else None, state)
                return state
        return self._forget(variables, state)

    def choose(self, branch: Branch, state: Known) -> Known | Unreachable:
        if isinstance(branch.node, For) and branch.case is not None:
            count = self.value(branch.node.extent, state)
            return UNREACHABLE if count is not None and count <= 0 else state
        return super().choose(branch, state)

    def assume(self, condition: Node, truth: bool, state: Known) -> Known | Unreachable:
        if not isinstance(condition, Expr) or condition.type.lanes != 1:
            return state
        holds = self.value(condition, state)
        if holds is not None:
            return state if bool(holds) == truth else UNREACHABLE
        pending, looked_at = [(condition, truth)], 0
        while pending and looked_at < MOST_FACTS:
            looked_at += 1
            expr, holds = pending.pop()
            match expr:
                case Not():
                    pending.append((expr.v, not holds))
                case And() | Or():
                    if holds is isinstance(expr, And) and expr.type.is_bool:
                        pending += [(expr.a, holds), (expr.b, holds)]
                case EQ() | NE():
                    if holds is isinstance(expr, EQ):
                        learned = self._learn_equal(expr, state)
                        if learned is UNREACHABLE:
                            return UNREACHABLE
                        state = learned
                case _:
                    var = variable_read(expr)
                    if var is not None and var.type.is_bool:
                        state = self._hold(var, int(holds), state)
        return state

    def _learn_equal(self, expr: EQ | NE, state: Known) -> Known | Unreachable:
        """Return what is known where two numbers are equal; zeros of two signs are as well.

        A variable that nothing assigns never has a value beyond its declared bounds.
        """
        for one, other in ((expr.a, expr.b), (expr.b, expr.a)):
            var = variable_read(one)
            if var is not None and var.type == other.type and var.type.lanes == 1:
                value = self.value(other, state)
                if value is not None and var.type.is_integer and self._is_beyond(var, value):
                    return UNREACHABLE
                if value is not None and (var.type.is_integer or value != 0):
                    state = self._hold(var, value, state)
        return state

    def _is_beyond(self, var: Var, value: Number) -> bool:
        bounds = interval_by_rules(var, self._outside)
        assert isinstance(bounds, Interval)  # of integers
        return var not in self._outside.assigned and not bounds.low <= value <= bounds.high

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        roots = tuple({procedure.node: None for procedure in graph.procedures})
        written = assignments_among(PROGRAM.pre_order(roots))
        others = [var for node, var in written if not isinstance(node, Store)]
        self._written_by_others, self._orders = frozenset(others), {}
        self._outside = Context(frozenset([var for _, var in written]))
        found = list(super().transfers(graph))
        for number, action in enumerate(graph.actions):
            node = graph.nodes[number]
            if action is Action.LOOP and isinstance(node, PolyFor):
                for source in graph.predecessors(number):
                    if source >= number:
                        found[source] = self._advance(node, found[source])
            elif action is Action.LEAVE:
                bound = bound_inside(node)
                if bound:
                    found[number] = self._leaving(bound)
        return found

    def _advance(self, loop: PolyFor, before: Transfer | None) -> Transfer:
        """Return the transfer of the end of an iteration: the variable goes on by a step."""

        def advance(node: Node, state: Known) -> Known:
            if before is not None:
                state = before(node, state)
            var = loop.iterator
            step, value = self.value(loop.inc, state), state.get(var, TOP)
            if step is None or isinstance(value, Extreme) or loop.inc.type != var.type:
                return self._forget((var,), state)
            return self._hold(var, compute(Add, value, step, var.type), state)

        return advance

    def _has_second(self, loop: PolyFor, state: Known) -> bool:
        """Return whether the variable of a loop has a second value, if an iteration ends.

        Then its first one is not tried: to find out in each loop of a nest that it does not stay
        would take as many visits of the inner ones as there are loops around them.
        """
        var = loop.iterator
        first, step = state.get(var, TOP), self.value(loop.inc, state)
        if isinstance(first, Extreme) or step is None or loop.inc.type != var.type:
            return False
        if var in self._outside.assigned or self.value(loop.condition, state) == 0:
            return False
        return compute(Add, first, step, var.type) != first

    def _leaving(self, bound: tuple[Var, ...]) -> Transfer:
        """Return the transfer of the end of a scope, whose variables are others elsewhere."""
        return lambda _, state: self._forget(bound, state)

    # What is known of variables

    def _assign(self, var: Var, value: Expr | None, state: Known) -> Known:
        if value is None or value.type != var.type:
            return self._forget((var,), state)
        return self._hold(var, self.value(value, state), state)

    def _hold(self, var: Var, value: Number | None, state: Known) -> Known:
        if value is None or var.type.lanes != 1 or var in self._written_by_others:
            return self._forget((var,), state)
        return self.lattice.set(state, var, value)

    def _forget(self, variables: Iterable[Node], state: Known) -> Known:
        for var in variables:
            if isinstance(var, Var):
                state = state.discard(var)
        return state
