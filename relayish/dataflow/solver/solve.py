"""The solver: one worklist of basic blocks, for any number of analyses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from heapq import heappop, heappush
from typing import Any, Final

from relayish._support.collector import pause_collection
from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.build import build_flow_graph
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.solver.analysis import Analysis
from relayish.dataflow.solver.calls import CallSites
from relayish.dataflow.solver.claims import checked_analyses, claimed
from relayish.dataflow.solver.executable import Executable, conclude
from relayish.dataflow.solver.executable_edges import ExecutableEdges
from relayish.dataflow.solver.order import Order
from relayish.dataflow.solver.run import Run
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.solver.sparse import SparseAnalysis
from relayish.dataflow.solver.sparse_run import SparseRun
from relayish.errors import AnalysisError
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node

MAX_VISITS: Final = 10_000
"""How often a basic block is visited at most, unless the solver is told otherwise."""


def solve(
    analyses: Sequence[Analysis[Any]],  # Any: with states of their own
    program: Node | Module[Any] | FlowGraph,
    *,
    max_visits: int = MAX_VISITS,
    interprocedural: bool = False,
    entries: Collection[str] | None = None,
    check: bool = False,
) -> tuple[Solution[Any], ...]:  # Any: as above
    """Return the solutions of some analyses, found in one run.

    Blocks are visited in reverse post-order, by backward analyses in post-order, each again only
    after a state that reaches it has changed; so the loops inside of a loop come to rest before
    those around them go on, from the states that they have. Where control comes back, states are
    widened once they grew ``widen_after`` times, and narrowed when all is at rest.

    With :class:`~.executable.Executable` among them the analyses are conditional: states pass
    along an edge once all forward analyses let it pass, so each of them profits from what the
    others know.

    Args:
        analyses: What to find out; solutions come in their order.
        program: What to analyse.
        max_visits: How often a block may be visited by one analysis.
        interprocedural: Whether states go into what is called and come back, in all analyses; by
            default in those that ask for it. Procedures that are not called have none then, unless
            somebody who is not known may call them.
        entries: For that, the names of the definitions of a module that are called from outside;
            by default those that the analyses say, or all.
        check: Whether to look at all that transfers and joins of dense analyses return, and whether
            they leave the states alone that they are given: slow, for analyses that are being
            written.

    Raises:
        DeclarationError: If one of them is no analysis, or has no lattice or direction.
        AnalysisError: If a block is visited more often: the lattice has endless chains, or the
            transfers are not monotone. It says which analysis and where, and how the state grew.
            Under ``check``, at which node a transfer returned no state or changed one in place, or
            states have a join that is not above them.
            Also if analyses say different entries, if one of them is being solved already, and if
            this is no program.

    Complexity:
        Linear in points for programs without loops; in loops as often as states change, and across
        calls as often as what enters a procedure does.

    Source:
        Kildall's worklist; Bourdoncle's widening points are the headers of loops, here entries and
        exits of recursive procedures too. Sharir and Pnueli's functional approach with one context.
    """
    analyses = checked_analyses(analyses)
    graph = program if isinstance(program, FlowGraph) else build_flow_graph(program)
    with pause_collection(), ExitStack() as running:
        running.enter_context(claimed(analyses))
        for analysis in analyses:
            running.enter_context(analysis.running())
        asking = [a for a in analyses if interprocedural or a.interprocedural]
        if asking and any(isinstance(each, Executable) for each in analyses):
            asking = list(analyses)
        sites = _find_call_sites(graph, asking, entries)
        try:
            return _Solver(graph, analyses, max_visits, sites, check=check).solve()
        finally:
            for analysis in analyses:
                analysis.end()


def _find_call_sites(
    graph: FlowGraph, asking: Sequence[Analysis[Any]], entries: Collection[str] | None
) -> dict[Analysis[Any], CallSites]:
    """Return the calls of a program, for each analysis that goes into what is called.

    Raises:
        AnalysisError: If the analyses do not agree on who calls from outside.
    """
    if not asking:
        return {}
    if entries is None:
        said = {tuple(sorted(a.entries)): a for a in asking if a.entries is not None}
        if len(said) > 1:
            one, other, *_ = said.items()
            raise AnalysisError(
                f"{one[1].name} takes {list(one[0])} for entries and {other[1].name} "
                f"{list(other[0])}; solve them apart, or give solve(..., entries=[...])"
            )
        entries = next(iter(said), None)
    sites = CallSites(graph, entries)
    return dict.fromkeys(asking, sites)


class _Solver:
    def __init__(
        self,
        graph: FlowGraph,
        analyses: Sequence[Analysis[Any]],
        most: int,
        sites: Mapping[Analysis[Any], CallSites],
        *,
        check: bool,
    ) -> None:
        orders: dict[tuple[Direction, bool], Order] = {}
        self.runs: list[Run] = []
        for analysis in analyses:
            own = sites.get(analysis)
            key = (analysis.direction, own is not None)
            if key not in orders:
                orders[key] = Order(graph, analysis.direction, own)
            rest = (orders[key], own, most)
            if isinstance(analysis, SparseAnalysis):
                self.runs.append(SparseRun(graph, analysis, *rest))
            else:
                self.runs.append(Run(graph, analysis, *rest, check=check))
        self.edges: ExecutableEdges | None = None
        if any(isinstance(each, Executable) for each in analyses):
            self.edges = ExecutableEdges(self.runs)

    def solve(self) -> tuple[Solution[Any], ...]:
        runs, edges = self.runs, self.edges
        pending: list[int] = []
        count = len(runs)
        for number, run in enumerate(runs):
            run.edges = edges
            run.enqueue = _queue(pending, run, number, count)
        for run in runs:
            run.begin()
        while pending:
            while pending:
                place, number = divmod(heappop(pending), count)
                runs[number].visit(place)
            for run in runs:
                if run.summaries is not None:
                    run.summaries.release()
            if edges is not None and not pending:
                edges.begin_endless()
        return tuple([self.finish(run) for run in runs])

    def finish(self, run: Run) -> Solution[Any]:
        found = run.finish()
        if self.edges is None or not isinstance(run.analysis, Executable):
            return found
        states = [each.at_point for each in self.runs if each.order.is_forward]
        first = run.order.first
        return conclude(run.analysis, self.edges, first, states, run.outgoing(), run.visits)


def _queue(pending: list[int], run: Run, number: int, count: int) -> Callable[[int], None]:
    """Return what puts blocks on the worklist for ``run``, each once."""
    waiting = run.waiting

    def enqueue(place: int) -> None:
        if not waiting[place]:
            waiting[place] = 1
            heappush(pending, place * count + number)

    return enqueue
