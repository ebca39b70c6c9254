"""A sparse analysis at work: blocks are visited for values that change as well as for states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Action
from relayish.dataflow.solver.abstract_evaluator import AbstractEvaluator
from relayish.dataflow.solver.calls import CallSites
from relayish.dataflow.solver.order import Order
from relayish.dataflow.solver.run import Run
from relayish.dataflow.solver.sparse import SparseAnalysis, SparseSolution


class SparseRun(Run):
    """The run of a sparse analysis; see :class:`~.abstract_evaluator.AbstractEvaluator`."""

    def __init__(
        self,
        graph: FlowGraph,
        analysis: SparseAnalysis[Any],  # Any: of whatever values
        order: Order,
        sites: CallSites | None,
        most: int,
    ) -> None:
        self.sparse = analysis
        self.evaluator = evaluator = AbstractEvaluator(analysis, graph)
        self.crossed: set[tuple[int, int]] = set()
        values = evaluator.values
        values.blocks, values.enqueue = order.blocks, self.wake
        evaluator.arriving = self.arriving
        super().__init__(graph, evaluator, order, sites, most)
        self.branching_left = self.find_branching_left()

    def wake(self, place: int) -> None:
        """Let a block be visited again, if it was visited."""
        if place >= 0 and self.at_block[place] is not None:
            self.enqueue(place)

    def arriving(self) -> Sequence[Any]:  # Any: states
        """Return the states that come to the block that is visited, ``None`` where none does."""
        place = self.evaluator.values.place
        return [
            self.leaving[source] if (source, place) in self.crossed else None
            for source in self.order.coming[place]
        ]

    def visit(self, place: int) -> None:
        self.evaluator.values.place = place
        super().visit(place)

    def pass_on(self, place: int, target: int) -> None:
        values = self.evaluator.values
        visited, values.place = values.place, place
        super().pass_on(place, target)
        values.place = visited

    def passed(self, source: int, target: int, state: Any) -> Any:  # Any: states
        if len(self.order.following[source]) == 1:
            return state  # there is no choice
        return super().passed(source, target, state)

    def cross(self, place: int, target: int, state: Any) -> None:  # Any: a state
        start = self.branching_left[target]
        if start >= 0:
            # what held before a branching holds after it, and branches need not be compared
            state = self.at_point[start]
        super().cross(place, target, state)
        if (place, target) not in self.crossed:
            self.crossed.add((place, target))
            self.enqueue(target)

    def find_branching_left(self) -> list[int]:
        """Return the point where a branching begins, for each block that begins where it is left.

        For other blocks it is -1.
        """
        graph, found = self.graph, [-1] * len(self.order.blocks)
        for place, block in enumerate(self.order.blocks):
            first = block[0]
            if graph.actions[first] is Action.LEAVE and graph.start(first) != first:
                found[place] = graph.start(first)
        return found

    def finish(self) -> SparseSolution[Any]:  # Any: as above
        analysis = self.sparse.with_values(self.graph, self.evaluator.values.found)
        return SparseSolution(analysis, self.graph, self.at_point, self.outgoing(), self.visits)
