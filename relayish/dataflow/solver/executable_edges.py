"""Executable edges of a conditional run: those that all forward analyses have let pass so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from relayish.dataflow.graph.point import Procedure
from relayish.dataflow.solver.analysis import Analysis
from relayish.dataflow.solver.order import Order


class Run(Protocol):
    """What goes along executable edges: an analysis at work."""

    analysis: Analysis[Any]  # Any: with states of its own
    order: Order
    at_block: list[Any]  # Any: the states that reach blocks

    def pass_on(self, place: int, target: int) -> None:
        """Let what leaves a block reach one that follows it."""

    def reach(self, place: int, state: Any, *, comes_back: bool) -> None:  # Any: a state
        """Join a state to what reaches a block."""


class ExecutableEdges:
    """Executable edges between basic blocks, in one run of several analyses.

    An edge, known by the points at its ends, is executable once all forward analyses let it pass.
    It stays so: states only grow. Backward analyses go along executable edges, from exits that
    control reaches; where it reaches none, as in an endless loop, they begin in the blocks that it
    does reach, from the bottom of their lattice.
    """

    def __init__(self, runs: Sequence[Run]) -> None:
        self._forward = [run for run in runs if run.order.is_forward]
        self._backward = [run for run in runs if not run.order.is_forward]
        self._bits = {id(run): 1 << number for number, run in enumerate(self._forward)}
        self._all = (1 << len(self._forward)) - 1
        self._let: dict[tuple[int, int], int] = {}
        self._exits: dict[int, Procedure] = {}

    def may_begin(self, run: Run, procedure: Procedure) -> bool:
        """Return whether a run begins at a procedure; a backward one waits for its end."""
        if run.order.is_forward:
            return True
        last = run.order.blocks[run.order.first[procedure.exit]][-1]
        if last == procedure.entry:
            return True
        self._exits[last] = procedure
        return False

    def lets(self, run: Run, place: int, target: int) -> bool:
        """Note that a run lets an edge pass; return whether its state is still to be passed on."""
        edge = run.order.edge(place, target)
        before = self._let.get(edge, 0)
        if before == self._all:
            return True
        if run.order.is_forward:
            now = self._let[edge] = before | self._bits[id(run)]
            if now == self._all:
                self._open(edge, run)
                return True
        return False

    def is_executable(self, source: int, target: int) -> bool:
        """Return whether the edge between two points, the ends of blocks, is executable."""
        return self._let.get((source, target)) == self._all

    def _open(self, edge: tuple[int, int], last: Run) -> None:
        """Let states pass along an edge, but those of the run that let it pass last."""
        for run in self._forward:
            if run is not last:
                run.pass_on(*run.order.ends(*edge))
        ending = self._exits.get(edge[1])
        for run in self._backward:
            if ending is not None:
                place = run.order.ends(*edge)[0]
                run.reach(place, run.analysis.reaching(ending), comes_back=False)
            run.pass_on(*run.order.ends(*edge))

    def begin_endless(self) -> None:
        """Let backward analyses begin where control comes and never leaves."""
        if not self._backward:
            return
        for edge in [edge for edge, let in self._let.items() if let == self._all]:
            for run in self._backward:
                for place in run.order.ends(*edge):
                    if run.at_block[place] is None:
                        run.reach(place, run.analysis.lattice.bottom, comes_back=False)
