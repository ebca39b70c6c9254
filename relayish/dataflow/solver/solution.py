"""Solutions: the states that an analysis found, by program point."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Generic, NoReturn, Self, TypeVar

from relayish._support.display import repr_mimebundle
from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Point
from relayish.dataflow.solver.analysis import Analysis
from relayish.dataflow.solver.calls import CallSites
from relayish.errors import AnalysisError, FrozenNodeError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node

S = TypeVar("S")


class Solution(Generic[S]):
    """What a dense analysis found; never changed.

    Attributes:
        analysis: The analysis.
        graph: The program points it is about.
        visits: How many transfers of points were made.
        calls: The calls of the program, if states went into what is called.
    """

    __slots__ = ("__weakref__", "_incoming", "_outgoing", "analysis", "calls", "graph", "visits")

    analysis: Analysis[S]
    graph: FlowGraph
    visits: int
    calls: CallSites | None
    _incoming: Sequence[S | None]
    _outgoing: Mapping[int, S]
    _repr_mimebundle_ = repr_mimebundle

    def __init__(
        self,
        analysis: Analysis[S],
        graph: FlowGraph,
        incoming: Sequence[S | None],
        outgoing: Mapping[int, S],
        visits: int,
        calls: CallSites | None = None,
    ) -> None:
        write = object.__setattr__
        write(self, "analysis", analysis)
        write(self, "graph", graph)
        write(self, "visits", visits)
        write(self, "calls", calls)
        # for each point, the state on the side that is come from
        write(self, "_incoming", incoming)
        # the state on the other side, for the last point of each block
        write(self, "_outgoing", outgoing)

    def before(self, point: Point | Node | int) -> S:
        """Return the state before a point; of a node, before all of its occurrence.

        States of points that control does not reach are the bottom of the lattice. Those of a node
        that occurs several times are joined; see :meth:`at`.

        The state before an expression of a statement is that before the statement.

        Raises:
            AnalysisError: If this is no point of the graph, nor a node that it has a point of.
        """
        if isinstance(point, Node):
            starts = [self.graph.begin(each) for each in self._points(point)]
            return self._join([self._before(each) for each in starts])
        return self._before(self._number(point))

    def after(self, point: Point | Node | int) -> S:
        """Return the state after a point; of a node, after all of its occurrence.

        The state after an expression of a statement is that after the statement.
        """
        if isinstance(point, Node):
            return self._join([self._after(each) for each in self._points(point)])
        return self._after(self._number(point))

    def at(self, node: Node) -> S:
        """Return the state after ``node``, joined over all its occurrences."""
        return self.after(node)

    def is_reached(self, point: Point | int) -> bool:
        """Return whether states reach a point."""
        return self._incoming[self._number(point)] is not None

    @property
    def entry(self) -> S:
        """The state before all that is analysed, joined over procedures that nothing contains."""
        return self._join(
            [self._before(p.entry) for p in self.graph.procedures if p.parent is None]
        )

    @property
    def exit(self) -> S:
        """The state after all that is analysed."""
        outermost = [p for p in self.graph.procedures if p.parent is None]
        return self._join([self._after(procedure.exit) for procedure in outermost])

    def _number(self, point: Point | int) -> int:
        number: object = point.number if isinstance(point, Point) else point
        if not isinstance(number, int) or not 0 <= number < len(self._incoming):
            raise AnalysisError(
                f"no program point of {self.graph!r} is {point!r:.60}; give a point, its number, "
                f"from 0 to {len(self._incoming) - 1}, or a node"
            )
        return number

    def _before(self, number: int) -> S:
        if self.analysis.direction is Direction.FORWARD:
            return self._or_bottom(self._incoming[number])
        return self._left(number, number - 1)

    def _after(self, number: int) -> S:
        if self.analysis.direction is Direction.BACKWARD:
            return self._or_bottom(self._incoming[number])
        return self._left(number, number + 1)

    def _left(self, number: int, following: int) -> S:
        found = self._outgoing.get(number)
        if found is None and self._incoming[number] is not None:
            found = self._incoming[following]
        return self._or_bottom(found)

    def _or_bottom(self, state: S | None) -> S:
        return self.analysis.lattice.bottom if state is None else state

    def _join(self, states: Sequence[S]) -> S:
        if not states:  # of a module without functions
            return self.analysis.lattice.bottom
        joined = states[0]
        for state in states[1:]:
            joined = self.analysis.lattice.join(joined, state)
        return joined

    def _points(self, node: Node) -> tuple[int, ...]:
        """Return the points at which ``node``, or the statements that hold it, are evaluated."""
        found = self.graph.occurrences(node) or self.graph.holders(node)
        if not found:
            raise AnalysisError(
                f"{one_line(node)} has no program point in {self.graph!r}; points are of what is "
                f"evaluated: calls, lets, statements; ask about what it is part of"
            )
        return found

    def rebind(self, graph: FlowGraph) -> Self:
        """Return the same states at the points of ``graph``, which has the same ones by number.

        Raises:
            AnalysisError: If its points or edges are others.
        """
        if not self.graph.has_same_points(graph):
            raise AnalysisError(
                f"the states of {self.analysis.name} over {self.graph!r} cannot be those over "
                f"{graph!r}, which has other points or edges; solve it anew"
            )
        analysis = copy.copy(self.analysis)
        analysis.graph = graph
        return type(self)(analysis, graph, self._incoming, self._outgoing, 0)

    def first_difference(self, other: Solution[S]) -> Point | None:
        """Return the first point at which ``other``, over the same points, has another state.

        States are compared by the lattice; a point that only one of both reaches differs.
        """
        equal = self.analysis.lattice.equal
        for number in range(len(self.graph)):
            ours, theirs = self._incoming[number], other._incoming[number]
            if ours is not theirs and (ours is None or theirs is None or not equal(ours, theirs)):
                return self.graph.point(number)
        for number in sorted({*self._outgoing, *other._outgoing}):
            if not equal(self._side(number), other._side(number)):
                return self.graph.point(number)
        return None

    def _side(self, number: int) -> S:
        """Return the state on the side of the point that states go to."""
        is_forward = self.analysis.direction is Direction.FORWARD
        return self._after(number) if is_forward else self._before(number)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenNodeError(f"cannot assign Solution.{name}: solutions are immutable")

    def __repr__(self) -> str:
        return f"<Solution of {self.analysis.name} over {self.graph!r}, {self.visits} visits>"
