"""Functors as analyses: handlers ``visit_<kind>(node, state)`` are the transfers of points.

The framework walks: blocks, branches, loops and functions are paths of the flow graph, and a
handler is called once for each point of its kind that the solver visits. So handlers that are
written structurally, as one would without a framework, are right as they stand: ``self.visit`` of
what has points of its own gives back the state, since it has been there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar, Generic, TypeVar, cast

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.accesses import touches
from relayish.dataflow.graph.control_flow import condition_of, defers, has_control_flow, is_let
from relayish.dataflow.graph.flow_graph import INSIDE, FlowGraph
from relayish.dataflow.graph.mod_ref import WRITING, mod_ref_of
from relayish.dataflow.graph.point import Action, Branch, Edge
from relayish.dataflow.lattice.symbols import Unreachable
from relayish.dataflow.solver.analysis import Analysis, Transfer
from relayish.dataflow.solver.analysis_by_kind import transfers_by_kind
from relayish.dataflow.solver.calls import CallSite
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.solver.solve import solve
from relayish.errors import AnalysisError
from relayish.functor.functor import Functor
from relayish.functor.vtable import Handler, default_handler, find_handler, install_default
from relayish.ir.kinds.one_line import one_line, one_line_at
from relayish.ir.nodes.getters import scope_fields
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import (
    has_scopes,
    operands,
    operands_of,
    recursive_operands,
    scope_roots,
)

S = TypeVar("S")


class DataFlow(Functor[Node, S], Analysis[S], Generic[S]):
    """The base of :class:`ForwardDataFlow` and :class:`BackwardDataFlow`.

    ``visit_<kind>(node, state)`` takes the state on one side of a node, before or after it, and
    returns that on the other side. Kinds without a handler pass the state on through what they
    hold that has no point of its own: variables, constants, and the expressions of a statement.
    Of those that write, as stores, calls, and loops which count up a variable, the class has to
    say more: a handler, or :meth:`overwritten`; else nothing is known after them.

    Beside handlers a class may define :meth:`bind`, :meth:`overwritten`, :meth:`assume` and
    :meth:`boundary`.

    Attributes:
        strict: Whether what writes and is not handled is refused.
    """

    strict: ClassVar[bool] = False

    remembers = True  # nothing but where it is; states are kept by the solver
    solution: Solution[S] | None = None
    """What the last visit from outside found at all points."""
    _is_solving: bool = False
    _inside: dict[tuple[Node, Action], list[tuple[Handler, Node]]]

    @default_handler
    def visit(self, node: Node, *args: Any) -> S:  # Any: the state
        """Return the state on the other side of ``node``.

        From outside, ``visit(root, state)`` solves the flow graph of ``root``, with ``state`` where
        it is entered (for a backward analysis, left; by default what :meth:`boundary` says), and
        returns what is found at the other end.
        From a handler it passes ``state`` on through a child: through the handler of its kind, but
        if the child has points of its own, in which case the framework has been there.
        """
        if not self._is_solving:
            self.outside = args[0] if args else None
            try:
                [self.solution] = [solution] = solve([self], node)
            finally:
                self.outside = None
            return cast("S", solution.exit if self.is_forward else solution.entry)
        if self._has_point(node):
            return cast("S", args[0])
        if type(node) in ATOMS:
            return cast("S", self._handlers[type(node)](self, node, *args))
        return super().visit(node, *args)

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:  # noqa: ARG003
        return DataFlow._pass_on

    def fixpoint(self, start: S, step: Callable[[S], S]) -> S:
        """Return ``start`` joined with what ``step`` makes of it: the framework iterates.

        So the handler of a loop may be one of a :class:`~relayish.dataflow.FixpointFunctor`.
        """
        return self.lattice.join(start, step(start))

    def bind(self, node: Node, variables: tuple[Node, ...], state: S, /) -> S:  # noqa: ARG002
        """Return the state where ``node`` brings variables into scope: by default unchanged.

        Asked for parameters, for the variables of loops and patterns, and for those of lets and
        declarations of which the class handles none.
        """
        return state

    def overwritten(self, node: Node, places: tuple[Node, ...], state: S) -> S:  # noqa: ARG002
        """Return the state where ``places`` may have got other contents.

        Asked where ``node``, of which the class handles nothing, writes them: at a store, at a
        call, which may write what others reach too, and wherever a loop counts up its variable.
        By default nothing is known from there on: that is the top of the lattice.

        Args:
            node: What writes.
            places: Variables, or what names memory.
            state: The state before; for a backward analysis, after.

        Raises:
            AnalysisError: If the class is strict, or its lattice has no top.
        """
        try:
            if not self.strict:
                return self.lattice.top
            missing = "it is strict"
        except AttributeError:  # of a lattice that declares it and does not give it as well
            missing = f"{type(self.lattice).__name__} has no top"
        raise AnalysisError(
            f"{self.name} does not say what becomes of a state at {one_line_at(node)}, which may "
            f"write {', '.join(map(one_line, places))}; {missing}; write "
            f"visit_{type(node).visit_name}(node, state), or overwritten(node, places, state)"
        )

    def assume(self, condition: Node, truth: bool, state: S, /) -> S | Unreachable:  # noqa: ARG002
        """Return the state where the value of ``condition`` is ``truth``: by default unchanged.

        ``UNREACHABLE`` says that it never is.
        """
        return state

    def choose(self, branch: Branch, state: S) -> S | Unreachable:
        """Return the state where a branch is chosen: by default what :meth:`assume` says."""
        condition = condition_of(branch.node, branch.case)
        return state if condition is None else self.assume(*condition, state)

    def refine(self, edge: Edge, state: S) -> S | Unreachable:
        assert edge.branch is not None
        return self.choose(edge.branch, state)

    @property
    def refines(self) -> bool:
        kind = type(self)
        return kind.assume is not DataFlow.assume or kind.choose is not DataFlow.choose

    # The transfers of points

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        self._is_solving, self._inside = True, {}
        return transfers_by_kind(graph, self._transfer_of)

    def end(self) -> None:
        self._is_solving = False

    def _transfer_of(self, action: Action, kind: type[Node], is_tree: bool) -> Transfer | None:
        match action:
            case Action.EVALUATE | Action.ENTER:
                return self._evaluation(kind, is_tree)
            case Action.BIND:
                return self._binding(kind)
            case Action.YIELD:
                return self._own(kind) if kind in ATOMS else None
            case Action.ENTRY:
                return self._bind_here if self._binds else None
            case Action.LOOP:
                return self._write if self._may_write(kind) else None
            case Action.LEAVE if self._own(kind) is None:
                return self._write if self._may_write(kind) else None
            case _:
                return None

    def _own(self, kind: type[Node]) -> Transfer | None:
        """Return the handler that the class has for a kind, if there is one."""
        handler = find_handler(type(self), "visit_", kind)
        return None if handler is None else cast("Transfer", handler.__get__(self))

    @property
    def _binds(self) -> bool:
        return type(self).bind is not DataFlow.bind

    def _evaluation(self, kind: type[Node], is_tree: bool) -> Transfer | None:
        """Return what evaluating operands that have no points, and the node itself, does."""
        own = self._own(kind)
        if own is not None or kind in ATOMS:
            return own
        writes = self._may_write(kind)
        if not is_tree and not self._handled_atoms and not writes:
            return None
        fields = scope_fields(kind)
        if self._binds and fields.binders and not fields.scopes:
            return self._declare
        if is_tree or defers(kind) or writes:
            return self._pass_on
        return self._passing_atoms(kind)

    def _may_write(self, kind: type[Node]) -> bool:
        """Return whether a node of a kind may write places; in most programs nothing does."""
        return touches(kind) and bool(self.graph.accesses.assigned)

    def _write(self, node: Node, state: S) -> S:
        """Return the state where ``node`` itself has written.

        What a call does beside was said when it was entered, left or found unknown.
        """
        return self._written_by(node, state, followed=self._is_followed(node))

    def _written_by(self, node: Node, state: S, *, followed: bool) -> S:
        own = mod_ref_of(node)
        places = (*own.overwrites, *own.changes, *own.clears)
        if own.effect & WRITING and not followed:
            places = (*places, *self.graph.accesses.aliased)
        return self.overwritten(node, tuple(dict.fromkeys(places)), state) if places else state

    def _is_followed(self, node: Node) -> bool:
        """Return whether states go into what ``node`` calls, and come back."""
        sites = () if self.calls is None else self.calls.at.get(self.number, ())
        return any(site.node is node for site in sites)

    def unknown_call(self, site: CallSite, state: S, /) -> S | Unreachable:
        if site.is_point or self._own(type(site.node)) is not None:
            return super().unknown_call(site, state)
        return self._written_by(site.node, state, followed=False)

    def _passing_atoms(self, kind: type[Node]) -> Transfer:
        """Return what passes a state on through the operands that have no points: atoms."""
        held = operands_of(kind)
        handlers = {atom: self._own(atom) for atom in self._handled_atoms}
        find = handlers.get
        if self.is_forward:

            def pass_forward(node: Node, state: S) -> S:
                for operand in held(node):
                    handler = find(type(operand))
                    if handler is not None:
                        state = handler(operand, state)
                return state

            return pass_forward

        def pass_backward(node: Node, state: S) -> S:
            for operand in held(node)[::-1]:
                handler = find(type(operand))
                if handler is not None:
                    state = handler(operand, state)
            return state

        return pass_backward

    def _binding(self, kind: type[Node]) -> Transfer | None:
        """Return what binding variables does, and of a let its handler, if there is one."""
        if is_let(kind):
            own = self._own(kind)
            if own is not None:
                return own
            if self._handled_atoms:
                return self._let
        return self._bind_here if self._binds else None

    @cached_property
    def _handled_atoms(self) -> frozenset[type[Node]]:
        """The kinds of atoms that the class has handlers for."""
        return frozenset([kind for kind in ATOMS if self._own(kind) is not None])

    def _bind_here(self, node: Node, state: S) -> S:
        bound = self.graph.binders.get(self.number)
        return self.bind(node, bound, state) if bound else state

    def _declare(self, node: Node, state: S) -> S:
        """Pass on operands, and bind what is declared after them."""
        if self.is_forward:
            return self._bind_here(node, self._pass_on(node, state))
        return self._pass_on(node, self._bind_here(node, state))

    def _let(self, let: Node, state: S) -> S:
        """Pass on the value where that is an atom, and bind the variable after it."""
        if not self.is_forward:
            state = self._bind_here(let, state)
        for operand in recursive_operands(let):
            if type(operand) in self._handled_atoms:
                state = self._handlers[type(operand)](self, operand, state)
        return self._bind_here(let, state) if self.is_forward else state

    @default_handler
    def _pass_on(self, node: Node, state: S) -> S:
        """Pass ``state`` on through what ``node`` evaluates at its point, and what it writes."""
        key = (node, self.graph.actions[self.number])
        inside = self._inside.get(key)
        if inside is None:
            inside = self._inside[key] = self._find_inside(node)
        for handler, child in inside:
            state = handler(self, child, state)
        return state

    def _find_inside(self, node: Node) -> list[tuple[Handler, Node]]:
        """Return what is below ``node`` and has handlers, but no points, in the order of states."""
        handlers = ByKind(lambda kind: find_handler(type(self), "visit_", kind))
        writers = ByKind(lambda kind: DataFlow._write if self._may_write(kind) else None)
        captured = self.graph.accesses.captured_at(self.number)  # be it that one is its whole body
        order = INSIDE.post_order(
            [*[each for each in operands(node) if not self._has_point(each)], *captured],
            lambda each: handlers[type(each)] is None,
        )
        found: list[tuple[Handler, Node]] = []
        for each in order:
            does = handlers[type(each)] or writers[type(each)]
            if does is not None and (each in captured or not self._has_point(each)):
                found.append((does, each))
        if writers[type(node)] is not None:
            found.append((DataFlow._write, node))
        return found if self.is_forward else found[::-1]

    def _has_point(self, node: Node) -> bool:
        """Return whether ``node``, met while a point is transferred, has points of its own."""
        at = self.graph.nodes[self.number]
        if has_scopes(type(at)) and node in scope_roots(at) and node not in operands(at):
            return True
        if type(node) in ATOMS:
            return False
        return has_control_flow(node) if type(at).language_.is_tree else True


install_default(DataFlow, "visit_", DataFlow._pass_on)  # noqa: SLF001 - a class of this module


class ForwardDataFlow(DataFlow[S], Generic[S]):
    """A forward data-flow analysis, whose handlers take the state before a node.

    Source:
        ``ffdfa`` of TVM's request #4468.

    Example:
        >>> from relayish.dataflow.lattice import Powerset
        >>> from relayish.ir.relay.expr import Call, If, Let, Var
        >>> class Bound(ForwardDataFlow):
        ...     lattice = Powerset()
        ...     def visit_let(self, let, state):
        ...         state = self.visit(let.value, state)
        ...         return self.visit(let.body, state.add(let.var.name_hint))
        >>> c, x, y = Var("c"), Var("x"), Var("y")
        >>> program = Let(x, c, If(c, Let(y, c, y), x))
        >>> sorted(Bound().visit(program, Powerset().bottom))
        ['x', 'y']
    """

    direction = Direction.FORWARD


class BackwardDataFlow(DataFlow[S], Generic[S]):
    """A backward data-flow analysis, whose handlers take the state after a node.

    Source:
        ``bfdfa`` of TVM's request #4468.

    Example:
        >>> from relayish.dataflow.lattice import Powerset
        >>> from relayish.ir.relay.expr import If, Let, Var
        >>> class Live(BackwardDataFlow):
        ...     lattice = Powerset()
        ...     def visit_var(self, var, live):
        ...         return live.add(var.name_hint)
        ...     def bind(self, node, variables, live):
        ...         return live.difference([var.name_hint for var in variables])
        >>> c, x, y = Var("c"), Var("x"), Var("y")
        >>> program = Let(x, c, If(c, y, x))
        >>> sorted(Live().visit(program, Powerset().bottom))
        ['c', 'y']
    """

    direction = Direction.BACKWARD
