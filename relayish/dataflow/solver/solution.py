"""Solutions: the states that an analysis found, by program point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Point
from relayish.dataflow.solver.analysis import Analysis
from relayish.errors import AnalysisError
from relayish.ir.node import Node
from relayish.ir.one_line import one_line

S = TypeVar("S")


class Solution(Generic[S]):
    """What a dense analysis found; never changed.

    Attributes:
        analysis: The analysis.
        graph: The program points it is about.
        visits: How many transfers of points were made.
    """

    __slots__ = ("_incoming", "_outgoing", "analysis", "graph", "visits")

    def __init__(
        self,
        analysis: Analysis[S],
        graph: FlowGraph,
        incoming: Sequence[S | None],
        outgoing: Mapping[int, S],
        visits: int,
    ) -> None:
        self.analysis = analysis
        self.graph = graph
        self.visits = visits
        self._incoming = incoming  # for each point, the state on the side that is come from
        self._outgoing = outgoing  # the state on the other side, for the last point of each block

    def before(self, point: Point | Node | int) -> S:
        """Return the state before a point; of a node, before all of its occurrence.

        States of points that control does not reach are the bottom of the lattice. Those of a node
        that occurs several times are joined; see :meth:`at`.

        Raises:
            AnalysisError: If the node is none that the graph has a point of.
        """
        if isinstance(point, Node):
            starts = [self.graph.start(each) for each in self._occurrences(point)]
            return self._join([self._before(each) for each in starts])
        return self._before(point.number if isinstance(point, Point) else point)

    def after(self, point: Point | Node | int) -> S:
        """Return the state after a point; of a node, after all of its occurrence."""
        if isinstance(point, Node):
            return self._join([self._after(each) for each in self._occurrences(point)])
        return self._after(point.number if isinstance(point, Point) else point)

    def at(self, node: Node) -> S:
        """Return the state after ``node``, joined over all its occurrences."""
        return self.after(node)

    def is_reached(self, point: Point | int) -> bool:
        """Return whether states reach a point."""
        number = point.number if isinstance(point, Point) else point
        return self._incoming[number] is not None

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
        joined = states[0]
        for state in states[1:]:
            joined = self.analysis.lattice.join(joined, state)
        return joined

    def _occurrences(self, node: Node) -> tuple[int, ...]:
        found = self.graph.occurrences(node)
        if not found:
            raise AnalysisError(
                f"{one_line(node)} has no program point in {self.graph!r}; points are of what is "
                f"evaluated: calls, lets, statements; ask about what it is part of"
            )
        return found

    def __repr__(self) -> str:
        return f"<Solution of {self.analysis.name} over {self.graph!r}, {self.visits} visits>"
