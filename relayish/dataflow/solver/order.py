"""The order in which runs of the solver visit basic blocks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.solver.calls import CallSites


class Order:
    """Basic blocks in the order in which analyses of one direction visit them first.

    Attributes:
        blocks: For each block, its points in the order in which states pass them.
        following: For each block, those that states flow to, by place in the order.
        coming: Those that states come from.
    """

    def __init__(
        self, graph: FlowGraph, direction: Direction, sites: CallSites | None = None
    ) -> None:
        self.is_forward = direction is Direction.FORWARD
        blocks: Sequence[range] = graph.blocks
        if sites is not None:
            blocks = sites.blocks(callers_first=self.is_forward)
        starts = {block.start: number for number, block in enumerate(blocks)}
        ends = {block.stop - 1: number for number, block in enumerate(blocks)}
        following = [[starts[t] for t in graph.successors(block.stop - 1)] for block in blocks]
        coming = [[ends[s] for s in graph.predecessors(block.start)] for block in blocks]
        if self.is_forward:
            self.blocks, self.following, self.coming = list(blocks), following, coming
            return
        last = len(blocks) - 1
        self.blocks = [block[::-1] for block in reversed(blocks)]
        self.following = [[last - number for number in each] for each in reversed(coming)]
        self.coming = [[last - number for number in each] for each in reversed(following)]

    @cached_property
    def first(self) -> dict[int, int]:
        """The block of each point that states pass first in one."""
        return {block[0]: place for place, block in enumerate(self.blocks)}

    @cached_property
    def last(self) -> dict[int, int]:
        """The block of each point that states pass last in one."""
        return {block[-1]: place for place, block in enumerate(self.blocks)}

    def edge(self, place: int, target: int) -> tuple[int, int]:
        """Return the points that are the ends of an edge of control between two blocks."""
        ends = self.blocks[place][-1], self.blocks[target][0]
        return ends if self.is_forward else ends[::-1]

    def ends(self, source: int, target: int) -> tuple[int, int]:
        """Return the blocks that states leave and reach along an edge of control."""
        ends = (source, target) if self.is_forward else (target, source)
        return self.last[ends[0]], self.first[ends[1]]
