"""What programs do is among what points-to and escape analysis say that they may."""

from __future__ import annotations

import random

import pytest

from relayish.dataflow import UNKNOWN, solve
from relayish.dataflow.analyses import Escape, may_have_escaped
from relayish.ir.nodes.node import VARIABLES
from tests.support.each import each
from tests.support.higher_order import Drawing, Machine, Thing
from tests.support.seeds import many, seeds

SEEDS = seeds(40)
RUNS = many(5, soak=10)


class Checker:
    """Holds what is evaluated against what was found."""

    def __init__(self, mod, analysis):
        [self.solution] = solve([analysis], mod, entries=["main"])
        self.sites = self.solution.calls
        self.found = self.sites.points_to
        self.points = {}
        for number, node in enumerate(self.solution.graph.nodes):
            if self.solution.graph.actions[number].value == "evaluate":
                self.points.setdefault(node, []).append(number)
        self.evaluated = 0
        self.escaped = 0

    def value(self, node, value, env):
        """Check that the value of ``node`` was created where it may be."""
        if not isinstance(value, Thing):
            return
        self.evaluated += 1
        sites = self.found.of(node)
        if value.site in sites:
            return
        assert UNKNOWN in sites
        assert value.site is None or value.site in self.found.escaped

    def point(self, node, env):
        """Check that the point is reached, and that what has escaped there is told."""
        [number] = self.points[node]
        assert self.solution.is_reached(number)
        escaped = self.machine.escaped()
        for variable, value in env.items():
            if isinstance(value, Thing) and value in escaped and type(variable) in VARIABLES:
                self.escaped += value.site is not None
                assert may_have_escaped(self.solution, number, variable)

    def run(self, mod, types, rng):
        self.machine = Machine(mod, rng, self.value, self.point)
        self.machine.run(types)


def check(seed, analysis=Escape):
    """Run a program of that seed, and hold what it does against what was found of it."""
    rng = random.Random(seed)
    drawing = Drawing(rng)
    mod = drawing.program()
    checker = Checker(mod, analysis())
    for _ in range(RUNS):
        checker.run(mod, drawing.types, rng)
    return checker


def check_all(seeds, analysis=Escape):
    return [check(seed, analysis) for seed in seeds]


@each("seed", SEEDS)
def test_what_is_evaluated_is_what_may_be(seed):
    check(seed)


def test_programs_have_things_that_escape():
    checkers = check_all(SEEDS)
    assert sum(checker.evaluated for checker in checkers) > 50 * len(SEEDS)
    assert sum(checker.escaped for checker in checkers) > len(SEEDS)


class KeepsArguments(Escape):
    """Takes it that nobody keeps what is given to functions that are not known."""

    def unknown_call(self, site, state):
        return state


class ForgetsCallees(Escape):
    """Takes it that nothing escapes in functions that are known."""

    def leave_call(self, site, callee, state, at_end):
        return state


class StartsAnew(Escape):
    """Takes it that nothing has escaped where a function is called."""

    def enter_call(self, site, callee, state):
        return self.lattice.bottom


@pytest.mark.parametrize("broken", [KeepsArguments, ForgetsCallees, StartsAnew])
def test_a_broken_transfer_is_caught(broken):
    with pytest.raises(AssertionError, match="may_have_escaped"):
        check_all(range(150, 300), broken)  # most programs do not tell
