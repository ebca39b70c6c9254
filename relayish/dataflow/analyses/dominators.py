"""Dominance as a data-flow problem: the points that every path to a point, or from it, passes."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Procedure
from relayish.dataflow.lattice import AnySet, MustPowerset, PersistentSet
from relayish.dataflow.registry import register_analysis
from relayish.dataflow.solver.analysis import Analysis, Transfer
from relayish.ir.nodes.node import Node

_NONE: PersistentSet[int] = PersistentSet()


class _Dominance(Analysis[AnySet[int]]):
    lattice = MustPowerset[int]()

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        return [self._pass] * len(graph)

    def boundary(self, procedure: Procedure) -> AnySet[int]:  # noqa: ARG002
        return _NONE

    def _pass(self, _node: Node, passed: AnySet[int]) -> AnySet[int]:
        return passed.add(self.number)


@register_analysis()
class Dominators(_Dominance):
    """Dominators: the numbers of the points that every path from the entry to a point passes.

    The state before a point holds those that strictly dominate it; that after it holds it too. They
    follow from points and edges alone, so a pass that keeps these preserves them.
    :func:`~.dominators.find_dominators` builds their tree, which is smaller and asked faster.

    Complexity:
        Linear in points, times a logarithm; merging costs what the arms do not share.

    Source:
        Allen and Cocke, *Graph-theoretic constructs for program control flow analysis*, 1972.

    Example:
        >>> from relayish.dataflow import solve
        >>> from relayish.ir.relay.expr import If, Var
        >>> [found] = solve([Dominators()], If(Var("c"), Var("x"), Var("y")))
        >>> [sorted(found.before(number)) for number in (1, 2, 3, 4)]
        [[0], [0, 1], [0, 1], [0, 1]]
    """

    direction = Direction.FORWARD


@register_analysis()
class PostDominators(_Dominance):
    """Post-dominators: the numbers of the points that every path from a point to the exit passes.

    The state after a point holds those that strictly post-dominate it; that before it holds it too.
    Where the path leads through a loop, that is every path that leaves it.

    Complexity:
        As of :class:`Dominators`.

    Source:
        As of :class:`Dominators`.

    Example:
        >>> from relayish.dataflow import solve
        >>> from relayish.ir.relay.expr import If, Var
        >>> [found] = solve([PostDominators()], If(Var("c"), Var("x"), Var("y")))
        >>> [sorted(found.after(number)) for number in (1, 2, 3, 4)]
        [[4, 5], [4, 5], [4, 5], [5]]
    """

    direction = Direction.BACKWARD
