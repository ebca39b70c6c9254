"""Dominators and post-dominators: what every path to a program point, or from it, passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from relayish._support.display import repr_mimebundle
from relayish._support.dominators import DominatorTree
from relayish._support.graph import post_order
from relayish.dataflow.graph.build import build_flow_graph
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node


def find_dominators(program: Node | Module[Any] | FlowGraph) -> PointDominators:
    """Return the dominators of each program point: what every path from its entry passes.

    Complexity:
        Linear in points and edges, times the logarithm of the depth of the tree; no recursion.

    Source:
        Trees that are grown along reverse post-order; Cooper, Harvey and Kennedy's, but for the
        search for common ancestors, which takes logarithmic time.

    Example:
        >>> from relayish.dataflow import build_flow_graph
        >>> from relayish.ir.relay.expr import If, Var
        >>> graph = build_flow_graph(If(Var("c"), Var("x"), Var("y")))
        >>> [str(point) for point in graph.points]
        ['entry if (%c) {...} else {...}', 'enter if (%c) {...} else {...}', 'yield %x', \
'yield %y', 'leave if (%c) {...} else {...}', 'exit if (%c) {...} else {...}']
        >>> found = find_dominators(graph)
        >>> found.immediate(4), found.dominates(1, 4), found.dominates(2, 4), found.frontier(2)
        (1, True, False, (4,))
    """
    return PointDominators(_graph_of(program), is_post=False)


def find_post_dominators(program: Node | Module[Any] | FlowGraph) -> PointDominators:
    """Return the post-dominators of each program point: what every path to its exit passes.

    Where the path leads through a loop, that is every path that leaves it.

    Complexity:
        As of :func:`find_dominators`.

    Example:
        >>> from relayish.dataflow import build_flow_graph
        >>> from relayish.ir.relay.expr import If, Var
        >>> found = find_post_dominators(If(Var("c"), Var("x"), Var("y")))
        >>> found.immediate(1), found.immediate(2), found.dominates(4, 1), found.dominates(2, 1)
        (4, 4, True, False)
    """
    return PointDominators(_graph_of(program), is_post=True)


class PointDominators:
    """The tree of immediate dominators, or post-dominators, of the points of a flow graph.

    Args:
        graph: The graph, in which each loop is entered through one point, as those that are built
            from programs.
        is_post: Whether it is the tree of post-dominators.

    Attributes:
        graph: The graph.
        is_post: As given.
    """

    _repr_mimebundle_ = repr_mimebundle

    def __init__(self, graph: FlowGraph, *, is_post: bool) -> None:
        self.graph = graph
        self.is_post = is_post
        self._tree = DominatorTree()
        self._vertex: dict[int, int] = {}  # of the block that begins at a point
        self._block: list[range] = [range(0)]  # of a vertex
        blocks = {block.start: block for block in graph.blocks}
        for start in self._order(blocks):
            coming = [self._vertex[each] for each in self._coming(start) if each in self._vertex]
            vertex = self._tree.add([(source, 0) for source in coming])
            self._vertex[start] = vertex
            self._block.append(blocks[start])

    def immediate(self, point: int) -> int | None:
        """Return the nearest other point that dominates ``point``; of an entry there is none.

        Complexity:
            Constant.
        """
        block = self._block[self._vertex[self._start_of[point]]]
        if self.is_post and point != block[-1]:
            return point + 1
        if not self.is_post and point != block[0]:
            return point - 1
        above = self._tree.parent[self._vertex[block.start]]
        if not above:
            return None
        return self._block[above][0 if self.is_post else -1]

    def dominates(self, above: int, below: int) -> bool:
        """Return whether a point dominates another, or is it.

        Complexity:
            Logarithmic in the depth of the tree.
        """
        first, second = self._start_of[above], self._start_of[below]
        if first == second:
            return above >= below if self.is_post else above <= below
        return self._tree.dominates(self._vertex[first], self._vertex[second])

    def frontier(self, point: int) -> tuple[int, ...]:
        """Return where the dominance of a point ends: what joins paths it is on with others.

        Complexity:
            Constant, after an index was made in time linear in all frontiers.

        Source:
            Cytron et al., *Efficiently computing static single assignment form*, 1991.
        """
        return self._frontiers.get(self._start_of[point], ())

    @cached_property
    def _frontiers(self) -> Mapping[int, tuple[int, ...]]:
        """By block, the points at the beginning, seen from there, of those in its frontier."""
        found: dict[int, dict[int, None]] = {}
        parent, vertex_of = self._tree.parent, self._vertex
        for start, vertex in vertex_of.items():
            coming = self._coming(start)
            if len(coming) < 2:
                continue
            block = self._block[vertex]
            joint = block[-1] if self.is_post else block[0]
            for source in coming:
                runner = vertex_of[source]
                while runner != parent[vertex]:
                    found.setdefault(self._block[runner].start, {})[joint] = None
                    runner = parent[runner]
        return {start: tuple(points) for start, points in found.items()}

    def _coming(self, start: int) -> list[int]:
        """Return the blocks from which paths come to a block, in the direction of the tree."""
        graph, start_of = self.graph, self._start_of
        if not self.is_post:
            return [start_of[source] for source in graph.predecessors(start)]
        last = self._ends[start]
        return [start_of[target] for target in graph.successors(last)]

    @cached_property
    def _ends(self) -> Mapping[int, int]:
        return {block.start: block[-1] for block in self.graph.blocks}

    @cached_property
    def _start_of(self) -> Sequence[int]:
        return _starts(self.graph)

    def _order(self, blocks: Mapping[int, range]) -> Sequence[int]:
        """Return the blocks in reverse post-order, in the direction of the tree."""
        if not self.is_post:
            return list(blocks)
        start_of, graph = self._start_of, self.graph

        def following(start: int) -> list[int]:
            return [start_of[source] for source in graph.predecessors(start)]

        exits = [start_of[procedure.exit] for procedure in graph.procedures]
        return post_order(exits, following)[::-1]


def _starts(graph: FlowGraph) -> Sequence[int]:
    """Return for each point that at which its block begins."""
    found: list[int] = []
    for block in graph.blocks:
        found += [block.start] * len(block)
    return found


def _graph_of(program: Node | Module[Any] | FlowGraph) -> FlowGraph:
    return program if isinstance(program, FlowGraph) else build_flow_graph(program)
