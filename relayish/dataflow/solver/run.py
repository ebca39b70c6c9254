"""One analysis at work: the states that reach basic blocks, and what becomes of them there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.lattice.symbols import UNREACHABLE
from relayish.dataflow.solver.analysis import Analysis
from relayish.dataflow.solver.calls import CallSites
from relayish.dataflow.solver.executable_edges import ExecutableEdges
from relayish.dataflow.solver.order import Order
from relayish.dataflow.solver.procedure_summaries import ProcedureSummaries
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.solver.state_check import CheckedLattice, StateCheck
from relayish.errors import AnalysisError, add_note


class Run:
    """One analysis at work; blocks go by their place in its order."""

    enqueue: Callable[[int], None]
    edges: ExecutableEdges | None = None
    """What says which edges are executable, where that is asked."""

    def __init__(
        self,
        graph: FlowGraph,
        analysis: Analysis[Any],
        order: Order,
        sites: CallSites | None,
        most: int,
        *,
        check: bool = False,
    ) -> None:
        self.analysis, self.graph, self.order, self.most = analysis, graph, order, most
        analysis.graph, analysis.calls = graph, sites
        self.lattice = analysis.lattice
        self.steps = analysis.transfers(graph)
        if check:
            looking = StateCheck(analysis, graph)
            self.lattice = CheckedLattice(self.lattice, looking)
            self.steps = looking.transfers(self.steps)
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
        self.summaries = None if sites is None else self.link(sites)

    def link(self, sites: CallSites) -> ProcedureSummaries:
        """Let states go into what is called, and come back."""
        first, last = self.order.first, self.order.last
        ends = [(p.entry, p.exit) for p in self.graph.procedures]
        if not self.order.is_forward:
            ends = [(exit_, entry) for entry, exit_ in ends]
        summaries = ProcedureSummaries(
            self,
            sites,
            [first[begin] for begin, _ in ends],
            [last[end] for _, end in ends],
            {point: first[point] for point in sites.at},
        )
        self.steps = summaries.link(self.steps)
        return summaries

    def begin(self) -> None:
        """Let states reach where procedures begin; for a backward analysis, where they end."""
        first = self.order.first
        sites = None if self.summaries is None else self.summaries.sites
        for procedure in self.graph.procedures:
            if sites is not None and procedure.number not in sites.exposed:
                continue
            begin = procedure.entry if self.order.is_forward else procedure.exit
            if self.edges is None or self.edges.may_begin(self, procedure):
                state = self.analysis.reaching(procedure)
                if state is None:
                    raise AnalysisError(
                        f"{self.analysis.name} returned None for the boundary at "
                        f"{self.graph.point(begin)}; boundary returns a state"
                    )
                self.reach(first[begin], state, comes_back=False)

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
            edges = self.edges
            for target in self.order.following[place]:
                passed = self.passed(place, target, state)
                if passed is not UNREACHABLE and (edges is None or edges.lets(self, place, target)):
                    self.cross(place, target, passed)
            if self.summaries is not None:
                self.summaries.leave(place, state)

    def pass_on(self, place: int, target: int) -> None:
        """Let what leaves a block, if anything does, reach one that follows it."""
        state = self.leaving[place]
        if state is not None and state is not UNREACHABLE:
            passed = self.passed(place, target, state)
            if passed is not UNREACHABLE:
                self.cross(place, target, passed)

    def cross(self, place: int, target: int, state: Any) -> None:  # Any: a state
        """Let a state reach a block from another one."""
        self.reach(target, state, comes_back=target <= place)

    def transfer(self, place: int, state: Any) -> Any:  # Any: states
        """Return what becomes of ``state`` in a block, noting it at each point."""
        at_point, steps, nodes, analysis = (
            self.at_point, self.steps, self.graph.nodes, self.analysis
        )  # fmt: skip
        block = self.order.blocks[place]
        try:
            for number in block:
                at_point[number] = state
                step = steps[number]
                if step is not None:
                    analysis.number = number
                    state = step(nodes[number], state)
                    if state is None or state is UNREACHABLE:
                        break
        except Exception as exc:
            where = f"{self.graph.point(analysis.number)} (point {analysis.number})"
            add_note(exc, f"while {analysis.name} transferred {where}")
            raise
        if state is None:
            self.refuse_none(analysis.number)
        self.visits += len(block)
        return state

    def passed(self, source: int, target: int, state: Any) -> Any:  # Any: states
        """Return what an edge lets through."""
        if not self.refines:
            return state
        edge = self.graph.edge(*self.order.edge(source, target))
        if edge.branch is None:
            return state
        refined = self.analysis.refine(edge, state)
        if refined is None:
            raise AnalysisError(
                f"{self.analysis.name} returned None for the branch from "
                f"{self.graph.point(edge.source)} to {self.graph.point(edge.target)}; what refines "
                f"a state returns one, the given one where nothing is known, or UNREACHABLE"
            )
        return refined

    def narrow(self) -> None:
        """Go through all blocks again, from smaller states, as long as that changes something."""
        for _ in range(self.analysis.narrowing):
            changed = [self.narrow_block(place) for place in range(len(self.order.blocks))]
            if not any(changed):
                return

    def narrow_block(self, place: int) -> bool:
        """Compute anew what reaches a block; return whether that is less than it was."""
        order, edges = self.order, self.edges
        old, sources = self.at_block[place], order.coming[place]
        if old is None or not sources:
            return False
        if edges is not None:
            sources = [each for each in sources if edges.is_executable(*order.edge(each, place))]
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
        if max(sources) >= place:  # control comes back
            new = self.lattice.narrow(old, new)
        if new is old or self.lattice.equal(new, old):
            return False
        self.at_block[place] = new
        self.leaving[place] = self.transfer(place, new)
        return True

    def finish(self) -> Solution[Any]:
        """Return the solution, narrowed where states were widened."""
        if self.has_widened:
            self.narrow()
        sites = None if self.summaries is None else self.summaries.sites
        return Solution(
            self.analysis, self.graph, self.at_point, self.outgoing(), self.visits, sites
        )

    def outgoing(self) -> dict[int, Any]:  # Any: states
        """Return the states that leave blocks, by the point that they leave."""
        return {
            block[-1]: state
            for block, state in zip(self.order.blocks, self.leaving, strict=True)
            if state is not None and state is not UNREACHABLE
        }

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
