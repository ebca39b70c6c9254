"""Definite initialisation in random programs over loops: what is said to hold a value does."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.dataflow import solve
from relayish.dataflow.analyses import DefiniteInitialisation
from relayish.dataflow.lattice import PersistentSet, Powerset
from tests.support.loop_machine import UNSET, LoopMachine, State
from tests.support.sound_programs import ALWAYS, EXAMPLES, check_loops, run_on_inputs


def holds_value(state: State, place: object) -> bool:
    """Return whether a variable holds a value, or a buffer any."""
    if isinstance(place, tir.Buffer):
        return any(cell is not UNSET for cell in state.cells[place] or ())
    return state.values.get(place, UNSET) is not UNSET


def count_initialised(machine: LoopMachine, analysis: DefiniteInitialisation) -> int:
    """Run a program; return how often something was said to hold a value, and did."""
    [solution] = solve([analysis], machine.graph)
    checked = 0

    def check(point: int, state: State) -> None:
        nonlocal checked
        initialised = solution.before(point)
        assert isinstance(initialised, PersistentSet), "control comes here"
        for place in initialised:
            assert holds_value(state, place), f"{place} is said to be initialised"
            checked += 1

    run_on_inputs(machine, check)
    return checked


def test_what_is_initialised_holds_a_value():
    assert check_loops(count_initialised, DefiniteInitialisation) > 500 * EXAMPLES


class OnSomePath(DefiniteInitialisation):
    """Unsound: one path is as good as all."""

    lattice = Powerset()


class ForgetsDeclarations(DefiniteInitialisation):
    """Unsound: memory that is allocated or freed holds what it held."""

    def _write(self, node, state):
        cleared = [place for place in self.accessed.clears if place in state]
        return super()._write(node, state).update(cleared)


@pytest.mark.parametrize("broken", [OnSomePath, ForgetsDeclarations])
def test_broken_transfer_is_caught(broken):
    with pytest.raises(AssertionError, match="initialised"):
        check_loops(count_initialised, broken, ALWAYS)
