"""The solver: one worklist of basic blocks, for any number of analyses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from heapq import heappop, heappush
from typing import Any, Final

from relayish._support.collector import pause_collection
from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.build import build_flow_graph
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.lattice.symbols import UNREACHABLE
from relayish.dataflow.solver.analysis import Analysis
from relayish.dataflow.solver.calls import CallSites
from relayish.dataflow.solver.linkage import Linkage
from relayish.dataflow.solver.solution import Solution
from relayish.errors import AnalysisError
from relayish.ir.module import Module
from relayish.ir.node import Node

MAX_VISITS: Final = 10_000
"""How often a basic block is visited at most, unless the solver is told otherwise."""


def solve(
    analyses: Sequence[Analysis[Any]],  # Any: with states of their own
    program: Node | Module[Any] | FlowGraph,
    *,
    max_visits: int = MAX_VISITS,
    interprocedural: bool = False,
    entries: Collection[str] | None = None,
) -> tuple[Solution[Any], ...]:  # Any: as above
    """Return the solutions of some analyses, found in one run.

    Blocks are visited in reverse post-order, by backward analyses in post-order, each again only
    after a state that reaches it has changed; so the loops inside of a loop come to rest before
    those around them go on, from the states that they have. Where control comes back, states are
    widened once they grew ``widen_after`` times, and narrowed when all is at rest.

    Args:
        analyses: What to find out; solutions come in their order.
        program: What to analyse.
        max_visits: How often a block may be visited by one analysis.
        interprocedural: Whether states go into what is called and come back, in all analyses; by
            default in those that ask for it. Procedures that are not called have none then, unless
            somebody who is not known may call them.
        entries: For that, the names of the definitions of a module that are called from outside;
            by default all are.

    Raises:
        AnalysisError: If a block is visited more often: the lattice has endless chains, or the
            transfers are not monotone. It says which analysis and where, and how the state grew.

    Complexity:
        Linear in points for programs without loops; in loops as often as states change, and across
        calls as often as what enters a procedure does.

    Source:
        Kildall's worklist; Bourdoncle's widening points are the headers of loops, here entries and
        exits of recursive procedures too. Sharir and Pnueli's functional approach with one context.
    """
    graph = program if isinstance(program, FlowGraph) else build_flow_graph(program)
    with pause_collection():
        asking = [a for a in analyses if interprocedural or a.interprocedural]
        sites = CallSites(graph, entries) if asking else None
        return _Solver(graph, analyses, max_visits, asking, sites).solve()


class _Order:
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
            blocks = sites.blocks(callers_first=not self.is_forward)
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


class _Solver:
    def __init__(
        self,
        graph: FlowGraph,
        analyses: Sequence[Analysis[Any]],
        most: int,
        asking: Sequence[Analysis[Any]],
        sites: CallSites | None,
    ) -> None:
        self.graph = graph
        self.most = most
        sites_of = [sites if analysis in asking else None for analysis in analyses]
        orders: dict[tuple[Direction, bool], _Order] = {}
        self.runs: list[_Run] = []
        for analysis, own in zip(analyses, sites_of, strict=True):
            key = (analysis.direction, own is not None)
            if key not in orders:
                orders[key] = _Order(graph, analysis.direction, own)
            self.runs.append(_Run(self, analysis, orders[key], own))

    def solve(self) -> tuple[Solution[Any], ...]:
        runs = self.runs
        pending: list[int] = []
        count = len(runs)
        for number, run in enumerate(runs):
            run.enqueue = _queue(pending, run, number, count)
            run.begin()
        while pending:
            while pending:
                place, number = divmod(heappop(pending), count)
                runs[number].visit(place)
            for run in runs:
                if run.linkage is not None:
                    run.linkage.release()
        return tuple([run.finish() for run in runs])


def _queue(pending: list[int], run: _Run, number: int, count: int) -> Callable[[int], None]:
    """Return what puts blocks on the worklist for ``run``, each once."""
    waiting = run.waiting

    def enqueue(place: int) -> None:
        if not waiting[place]:
            waiting[place] = 1
            heappush(pending, place * count + number)

    return enqueue


class _Run:
    """One analysis at work; blocks go by their place in its order."""

    enqueue: Callable[[int], None]

    def __init__(
        self, solver: _Solver, analysis: Analysis[Any], order: _Order, sites: CallSites | None
    ) -> None:
        self.analysis, self.graph, self.order = analysis, solver.graph, order
        self.most = solver.most
        analysis.graph = solver.graph
        self.lattice = analysis.lattice
        self.steps = analysis.transfers(solver.graph)
        self.refines = analysis.refines
        count = len(order.blocks)
        self.at_point: list[Any] = [None] * len(self.graph)
        self.at_block: list[Any] = [None] * count  # Any: the state that reaches it
        self.leaving: list[Any] = [None] * count
        self.waiting = bytearray(count)
        self.visited = [0] * count
        self.grown = [0] * count
        self.visits = 0
        self.has_widened = False
        self.linkage = None if sites is None else self.link(sites)

    def link(self, sites: CallSites) -> Linkage:
        """Let states go into what is called, and come back."""
        first = {block[0]: place for place, block in enumerate(self.order.blocks)}
        last = {block[-1]: place for place, block in enumerate(self.order.blocks)}
        ends = [(p.entry, p.exit) for p in self.graph.procedures]
        if not self.order.is_forward:
            ends = [(exit_, entry) for entry, exit_ in ends]
        linkage = Linkage(
            self,
            sites,
            [first[begin] for begin, _ in ends],
            [last[end] for _, end in ends],
            {point: first[point] for point in sites.at},
        )
        self.steps = linkage.link(self.steps)
        return linkage

    def begin(self) -> None:
        """Let states reach where procedures begin; for a backward analysis, where they end."""
        first = {block[0]: place for place, block in enumerate(self.order.blocks)}
        sites = None if self.linkage is None else self.linkage.sites
        for procedure in self.graph.procedures:
            if sites is not None and procedure.number not in sites.exposed:
                continue
            begin = procedure.entry if self.order.is_forward else procedure.exit
            self.reach(first[begin], self.analysis.reaching(procedure), comes_back=False)

    def reach(self, place: int, state: Any, *, comes_back: bool) -> None:  # Any: a state
        """Join ``state`` to what reaches a block, which waits to be visited if that grows."""
        old = self.at_block[place]
        if old is None:
            self.at_block[place] = state
        elif old is state:
            return
        else:
            joined = self.lattice.join(old, state)
            if joined is old or self.lattice.equal(joined, old):
                return
            if comes_back:
                self.grown[place] += 1
                if self.grown[place] > self.analysis.widen_after:
                    joined = self.lattice.widen(old, joined)
                    self.has_widened = True
                    if self.lattice.equal(joined, old):
                        return
            self.at_block[place] = joined
        self.enqueue(place)

    def visit(self, place: int) -> None:
        """Transfer a block, and let what comes out reach those that follow."""
        self.waiting[place] = 0
        self.visited[place] += 1
        if self.visited[place] > self.most:
            self.refuse_endless(place)
        state = self.leaving[place] = self.transfer(place, self.at_block[place])
        if state is not UNREACHABLE:
            for target in self.order.following[place]:
                passed = self.passed(place, target, state)
                if passed is not UNREACHABLE:
                    self.reach(target, passed, comes_back=target <= place)
            if self.linkage is not None:
                self.linkage.leave(place, state)

    def transfer(self, place: int, state: Any) -> Any:  # Any: states
        """Return what becomes of ``state`` in a block, noting it at each point."""
        at_point, steps, nodes, analysis = (
            self.at_point, self.steps, self.graph.nodes, self.analysis
        )  # fmt: skip
        block = self.order.blocks[place]
        for number in block:
            at_point[number] = state
            step = steps[number]
            if step is not None:
                analysis.number = number
                state = step(nodes[number], state)
                if state is None:
                    self.refuse_none(number)
                if state is UNREACHABLE:
                    break
        self.visits += len(block)
        return state

    def passed(self, source: int, target: int, state: Any) -> Any:  # Any: states
        """Return what an edge lets through."""
        if not self.refines:
            return state
        ends = (self.order.blocks[source][-1], self.order.blocks[target][0])
        edge = self.graph.edge(*ends if self.order.is_forward else ends[::-1])
        return state if edge.branch is None else self.analysis.refine(edge, state)

    def narrow(self) -> None:
        """Go through all blocks again, from smaller states, as long as that changes something."""
        for _ in range(self.analysis.narrowing):
            changed = [self.narrow_block(place) for place in range(len(self.order.blocks))]
            if not any(changed):
                return

    def narrow_block(self, place: int) -> bool:
        """Compute anew what reaches a block; return whether that is less than it was."""
        old, sources = self.at_block[place], self.order.coming[place]
        if old is None or not sources:
            return False
        new: Any = None  # Any: a state
        for source in sources:
            state = self.leaving[source]
            passed = None if state is None or state is UNREACHABLE else state
            if passed is not None:
                passed = self.passed(source, place, state)
            if passed is not None and passed is not UNREACHABLE:
                new = passed if new is None else self.lattice.join(new, passed)
        if new is None:
            return False
        if max(sources) >= place:
            new = self.lattice.narrow(old, new)
        if new is old or self.lattice.equal(new, old):
            return False
        self.at_block[place] = new
        self.leaving[place] = self.transfer(place, new)
        return True

    def finish(self) -> Solution[Any]:
        if self.has_widened:
            self.narrow()
        leaving = {
            block[-1]: state
            for block, state in zip(self.order.blocks, self.leaving, strict=True)
            if state is not None and state is not UNREACHABLE
        }
        return Solution(self.analysis, self.graph, self.at_point, leaving, self.visits)

    def refuse_endless(self, place: int) -> None:
        point = self.graph.point(self.order.blocks[place][0])
        raise AnalysisError(
            f"{self.analysis.name} visited the block at {point} (point {point.number}) {self.most} "
            f"times and does not come to rest; its state there is {self.at_block[place]!r} by now; "
            f"transfers have to be monotone, and a lattice with endless chains has to widen"
        )

    def refuse_none(self, number: int) -> None:
        raise AnalysisError(
            f"{self.analysis.name} returned None at {self.graph.point(number)} (point {number}); "
            f"a transfer returns a state, the given one where nothing changes"
        )
