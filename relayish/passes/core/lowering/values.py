"""Analyses of values of core, by the rules of those of loops: constants, and intervals.

What an expression of core computes is said once, where it is lowered; so the analyses look at the
expression of loops that it would become, whose variables stand for what symbols hold. What stays
is the way of core to assign: stores by name, counting loops, and all that may write unseen.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, Generic, TypeVar
from weakref import WeakKeyDictionary

from relayish import tir
from relayish.core.ir import expr as ops
from relayish.core.ir import memory as mem
from relayish.core.ir.family import CoreNode, Expr, Symbol
from relayish.core.ir.stmt import DoLoop
from relayish.core.ir.type import Type
from relayish.core.mod_ref import place_of
from relayish.dataflow.functor import ForwardDataFlow
from relayish.dataflow.graph import Action, FlowGraph, Procedure
from relayish.dataflow.lattice.symbols import UNREACHABLE, Unreachable
from relayish.dataflow.registry import register_analysis
from relayish.dataflow.solver.analysis import Transfer
from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.passes.core.lowering.lower import operation_of
from relayish.tir.analysis import Interval, ScalarConstants
from relayish.tir.analysis.flow.constants import Known
from relayish.tir.analysis.flow.environments import NOTHING_KNOWN, Environment, Environments
from relayish.tir.analysis.flow.index_intervals import IndexIntervals, bounds_tested
from relayish.tir.analysis.flow.refinement import Refinement
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.analysis.values.literals import Number
from relayish.tir.ir.traversal import NODES

S = TypeVar("S")

_WRITING = Effect.WRITES | Effect.STATE | Effect.UNKNOWN


_VARIABLES: Final[WeakKeyDictionary[Node, dict[tir.Type, tir.Var]]] = WeakKeyDictionary()
"""By place and type, the variable that stands for it in all states: these compare by it."""


class Images:
    """The expressions of loops that stand for those of core; each is made once."""

    def __init__(self) -> None:
        self._variables: dict[Node, tir.Var] = {}
        self._made: dict[Node, tir.Expr | None] = {}
        self._memory = tir.placeholder("unknown", (1,))
        self._count = 0

    def variable(self, symbol: Any) -> tir.Var | None:  # Any: a symbol, of any class
        """Return the variable that stands for what a scalar holds; ``None`` of what is none."""
        held = _loop_type(symbol.type)
        if held is None:
            return None
        place = place_of(symbol)
        found = self._variables.get(place)
        if found is None:
            shared = _VARIABLES.setdefault(place, {})
            found = shared.setdefault(held, tir.Var(symbol.name, held))
            self._variables[place] = found
        return found

    def variable_of_place(self, place: Node) -> tir.Var | None:
        """Return the variable that stands for a place, if one was asked for.

        A place may be of another program that has a symbol of its name, of another type.
        """
        return self._variables.get(place)

    def of(self, expr: Expr) -> tir.Expr | None:
        """Return the expression that computes the same; ``None`` of what is no number.

        Complexity:
            Linear in the number of distinct nodes that were not asked for; no recursion.
        """
        if expr not in self._made:
            order = PROGRAM.post_order(expr)
            if any(type(node).traits_.effect & _WRITING for node in order):
                return self._unknown(expr)  # variables may change while it is evaluated
            for node in order:
                if isinstance(node, Expr) and node not in self._made:
                    self._made[node] = self._make(node)
        return self._made[expr]

    def _make(self, expr: Expr) -> tir.Expr | None:
        held = _loop_type(expr.type)
        if held is None:
            return None
        found: tir.Expr | None = None
        match expr:
            case ops.Intconst():
                found = tir.const(expr.value, held)
            case ops.Zero() | ops.One():
                found = tir.const(int(isinstance(expr, ops.One)), held)
            case ops.Ldc():
                found = tir.const(expr.constant.data, held)
            case mem.Ld():
                found = self.variable(expr.symbol)
            case mem.Ldp():
                found = self.variable(expr.preg)
            case ops.UnaryOp() | ops.BinaryOp():
                found = self._operation(expr)
        return found if found is not None and found.type == held else self._unknown(expr)

    def _operation(self, expr: ops.UnaryOp | ops.BinaryOp) -> tir.Expr | None:
        operands = [self._made[expr.a]]
        if isinstance(expr, ops.BinaryOp):
            operands.append(self._made[expr.b])
        make = operation_of(expr)
        return None if make is None or None in operands else make(*operands)

    def _unknown(self, expr: Expr) -> tir.Expr | None:
        """Return what may be any number of a type, and is like nothing else."""
        held = _loop_type(expr.type)
        if held is None:
            return None
        self._count += 1
        return tir.Cast(held, tir.Load(self._memory, (tir.const(self._count),)))


def _loop_type(held: Type) -> tir.Type | None:
    is_known = held.is_scalar and not held.is_pointer
    return tir.as_type(str(held)) if is_known else None


class _CoreValues(ForwardDataFlow[S], Generic[S]):
    """What assigns to the scalars of core; what is known of them is said by whoever derives."""

    family = CoreNode

    def __init__(self) -> None:
        super().__init__()
        self.images = Images()

    @abstractmethod
    def assign(self, var: tir.Var, value: tir.Expr, state: S) -> S:
        """Return the state in which a variable has a new value, computed in the state before."""

    @abstractmethod
    def forget(self, var: tir.Var, state: S) -> S:
        """Return the state in which nothing is known of a variable."""

    def visit_st(self, store: mem.St, state: S) -> S:
        """Assign to a variable."""
        return self._put(store.symbol, store.value, state)

    def visit_stp(self, store: mem.Stp, state: S) -> S:
        """Assign to a pseudo register."""
        return self._put(store.preg, store.value, state)

    def visit_do_loop(self, loop: DoLoop, state: S) -> S:
        """Begin a loop: its variable has its first value."""
        return self._put(loop.iv, loop.init, state)

    def overwritten(
        self,
        node: Node,  # noqa: ARG002 - as the base has it
        places: tuple[Node, ...],
        state: S,
    ) -> S:
        """Return the state in which nothing is known of what may have been written."""
        for place in places:
            var = self.images.variable_of_place(place)
            if var is not None:
                state = self.forget(var, state)
        return state

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        found = list(super().transfers(graph))
        for number, action in enumerate(graph.actions):
            loop = graph.nodes[number]
            if action is Action.LOOP and isinstance(loop, DoLoop):
                found[number] = None  # assigned to where it is entered, and at each end of a turn
                for source in graph.predecessors(number):
                    if source >= number:
                        found[source] = self._advance(loop, found[source])
        return found

    def _advance(self, loop: DoLoop, before: Transfer | None) -> Transfer:
        """Return the transfer of the end of an iteration: the variable gets its next value."""

        def advance(node: Node, state: S) -> S:
            if before is not None:
                state = before(node, state)
            return self._put(loop.iv, loop.increment, state)

        return advance

    def _put(self, symbol: Symbol, value: Expr, state: S) -> S:
        var = self.images.variable(symbol)
        if var is None:
            return state
        computed = self.images.of(value)
        if computed is None or computed.type != var.type:
            return self.forget(var, state)
        return self.assign(var, computed, state)


@register_analysis()
class CoreConstants(_CoreValues[Known]):
    """Conditional constant propagation of core: the scalars that have one value, at each point.

    States are those of :class:`~relayish.tir.analysis.ScalarConstants`, whose rules are followed:
    maps from variables, which stand for symbols, to values. :meth:`value` tells the values of
    symbols and expressions. Of what calls may write, and after them, nothing is known.

    Example:
        >>> from relayish import core
        >>> from relayish.dataflow import solve
        >>> scope = core.GlobalScope()
        >>> with scope.function("main", {}, "int32") as f:
        ...     x = f.local("x")
        ...     f.store(x, 6)
        ...     f.retv(x * 7)
        >>> main = scope.module()["main"]
        >>> analysis = CoreConstants()
        >>> [found] = solve([analysis], main)
        >>> back = main.body.stmts[-1]
        >>> analysis.value(back.value, found.before(back))
        42
    """

    lattice = ScalarConstants.lattice

    def __init__(self) -> None:
        super().__init__()
        self._rules = ScalarConstants()

    def value(self, expr: Expr | Symbol, state: Known) -> Number | None:
        """Return the value of an expression or symbol; ``None``: it may have several, or fault."""
        image = _image(self.images, expr)
        return None if image is None else self._rules.value(image, state)

    def boundary(self, procedure: Procedure) -> Known:  # noqa: ARG002
        """Return what is known at first: nothing."""
        return self.lattice.top

    def assume(self, condition: Node, truth: bool, state: Known) -> Known | Unreachable:
        image = self.images.of(condition) if isinstance(condition, Expr) else None
        return state if image is None else self._rules.assume(image, truth, state)

    def assign(self, var: tir.Var, value: tir.Expr, state: Known) -> Known:
        found = self._rules.value(value, state)
        return state.discard(var) if found is None else self.lattice.set(state, var, found)

    def forget(self, var: tir.Var, state: Known) -> Known:
        return state.discard(var)


@register_analysis()
class CoreIntervals(_CoreValues["Environment | Unreachable"]):
    """Interval analysis of core: where the integers of a program lie, at each of its points.

    States are those of :class:`~relayish.tir.analysis.IndexIntervals`, whose rules are followed:
    maps from variables, which stand for symbols, to intervals. :meth:`interval` tells where
    symbols and expressions lie. Of what calls may write, and after them, nothing is known.

    Example:
        >>> from relayish import core
        >>> from relayish.dataflow import solve
        >>> scope = core.GlobalScope()
        >>> with scope.function("main", {}, "int32") as f:
        ...     i = f.local("i")
        ...     with f.do_loop(i, 0, i < 10):
        ...         f.store(f.local("a"), i * 2)
        ...     f.retv(i)
        >>> main = scope.module()["main"]
        >>> analysis = CoreIntervals()
        >>> [found] = solve([analysis], main)
        >>> [store] = main.body.stmts[0].body.stmts
        >>> analysis.interval(store.value, found.before(store))
        Interval(low=0, high=18)
        >>> analysis.interval(i, found.before(main.body.stmts[-1]))
        Interval(low=10, high=10)
    """

    def __init__(self) -> None:
        super().__init__()
        self.lattice = Environments(self._thresholds)
        self._rules = IndexIntervals()
        self._refinement = Refinement(self._rules.values, self.lattice, _is_integer)

    def interval(self, expr: Expr | Symbol, state: Environment) -> Interval | None:
        """Return where an expression or symbol lies; ``None`` of what is no integer or truth."""
        image = _image(self.images, expr)
        if image is None or not image.type.is_integer:
            return None
        return self._rules.interval(image, state)

    def boundary(self, procedure: Procedure) -> Environment | Unreachable:  # noqa: ARG002
        """Return what is known at first: nothing."""
        return NOTHING_KNOWN

    def assume(
        self, condition: Node, truth: bool, state: Environment | Unreachable
    ) -> Environment | Unreachable:
        image = self.images.of(condition) if isinstance(condition, Expr) else None
        if image is None or state is UNREACHABLE:
            return state
        return self._refinement.assume(image, truth, state)

    def assign(
        self, var: tir.Var, value: tir.Expr, state: Environment | Unreachable
    ) -> Environment | Unreachable:
        assert state is not UNREACHABLE
        if not var.type.is_integer:
            return state
        found = self._rules.interval(value, state)
        return state.discard(var) if found.covers(type_range(var.type)) else state.set(var, found)

    def forget(self, var: tir.Var, state: Environment | Unreachable) -> Environment | Unreachable:
        assert state is not UNREACHABLE
        return state.discard(var)

    def _thresholds(self, var: tir.Var) -> Sequence[int]:
        return self._tested_against.get(var, ())

    @cached_property
    def _tested_against(self) -> dict[tir.Var, tuple[int, ...]]:
        roots = tuple({procedure.node: None for procedure in self.graph.procedures})
        compared = [node for node in PROGRAM.pre_order(roots) if isinstance(node, ops.Comparison)]
        images = [image for image in map(self.images.of, compared) if image is not None]
        return bounds_tested(NODES.pre_order(tuple(images)), self._rules.leaves_of)


def _image(images: Images, expr: Expr | Symbol) -> tir.Expr | None:
    return images.variable(expr) if isinstance(expr, Symbol) else images.of(expr)


def _is_integer(var: tir.Var) -> bool:
    return var.type.is_integer
