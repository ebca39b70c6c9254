"""Definitions in random Relay programs: what a variable holds was defined by what is told."""

from __future__ import annotations

import pytest

from relayish.dataflow import Action, solve
from relayish.dataflow.analyses import DefiniteInitialisation, ReachingDefinitions, UseDefChains
from relayish.dataflow.lattice import PersistentSet, Powerset
from tests.support.graph_machine import Activation, GraphMachine
from tests.support.sound_programs import ALWAYS, EXAMPLES, call_on_inputs, check_modules, notes_of


def count_defined(machine: GraphMachine, analysis: ReachingDefinitions) -> int:
    """Run a module; return how many definitions of what is held were told."""
    graph = machine.graph
    [solution] = solve([analysis], graph)
    chains = UseDefChains(solution)
    checked = 0

    def check(point: int, act: Activation) -> None:
        nonlocal checked
        notes = notes_of(act)
        if graph.actions[point] is Action.ENTRY:
            parameters = act.procedure.node.params
            notes.update(held=dict(act.variables), defined=dict.fromkeys(parameters, point))
        else:
            for var, value in act.variables.items():
                if notes["held"].get(var, notes) is not value:
                    notes["held"][var] = value
                    notes["defined"][var] = notes["last"]
            reaching = solution.before(point)
            for var, definition in notes["defined"].items():
                found = reaching.get(var, ())
                assert definition in found, "what is held was defined"
            for var in chains.used_at(point):
                if var in notes["defined"]:
                    definition = notes["defined"][var]
                    assert definition in chains.definitions(point, var), "it was defined"
                    assert point in chains.uses(definition, var), "it was defined"
            checked += len(notes["defined"])
        notes["last"] = point

    machine.observe = check
    call_on_inputs(machine)
    return checked


def count_initialised(machine: GraphMachine, analysis: DefiniteInitialisation) -> int:
    """Run a module; return how often a variable was said to hold a value, and did."""
    [solution] = solve([analysis], machine.graph)
    checked = 0

    def check(point: int, act: Activation) -> None:
        nonlocal checked
        if machine.graph.actions[point] is Action.ENTRY:
            return
        initialised = solution.before(point)
        assert isinstance(initialised, PersistentSet), "control comes here"
        for var in initialised:
            assert var in act.variables, "it is initialised"
            checked += 1

    machine.observe = check
    call_on_inputs(machine)
    return checked


def test_what_was_bound_last_reaches():
    assert check_modules(count_defined, ReachingDefinitions) > 500 * EXAMPLES


def test_what_is_initialised_holds_a_value():
    assert check_modules(count_initialised, DefiniteInitialisation) > 500 * EXAMPLES


class ForgetsMatches(ReachingDefinitions):
    """Unsound: what patterns bind has no definition."""

    def _define(self, node, state):
        return state


class OnSomePath(DefiniteInitialisation):
    """Unsound: one path is as good as all."""

    lattice = Powerset()


@pytest.mark.parametrize(
    ("count", "broken"), [(count_defined, ForgetsMatches), (count_initialised, OnSomePath)]
)
def test_broken_transfer_is_caught(count, broken):
    with pytest.raises(AssertionError, match=r"defined|initialised"):
        check_modules(count, broken, ALWAYS)
