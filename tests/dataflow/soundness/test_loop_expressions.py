"""Available and very busy expressions in random programs over loops, by their values.

What is available has been computed, and would have the same value if it were again. What is very
busy would have the value now that it is going to have when it is computed.
"""

from __future__ import annotations

import pytest

from relayish.dataflow import solve
from relayish.dataflow.analyses import AvailableExpressions, VeryBusyExpressions
from relayish.dataflow.lattice import PersistentSet, Powerset
from relayish.errors import RelayishError
from relayish.ir.nodes.node import ATOMS
from tests.support.loop_machine import LoopMachine, State
from tests.support.sound_programs import ALWAYS, EXAMPLES, check_loops, run_on_inputs
from tests.support.tir_programs import same_bits


def value_now(state: State, expr: object) -> object:
    """Return the value of an expression as things are."""
    try:
        return state.peek(expr)
    except (LookupError, RelayishError) as error:
        raise AssertionError(f"{expr} is said to be available or busy, and has no value") from error


def represented(solution, state):
    """Yield the expressions that were evaluated just now, with their values."""
    for expr, value in state.evaluated:
        if type(expr) not in ATOMS:
            number = solution.analysis.numbers.number(expr)
            if number is not None:
                yield number, value


def count_available(machine: LoopMachine, analysis: AvailableExpressions) -> int:
    """Run a program; return how often an expression was said to be available, and was."""
    [solution] = solve([analysis], machine.graph)
    checked, last, verified = 0, {}, set()

    def check(point: int, state: State) -> None:
        nonlocal checked
        if point == 0:
            last.clear()
        last.update(represented(solution, state))
        if state.writes or point == 0:
            verified.clear()
        available = solution.before(point)
        assert isinstance(available, PersistentSet), "control comes here"
        for expr in available:
            if expr in verified:
                continue  # nothing was written since
            assert expr in last, f"{expr} is available, so it was evaluated"
            assert same_bits(last[expr], value_now(state, expr)), "it is available as it was"
            verified.add(expr)
            checked += 1

    run_on_inputs(machine, check)
    return checked


def count_busy(machine: LoopMachine, analysis: VeryBusyExpressions) -> int:
    """Run a program; return how often an expression was said to be very busy, and was."""
    [solution] = solve([analysis], machine.graph)
    checked, awaited, verified = 0, {}, set()

    def check(point: int, state: State) -> None:
        nonlocal checked
        for expr, value in represented(solution, state):
            if expr in awaited:
                assert same_bits(awaited.pop(expr), value), "it is busy as it was"
        if state.writes:
            verified.clear()
        busy = solution.before(point)
        assert isinstance(busy, PersistentSet), "control comes here"
        for expr in busy:
            if expr in verified and expr in awaited:
                continue  # nothing was written since
            value = value_now(state, expr)
            assert same_bits(awaited.setdefault(expr, value), value), "it is busy as it was"
            verified.add(expr)
            checked += 1
        if point == machine.graph.procedures[0].exit:
            assert not awaited, "what is busy is evaluated"

    run_on_inputs(machine, check)
    return checked


def test_available_expressions_are_computed_and_stay_what_they_were():
    assert check_loops(count_available, AvailableExpressions) > 100 * EXAMPLES


def test_very_busy_expressions_will_be_computed_as_they_would_be_now():
    assert check_loops(count_busy, VeryBusyExpressions) > 100 * EXAMPLES


class IgnoresStores(AvailableExpressions):
    """Unsound: what is stored to memory changes nothing."""

    def _kill(self, state, accessed):
        return super()._kill(state, accessed._replace(changes=()))


class OnSomePath(AvailableExpressions):
    """Unsound: what was computed on one path is available."""

    lattice = Powerset()


class BusyAcrossStores(VeryBusyExpressions):
    """Unsound: what is assigned changes nothing."""

    def _kill(self, state, accessed):
        return super()._kill(state, accessed._replace(overwrites=()))


class BusyOnSomePath(VeryBusyExpressions):
    """Unsound: what is computed on one path is very busy."""

    lattice = Powerset()


@pytest.mark.parametrize(
    ("count", "broken"),
    [
        (count_available, IgnoresStores),
        (count_available, OnSomePath),
        (count_busy, BusyAcrossStores),
        (count_busy, BusyOnSomePath),
    ],
)
def test_broken_transfer_is_caught(count, broken):
    with pytest.raises(AssertionError, match=r"available|busy|evaluated"):
        check_loops(count, broken, ALWAYS)
