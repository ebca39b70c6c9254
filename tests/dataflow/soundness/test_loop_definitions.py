"""Reaching definitions in random programs over loops: what wrote last is among what reaches."""

from __future__ import annotations

import pytest

from relayish.dataflow import Action, solve
from relayish.dataflow.analyses import ReachingDefinitions, UseDefChains
from relayish.dataflow.lattice import PersistentSet
from relayish.ir.scopes.scoping import bound_by
from tests.support.loop_machine import LoopMachine, State
from tests.support.sound_programs import ALWAYS, EXAMPLES, check_loops, run_on_inputs


def writers_of(state: State) -> list[tuple[object, frozenset[int]]]:
    """Return the points that wrote what variables and elements of buffers hold."""
    found = []
    for place, writers in state.writers.items():
        found.append((place, frozenset(writers if isinstance(writers, list) else (writers,))))
    return found


def count_checked(machine: LoopMachine, analysis: ReachingDefinitions) -> int:
    """Run a program; return how many definitions were told."""
    [solution] = solve([analysis], machine.graph)
    chains = UseDefChains(solution)
    checked = 0
    graph = machine.graph
    of_scopes = {
        variable
        for node, action in zip(graph.nodes, graph.actions, strict=True)
        if action is Action.LEAVE
        for variable in bound_by(node)
    }

    def check(point: int, state: State) -> None:
        nonlocal checked
        last = machine.graph.predecessors(point)
        for place, writers in state.reads:
            used_at = [before for before in last if place in chains.used_at(before)]
            assert used_at, f"{place} is used before {machine.graph.point(point)}"
            definitions = {d for at in used_at for d in chains.definitions(at, place)}
            assert definitions >= writers, "what is used is what was defined"
            assert all(set(chains.uses(d, place)) & set(used_at) for d in writers)
        if point == 0:
            return  # parameters are defined there
        reaching = solution.before(point)
        for place, writers in writers_of(state):
            found = reaching.get(place)
            if found is None and place in of_scopes:
                continue  # its scope has ended; that what is read has definitions is held above
            assert isinstance(found, PersistentSet), f"{place} has a definition"
            assert all(writer in found for writer in writers), "what is held was defined"
            checked += len(writers)

    run_on_inputs(machine, check)
    return checked


def test_what_was_written_last_reaches():
    assert check_loops(count_checked, ReachingDefinitions) > 1000 * EXAMPLES


class KillsParts(ReachingDefinitions):
    """Unsound: a store to an element is one to all of its memory."""

    def _define(self, node, state):
        state = super()._define(node, state)
        for place in self.accessed.changes:
            state = state.set(place, PersistentSet((self.number,)))
        return state


class ForgetsAssignments(ReachingDefinitions):
    """Unsound: what is assigned keeps its definition."""

    def _define(self, node, state):
        after = super()._define(node, state)
        for place in self.accessed.overwrites:
            if place in state:
                after = after.set(place, state[place])
        return after


@pytest.mark.parametrize("broken", [KillsParts, ForgetsAssignments])
def test_broken_transfer_is_caught(broken):
    with pytest.raises(AssertionError, match="defin"):
        check_loops(count_checked, broken, ALWAYS)
