"""Available and very busy expressions in random Relay programs, by their values.

What is available has been computed, and would have the same value if it were again. What is very
busy would have the value now that it is going to have when it is computed.
"""

from __future__ import annotations

from collections import ChainMap

import pytest

from relayish.dataflow import Action, solve
from relayish.dataflow.analyses import AvailableExpressions, VeryBusyExpressions
from relayish.dataflow.lattice import PersistentSet, Powerset
from relayish.interpreter import same_value
from relayish.interpreter.value import ConstructorValue, RefValue
from relayish.ir.nodes.node import ATOMS
from tests.support.graph_machine import Activation, Closure, GraphMachine
from tests.support.sound_programs import ALWAYS, EXAMPLES, call_on_inputs, check_modules, notes_of


class Now(Activation):
    """An activation in which expressions are computed again, from variables."""

    def __init__(self, machine: GraphMachine, act: Activation) -> None:
        self.machine = machine
        self.values, self.closure = {}, act.closure
        around, held = act, []
        while around is not None:  # what is shared with functions around may be made of theirs
            held.append(around.variables)
            around = around.closure.around
        self.variables = ChainMap(*held)

    def value_of_node(self, node):
        if node not in self.values:
            self.values[node] = self.machine._compute(node, self)
        return self.values[node]


def value_now(machine, act, expr):
    """Return the value of an expression as things are."""
    try:
        return machine.operand(expr, Now(machine, act))
    except KeyError as error:
        raise AssertionError(f"{expr} is said to be available or busy, and has no value") from error


def alike(a, b):
    """Return whether two values are one; things with an identity are if they are one thing."""
    if a is b:
        return True
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    if isinstance(a, ConstructorValue) and isinstance(b, ConstructorValue):
        return a.constructor is b.constructor and all(map(alike, a.fields, b.fields))
    if isinstance(a, (Closure, RefValue)) or isinstance(b, (Closure, RefValue)):
        return False
    return same_value(a, b)


def evaluated_last(solution, act):
    """Return the expression that was evaluated just now, with its value, if there is one."""
    point = notes_of(act).get("last")
    graph = solution.graph
    if point is None or graph.actions[point] is not Action.EVALUATE:
        return None
    node = graph.nodes[point]
    number = None if type(node) in ATOMS else solution.analysis.numbers.number(node)
    return None if number is None else (number, act.values[node])


def count_available(machine: GraphMachine, analysis: AvailableExpressions) -> int:
    """Run a module; return how often an expression was said to be available, and was."""
    [solution] = solve([analysis], machine.graph)
    checked = 0

    def check(point: int, act: Activation) -> None:
        nonlocal checked
        notes = notes_of(act)
        last = notes.setdefault("values", {})
        just = evaluated_last(solution, act)
        if just is not None:
            last[just[0]] = just[1]
        available = solution.before(point)
        assert isinstance(available, PersistentSet), "control comes here"
        for expr in available:
            assert expr in last, "what is available was evaluated"
            assert alike(last[expr], value_now(machine, act, expr)), "it is available as it was"
            checked += 1
        notes["last"] = point

    machine.observe = check
    call_on_inputs(machine)
    return checked


def count_busy(machine: GraphMachine, analysis: VeryBusyExpressions) -> int:
    """Run a module; return how often an expression was said to be very busy, and was."""
    [solution] = solve([analysis], machine.graph)
    checked = 0

    def check(point: int, act: Activation) -> None:
        nonlocal checked
        notes = notes_of(act)
        awaited = notes.setdefault("awaited", {})
        just = evaluated_last(solution, act)
        if just is not None and just[0] in awaited:
            assert alike(awaited.pop(just[0]), just[1]), "it is busy as it was"
        busy = solution.before(point)
        assert isinstance(busy, PersistentSet), "control comes here"
        for expr in busy if machine.graph.actions[point] is not Action.ENTRY else ():
            value = value_now(machine, act, expr)
            assert alike(awaited.setdefault(expr, value), value), "it is busy as it was"
            checked += 1
        if point == act.procedure.exit:
            assert not awaited, "what is busy is evaluated"
        notes["last"] = point

    machine.observe = check
    call_on_inputs(machine)
    return checked


def test_available_expressions_are_computed_and_stay_what_they_were():
    assert check_modules(count_available, AvailableExpressions) > 200 * EXAMPLES


def test_very_busy_expressions_will_be_computed_as_they_would_be_now():
    assert check_modules(count_busy, VeryBusyExpressions) > 50 * EXAMPLES


class IgnoresWrites(AvailableExpressions):
    """Unsound: writing a reference changes nothing."""

    def _kill(self, state, accessed):
        return state


class OnSomePath(AvailableExpressions):
    """Unsound: what was computed on one path is available."""

    lattice = Powerset()


class BusyAcrossWrites(VeryBusyExpressions):
    """Unsound: writing a reference changes nothing."""

    def _kill(self, state, accessed):
        return state


class BusyOnSomePath(VeryBusyExpressions):
    """Unsound: what is computed on one path is very busy."""

    lattice = Powerset()


@pytest.mark.parametrize(
    ("count", "broken"),
    [
        (count_available, IgnoresWrites),
        (count_available, OnSomePath),
        (count_busy, BusyAcrossWrites),
        (count_busy, BusyOnSomePath),
    ],
)
def test_broken_transfer_is_caught(count, broken):
    with pytest.raises(AssertionError, match=r"available|busy|evaluated"):
        check_modules(count, broken, ALWAYS)
