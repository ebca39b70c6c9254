"""Escape analysis: which things may be known outside of the program, at each point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Point, Procedure
from relayish.dataflow.lattice import AnySet, PersistentSet, Powerset
from relayish.dataflow.points_to.result import UNKNOWN, PointsTo
from relayish.dataflow.registry import register_analysis
from relayish.dataflow.solver.analysis import Analysis, Transfer
from relayish.dataflow.solver.calls import Callee, CallSite, CallSites, evaluated_at
from relayish.dataflow.solver.solution import Solution
from relayish.errors import AnalysisError
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import scopes


@register_analysis()
class Escape(Analysis[AnySet[Node]]):
    """Forward escape analysis: the creation sites of things that may have escaped so far.

    A thing escapes where somebody who is not known may come to know it: it is given to a function
    that is not known, stored in what has escaped, returned by a function that is called from
    outside, or part of what escapes so, be it a field of a tuple, what a reference holds, or what a
    closure captures. States are about what variables in scope may stand for. What points-to
    analysis calls unknown has escaped from the start; :func:`may_have_escaped` minds that.

    Things of one creation site are not told apart: one has escaped where another one has. Functions
    of a module are not told of: no call creates them.

    Args:
        entries: The definitions of a module that are called from outside; by default all are.

    Example:
        >>> from relayish.dataflow import solve
        >>> from relayish.ir.relay.expr import Call, Let, RefCreate, Var
        >>> f, r, u, x = Var("f"), Var("r"), Var("u"), Var("x")
        >>> made, given = RefCreate(x), Call(f, (r,))
        >>> [solution] = solve([Escape()], Let(r, made, Let(u, given, x)))
        >>> made in solution.before(given), made in solution.after(given)
        (False, True)
    """

    lattice: Powerset[Node] = Powerset()
    direction = Direction.FORWARD
    interprocedural = True

    def __init__(self, *, entries: tuple[str, ...] = ()) -> None:
        self.entries = entries or None

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        self._reached: dict[Node, frozenset[Node]] = {}
        sites = self._sites
        self._escaped = PersistentSet(sites.points_to.escaped - sites.outermost)
        leaks = sites.points_to.leaks
        leaking = {*leaks.given_away, *leaks.stored}
        found: list[Transfer | None] = [None] * len(graph)
        for procedure in graph.procedures:
            is_tree = graph.is_tree[procedure.number]
            for number in range(procedure.entry, procedure.exit) if leaking else ():
                node = graph.nodes[number]
                if is_tree:
                    inside = [each for each in evaluated_at(node) if each in leaking]
                    found[number] = self._leak_all(inside) if inside else None
                elif node in leaking:
                    found[number] = self._leak
            if procedure.number in sites.exposed:
                found[procedure.exit] = self._leak_results(procedure)
        return found

    def boundary(self, procedure: Procedure) -> AnySet[Node]:
        """Return what has escaped where a procedure is called from outside.

        A function inside of another has escaped, and so has all that it captures, by then.
        """
        if procedure.parent is None:
            return self.lattice.bottom
        return self._escaped.update(self._reach_all(self.graph.captured(procedure.node)))

    def enter_call(self, site: CallSite, callee: Callee, state: AnySet[Node]) -> AnySet[Node]:
        """Return what has escaped of what the callee may name."""
        if not state:
            return state
        captured = self.graph.captured(callee.procedure.node)
        return state.intersection(self._reach_all((*site.arguments, *captured)))

    def leave_call(
        self,
        site: CallSite,  # noqa: ARG002
        callee: Callee,  # noqa: ARG002
        state: AnySet[Node],
        at_end: AnySet[Node],
    ) -> AnySet[Node]:
        return self.lattice.join(state, at_end)

    def unknown_call(self, site: CallSite, state: AnySet[Node]) -> AnySet[Node]:
        """Return what has escaped after a call of something that is not known.

        If that may know functions inside of others, it may call them, on things that these share
        with them; functions of a module share none.
        """
        state = state.update(self._reach_all(site.arguments))
        if state.isdisjoint(self._points_to.function_sites):
            return state
        return self.lattice.join(state, self._escaped)

    @property
    def _sites(self) -> CallSites:
        assert self.calls is not None
        return self.calls

    @property
    def _points_to(self) -> PointsTo:
        return self._sites.points_to

    def _reach_all(self, exprs: Iterable[Node]) -> frozenset[Node]:
        """Return all that is reached from the values of some expressions."""
        found: frozenset[Node] = frozenset()
        for expr in exprs:
            reached = self._reach(expr)
            found = found | reached if found else reached
        return found

    def _reach(self, expr: Node) -> frozenset[Node]:
        known = self._reached.get(expr)
        if known is None:
            points_to = self._points_to
            sites = points_to.reachable(points_to.of(expr), self.graph.captured)
            outermost = self._sites.outermost
            known = frozenset([s for s in sites if s is not UNKNOWN and s not in outermost])
            self._reached[expr] = known
        return known

    def _leak(self, node: Node, state: AnySet[Node]) -> AnySet[Node]:
        """Add what ``node`` gives away, and what it stores where somebody unknown may look."""
        points_to = self._points_to
        state = state.update(self._reach_all(points_to.leaks.given_away.get(node, ())))
        for container, source in points_to.leaks.stored.get(node, ()):
            held = points_to.of(container)
            if UNKNOWN in held or any(site in state for site in held):
                state = state.update(self._reach(source))
        return state

    def _leak_all(self, nodes: Sequence[Node]) -> Transfer:
        """Return the transfer of a statement in which several nodes give values away."""

        def leak(_statement: Node, state: AnySet[Node]) -> AnySet[Node]:
            for node in nodes:
                state = self._leak(node, state)
            return state

        return leak

    def _leak_results(self, procedure: Procedure) -> Transfer:
        """Return the transfer of the exit of a procedure that is called from outside."""
        node, case = procedure.node, procedure.scope
        results = (node,) if case is None else scopes(node)[case].roots
        return lambda _node, state: state.update(self._reach_all(results))


def may_have_escaped(
    solution: Solution[AnySet[Node]], point: Point | Node | int, expr: Node
) -> bool:
    """Return whether the value of ``expr`` may be known outside of the program before ``point``.

    Args:
        solution: Of :class:`Escape`.
        point: A point, or a node.
        expr: An expression of the program, such as a variable in scope there.

    Raises:
        AnalysisError: If the solution was carried over from another program.
    """
    if solution.calls is None:
        raise AnalysisError(
            f"{solution!r} does not say what values are, as it was carried over to another "
            f"program; solve it anew"
        )
    points_to, outermost = solution.calls.points_to, solution.calls.outermost
    state = solution.before(point)
    always = points_to.escaped & outermost
    return any(s is UNKNOWN or s in state or s in always for s in points_to.of(expr))
