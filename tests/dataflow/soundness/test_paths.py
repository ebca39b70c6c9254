"""Ways that control takes through random programs, against what is said of all of them.

Dominators were passed before, post-dominators are afterwards; edges that are taken, and points that
are visited, are executable.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from relayish.dataflow import Executable, FlowGraph, solve
from relayish.dataflow.analyses import PointDominators
from relayish.interpreter.constants import Constants
from relayish.tir.analysis import ScalarConstants
from tests.support.graph_machine import Activation, GraphMachine
from tests.support.loop_machine import LoopMachine, State
from tests.support.sound_programs import (
    ALWAYS,
    EXAMPLES,
    call_on_inputs,
    check_loops,
    check_modules,
    notes_of,
    run_on_inputs,
)


def paths_of(machine: GraphMachine | LoopMachine) -> list[list[int]]:
    """Run a program; return the points that each activation visited, in order."""
    paths: list[list[int]] = []

    def visit_of_loops(point: int, _state: State) -> None:
        if point == 0:
            paths.append([])
        paths[-1].append(point)

    def visit_of_module(point: int, act: Activation) -> None:
        path = notes_of(act).setdefault("path", [])
        if not path:
            paths.append(path)
        path.append(point)

    if isinstance(machine, LoopMachine):
        run_on_inputs(machine, visit_of_loops)
    else:
        machine.observe = visit_of_module
        call_on_inputs(machine)
    return paths


def check_dominators(graph: FlowGraph, path: list[int], tree: PointDominators) -> int:
    """Check that immediate dominators were passed before each point of a path."""
    passed: set[int] = set()
    for point in path:
        above = tree.immediate(point)
        if above is not None:
            assert above in passed, f"{graph.point(above)} dominates {graph.point(point)}"
            assert tree.dominates(above, point)
        passed.add(point)
    return len(path)


Make = Callable[[FlowGraph], PointDominators]


def count_dominated(machine: GraphMachine | LoopMachine, make: Make) -> int:
    tree = make(machine.graph)
    way = -1 if tree.is_post else 1
    return sum([check_dominators(machine.graph, p[::way], tree) for p in paths_of(machine)])


def dominators(graph: FlowGraph) -> PointDominators:
    return PointDominators(graph, is_post=False)


def post_dominators(graph: FlowGraph) -> PointDominators:
    return PointDominators(graph, is_post=True)


class FirstWay(PointDominators):
    """Unsound: takes it that control comes one way alone."""

    def _coming(self, start):
        return super()._coming(start)[:1]


BROKEN = {
    dominators: lambda graph: FirstWay(graph, is_post=False),
    post_dominators: lambda graph: FirstWay(graph, is_post=True),
}


@pytest.mark.parametrize("make", [dominators, post_dominators])
@pytest.mark.parametrize("check", [check_loops, check_modules])
def test_dominators_are_passed_before_or_afterwards(check, make):
    assert check(count_dominated, lambda: make) > 100 * EXAMPLES


@pytest.mark.parametrize("make", [dominators, post_dominators])
@pytest.mark.parametrize("check", [check_loops, check_modules])
def test_broken_dominators_are_caught(check, make):
    with pytest.raises(AssertionError, match="dominates"):
        check(count_dominated, lambda: BROKEN[make], ALWAYS)


def count_executable(machine: GraphMachine | LoopMachine, constants: object) -> int:
    """Run a program; return how many edges that were taken were said to be executable."""
    graph = machine.graph
    executable, _ = solve([Executable(), constants], graph)
    taken = {edge for path in paths_of(machine) for edge in pairwise(path)}
    for source, target in taken:
        assert executable.is_reached(target), "control comes here"
        assert executable.is_executable(graph.edge(source, target)), "control goes this way"
    never = [at for at in range(len(graph)) if not executable.is_reached(at)]
    return len(taken) if never else 0


@pytest.mark.parametrize(
    ("check", "constants"),
    [
        (check_loops, ScalarConstants),
        (check_modules, Constants),
        (check_modules, lambda: Constants(interprocedural=True)),
    ],
    ids=["loops", "modules", "modules, calls followed"],
)
def test_edges_that_are_taken_are_executable(check, constants):
    assert check(count_executable, constants) > EXAMPLES  # where some points are not


class TakesOneBranch(Constants):
    """Unsound: takes it that conditions hold of which nothing is known."""

    def truth(self, value):
        found = super().truth(value)
        return True if found is None else found


class AssumesTheOpposite(ScalarConstants):
    """Unsound: takes each branch for the other."""

    def assume(self, condition, truth, state):
        return super().assume(condition, not truth, state)


@pytest.mark.parametrize(
    ("check", "broken"), [(check_loops, AssumesTheOpposite), (check_modules, TakesOneBranch)]
)
def test_broken_refinement_is_caught(check, broken):
    with pytest.raises(AssertionError, match="control"):
        check(count_executable, broken, ALWAYS)
