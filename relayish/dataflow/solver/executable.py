"""Executable edges: which program points control can reach, given what other analyses know.

Loaded in one run with other analyses, this one makes them conditional: states pass along an edge
only where control may take it. So constants that decide branches, and branches that decide what is
constant, are found together, which neither finds alone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping, Sequence

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Edge, Procedure
from relayish.dataflow.lattice import Booleans
from relayish.dataflow.solver.analysis import Analysis, Transfer
from relayish.dataflow.solver.executable_edges import ExecutableEdges
from relayish.dataflow.solver.solution import Solution


class Executable(Analysis[bool]):
    """Executable edges: a forward analysis whose states say whether control may come to a point.

    An edge is executable if its source is, and every forward analysis of the run that refines
    edges lets it pass. In a run with this analysis all others, forward and backward, pass states
    along executable edges alone, and nothing is known of points that control never reaches:
    :meth:`~.solution.Solution.is_reached` says no.

    Source:
        Wegman and Zadeck's conditional constants; MLIR's ``DeadCodeAnalysis``.

    Example:
        >>> from relayish.dataflow import UNREACHABLE, Executable, ForwardDataFlow, build_flow_graph
        >>> from relayish.dataflow import solve
        >>> from relayish.ir.relay.expr import Constant, If, Var
        >>> class Literals(ForwardDataFlow):
        ...     lattice = Booleans()
        ...
        ...     def assume(self, condition, truth, state):
        ...         is_known = type(condition) is Constant and condition.data != truth
        ...         return UNREACHABLE if is_known else state
        >>> graph = build_flow_graph(If(Constant(True), Var("x"), Var("y")))
        >>> executable, _ = solve([Executable(), Literals()], graph)
        >>> [executable.before(point) for point in graph.points]
        [True, True, True, False, True, True]
        >>> [executable.is_executable(edge) for edge in graph.edges]
        [True, True, False, True, False, True]
    """

    lattice = Booleans()
    direction = Direction.FORWARD
    is_executable: Callable[[int, int], bool]
    """Whether an edge between two basic blocks is executable, once that was found."""
    starts: Collection[int]
    """The first points of basic blocks."""

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        """Return nothing to do: control passes through points as it is."""
        return [None] * len(graph)

    def boundary(self, procedure: Procedure) -> bool:  # noqa: ARG002
        """Say that every procedure may be entered."""
        return True


class ExecutableSolution(Solution[bool]):
    """Which points and edges are executable."""

    __slots__ = ()

    analysis: Executable

    def is_executable(self, edge: Edge) -> bool:
        """Return whether control may take an edge."""
        if not (self.is_reached(edge.source) and self.is_reached(edge.target)):
            return False
        is_executable = self.analysis.is_executable
        return edge.target not in self.analysis.starts or is_executable(edge.source, edge.target)


def conclude(
    analysis: Executable,
    edges: ExecutableEdges,
    starts: Collection[int],
    states: Sequence[Sequence[object]],
    outgoing: Mapping[int, bool],
    visits: int,
) -> ExecutableSolution:
    """Return what a run found out about the points that all of its forward analyses reach.

    Args:
        analysis: The analysis.
        edges: What knows which edges between basic blocks are executable.
        starts: The first points of these.
        states: For each forward analysis, the state before each point; ``None``: not reached.
        outgoing: As a solution has it.
        visits: As a solution has it.
    """
    found = copy.copy(analysis)
    found.is_executable, found.starts = edges.is_executable, starts
    reached = [None if None in each else True for each in zip(*states, strict=True)]
    return ExecutableSolution(found, analysis.graph, reached, outgoing, visits)
