"""Procedure summaries: how states go into callees and come back, in one run of the solver."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from relayish.dataflow.lattice.symbols import UNREACHABLE
from relayish.dataflow.solver.analysis import Analysis, Transfer
from relayish.dataflow.solver.calls import CallSite, CallSites
from relayish.ir.nodes.node import Node


class Run(Protocol):
    """What summaries need of a run of the solver; blocks go by their place in its order."""

    analysis: Analysis[Any]  # Any: with states of its own
    enqueue: Callable[[int], None]

    def reach(self, place: int, state: Any, *, comes_back: bool) -> None:  # Any: a state
        """Join ``state`` to what reaches a block."""


class ProcedureSummaries:
    """The calls of one run: summaries of procedures, and who waits for them.

    A summary is the state where states leave a procedure, joined over all visits. A call of a
    procedure without one gives nothing yet: so recursion begins with the cases that end. Forward,
    what stands behind a call that never returns is not reached. Backward, it has to count what a
    procedure does before it calls itself for ever: there calls that wait in the end are given the
    bottom of the lattice.

    Args:
        run: The run.
        sites: The calls of the program.
        begins: For each procedure, the block where states enter it.
        ends: For each procedure, the block where states leave it.
        place_of: For each point of a call, its block.
    """

    def __init__(
        self,
        run: Run,
        sites: CallSites,
        begins: Sequence[int],
        ends: Sequence[int],
        place_of: dict[int, int],
    ) -> None:
        self.run, self.analysis, self.sites = run, run.analysis, sites
        self.lattice = run.analysis.lattice
        self.begins, self.place_of = begins, place_of
        self.procedure_left = {place: number for number, place in enumerate(ends)}
        count = len(begins)
        self.found: list[Any] = [None] * count  # Any: states
        self.callers: list[dict[int, None]] = [{} for _ in range(count)]
        self.grown = [0] * count
        self.is_recursive = [False] * count
        for group in sites.components:
            for number in group:
                self.is_recursive[number] = len(group) > 1
        for found in sites.at.values():
            for site in found:
                caller = sites.graph.procedure_of(site.point).number
                for callee in site.callees:
                    if callee.procedure.number == caller:
                        self.is_recursive[caller] = True

    def link(self, steps: Sequence[Transfer | None]) -> list[Transfer | None]:
        """Return the transfers of points, those of calls going through what is called."""
        self.analysis.own_transfers = steps
        linked = list(steps)
        for point, sites in self.sites.at.items():
            linked[point] = self._step(sites, steps[point])
        return linked

    def _step(self, sites: tuple[CallSite, ...], own: Transfer | None) -> Transfer:
        if sites[0].is_point:
            return lambda _node, state: self.call(sites[0], state)
        if self.analysis.is_forward:

            def run_after(node: Node, state: Any) -> Any:  # Any: states
                for site in sites:
                    state = self.call(site, state)
                    if state is UNREACHABLE:
                        return state
                return state if own is None else own(node, state)

            return run_after

        def run_before(node: Node, state: Any) -> Any:  # Any: states
            state = state if own is None else own(node, state)
            for site in reversed(sites):
                if state is UNREACHABLE:
                    return state
                state = self.call(site, state)
            return state

        return run_before

    def call(self, site: CallSite, state: Any) -> Any:  # Any: states
        """Let a state enter what is called; return what comes back of it, if anything does yet."""
        analysis, place = self.analysis, self.place_of[site.point]
        rank = self.sites.rank
        own_rank = rank[self.sites.graph.procedure_of(site.point).number]
        back = analysis.unknown_call(site, state) if site.is_unknown else UNREACHABLE
        for callee in site.callees:
            number = callee.procedure.number
            entering = analysis.enter_call(site, callee, state)
            if entering is UNREACHABLE:
                continue
            self.callers[number][place] = None
            self.run.reach(self.begins[number], entering, comes_back=rank[number] == own_rank)
            summary = self.found[number]
            if summary is None:
                continue
            left = analysis.leave_call(site, callee, state, summary)
            if back is UNREACHABLE:
                back = left
            elif left is not UNREACHABLE:
                back = self.lattice.join(back, left)
        return back

    def leave(self, place: int, state: Any) -> None:  # Any: a state
        """Note the state in which a block is left, if that is where a procedure is."""
        number = self.procedure_left.get(place)
        if number is not None:
            self._summarise(number, state)

    def _summarise(self, number: int, state: Any) -> None:  # Any: a state
        old = self.found[number]
        if old is not None:
            joined = self.lattice.join(old, state)
            if joined is old or self.lattice.equal(joined, old):
                return
            if self.is_recursive[number]:
                self.grown[number] += 1
                if self.grown[number] > self.analysis.widen_after:
                    joined = self.lattice.widen(old, joined)
            state = joined
        self.found[number] = state
        for caller in self.callers[number]:
            self.run.enqueue(caller)

    def release(self) -> None:
        """Let calls go on that wait for procedures which are not left, where they have to."""
        if self.analysis.is_forward:
            return
        for number, summary in enumerate(self.found):
            if summary is None and self.callers[number]:
                self._summarise(number, self.lattice.bottom)
