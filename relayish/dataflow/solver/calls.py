"""Calls as edges: what interprocedural runs of the solver know of the program they solve.

A state enters a callee where it is called, joined over all calls; it comes back from where the
callee ends, to all who call it. So what is found is insensitive to context, and one summary of each
procedure serves all of its calls. Recursion is a loop through entries and summaries, where states
are widened.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from relayish._support.graph import components
from relayish.dataflow.graph.control_flow import has_control_flow
from relayish.dataflow.graph.flow_graph import INSIDE, FlowGraph
from relayish.dataflow.graph.point import Action, Procedure
from relayish.dataflow.points_to.find import find_points_to
from relayish.dataflow.points_to.result import Call, FunctionSite, PointsTo
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.scopes.scoping import operands


class Callee(NamedTuple):
    """A procedure that a call may enter.

    Attributes:
        procedure: The procedure.
        parameters: The variables that stand for arguments, in order.
        result: What is evaluated last, whose value the call gives; ``None``: nothing.
    """

    procedure: Procedure
    parameters: tuple[Node, ...]
    result: Node | None


class CallSite(NamedTuple):
    """A call, at one of its points.

    Attributes:
        point: The number of the point at which it is evaluated.
        node: The call.
        arguments: What it hands over, in order.
        callees: The procedures that it may enter.
        is_unknown: Whether it may call something that is not known.
        is_point: Whether the point is its own; else it is part of the statement there.
    """

    point: int
    node: Node
    arguments: tuple[Node, ...]
    callees: tuple[Callee, ...]
    is_unknown: bool
    is_point: bool


class CallSites:
    """The calls of a flow graph, and the call graph that they make.

    Args:
        graph: The flow graph.
        entries: The definitions that are called from outside, by name; by default all are.

    Attributes:
        points_to: What tells the callees.
        at: The calls of each point that has any, in order of evaluation.
        exposed: The numbers of the procedures that somebody who is not known may call.

    Complexity:
        That of points-to analysis, and linear in points and in callees of calls.
    """

    def __init__(self, graph: FlowGraph, entries: Collection[str] | None = None) -> None:
        self.graph = graph
        self.points_to: PointsTo = find_points_to(graph.root, entries=entries)
        self._procedures: dict[tuple[Node, int], list[Procedure]] = {}
        for procedure in graph.procedures:
            if procedure.scope is not None:
                key = (procedure.node, procedure.scope)
                self._procedures.setdefault(key, []).append(procedure)
        self.exposed = frozenset(self._find_exposed())
        self.at: Mapping[int, tuple[CallSite, ...]] = self._find_sites()

    @cached_property
    def outermost(self) -> frozenset[Node]:
        """The functions that no other contains: those of a module."""
        return frozenset([p.node for p in self.graph.procedures if p.parent is None])

    def _find_exposed(self) -> Iterator[int]:
        """Yield the procedures that are analysed themselves, or known to somebody unknown."""
        points_to = self.points_to
        for number, node, case, *_ in self.graph.procedures:
            is_called_here = any(f.case == case for f in points_to.functions_at(node))
            if case is None or node in points_to.escaped:
                yield number
            elif node in points_to.reached and not is_called_here:
                yield number  # somebody may call it, but nobody says how

    def _find_sites(self) -> dict[int, tuple[CallSite, ...]]:
        calls = self.points_to.calls
        if not calls:
            return {}
        found: dict[int, tuple[CallSite, ...]] = {}
        graph = self.graph
        evaluated = (Action.EVALUATE, Action.LEAVE)
        for procedure in graph.procedures:
            is_tree = graph.is_tree[procedure.number]
            for point in range(procedure.entry, procedure.exit + 1):
                node = graph.nodes[point]
                if is_tree:
                    if graph.actions[point] in _OF_STATEMENTS and type(node) not in ATOMS:
                        inside = [calls[each] for each in evaluated_at(node) if each in calls]
                        if inside:
                            found[point] = tuple([self._site(point, c, False) for c in inside])
                elif node in calls and graph.actions[point] in evaluated:
                    found[point] = (self._site(point, calls[node], True),)
        return found

    def _site(self, point: int, call: Call, is_point: bool) -> CallSite:
        callees = [each for function in call.callees for each in self._callees_of(function)]
        return CallSite(point, call.node, call.arguments, tuple(callees), call.is_unknown, is_point)

    def _callees_of(self, function: FunctionSite) -> list[Callee]:
        """Return the procedures of a function: one for each place where it stands."""
        found = self._procedures.get((function.node, function.case), ())
        return [Callee(each, function.parameters, function.result) for each in found]

    @cached_property
    def components(self) -> list[list[int]]:
        """Groups of procedures that call one another, by number; callees before callers."""
        references: dict[int, dict[int, None]] = {p.number: {} for p in self.graph.procedures}
        starts = [procedure.entry for procedure in self.graph.procedures]
        for point, sites in self.at.items():
            caller = references[bisect_right(starts, point) - 1]
            for site in sites:
                caller.update(dict.fromkeys([c.procedure.number for c in site.callees]))
        return components(references)

    @cached_property
    def rank(self) -> Sequence[int]:
        """For each procedure, the place of its component among all."""
        found = [0] * len(self.graph.procedures)
        for place, group in enumerate(self.components):
            for number in group:
                found[number] = place
        return found

    def blocks(self, *, callers_first: bool) -> list[range]:
        """Return the basic blocks, cut where calls are, by component and number of point.

        Solved in that order, with callers first, a callee is visited when all calls that were
        reached have entered it, and not again for each of them.
        """
        cuts = {block.start for block in self.graph.blocks}
        for point in self.at:
            cuts.update((point, point + 1))
        bounds = [*sorted(cuts - {len(self.graph)}), len(self.graph)]
        cut = [range(a, b) for a, b in pairwise(bounds)]
        starts = [procedure.entry for procedure in self.graph.procedures]
        sign = -1 if callers_first else 1
        ranks = [sign * self.rank[bisect_right(starts, b.start) - 1] for b in cut]
        return [cut[at] for at in sorted(range(len(cut)), key=lambda at: (ranks[at], at))]


def evaluated_at(statement: Node) -> Iterable[Node]:
    """Return what is evaluated at the point of a statement, itself last."""
    inside = INSIDE.post_order(operands(statement), lambda each: not has_control_flow(each))
    return [*[each for each in inside if not has_control_flow(each)], statement]


_OF_STATEMENTS = (Action.EVALUATE, Action.ENTER)
