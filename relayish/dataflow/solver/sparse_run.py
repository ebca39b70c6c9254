"""A sparse analysis at work: blocks are visited for values that change as well as for states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Action
from relayish.dataflow.solver.calls import CallSites
from relayish.dataflow.solver.order import Order
from relayish.dataflow.solver.run import Run
from relayish.dataflow.solver.sparse import SparseAnalysis, SparseSolution
from relayish.dataflow.solver.valuation import Valuation


class SparseRun(Run):
    """The run of a sparse analysis; see :class:`~.valuation.Valuation`."""

    def __init__(
        self,
        graph: FlowGraph,
        analysis: SparseAnalysis[Any],  # Any: of whatever values
        order: Order,
        sites: CallSites | None,
        most: int,
    ) -> None:
        self.sparse = analysis
        self.valuation = valuation = Valuation(analysis, graph)
        self.crossed: set[tuple[int, int]] = set()
        valuation.blocks = order.blocks
        valuation.enqueue, valuation.arriving = self.wake, self.arriving
        super().__init__(graph, valuation, order, sites, most)

    def wake(self, place: int) -> None:
        """Let a block be visited again, if it was visited."""
        if place >= 0 and self.at_block[place] is not None:
            self.enqueue(place)

    def arriving(self) -> Sequence[Any]:  # Any: states
        """Return the states that come to the block that is visited, ``None`` where none does."""
        place = self.valuation.place
        return [
            self.leaving[source] if (source, place) in self.crossed else None
            for source in self.order.coming[place]
        ]

    def visit(self, place: int) -> None:
        self.valuation.place = place
        super().visit(place)

    def pass_on(self, place: int, target: int) -> None:
        visited, self.valuation.place = self.valuation.place, place
        super().pass_on(place, target)
        self.valuation.place = visited

    def cross(self, place: int, target: int, state: Any) -> None:  # Any: a state
        first = self.order.blocks[target][0]
        if self.graph.actions[first] is Action.LEAVE:
            # what held before a branching holds after it, and branches need not be compared
            start = self.graph.start(first)
            state = state if start == first else self.at_point[start]
        super().cross(place, target, state)
        if (place, target) not in self.crossed:
            self.crossed.add((place, target))
            self.enqueue(target)

    def finish(self) -> SparseSolution[Any]:  # Any: as above
        analysis = self.sparse.with_values(self.graph, self.valuation.found)
        return SparseSolution(analysis, self.graph, self.at_point, self.outgoing(), self.visits)
