"""What programs with closures and references compute is what interprocedural analyses say."""

from __future__ import annotations

import random

import pytest

from relayish.dataflow import solve
from relayish.dataflow.lattice import TOP
from tests.support.each import each
from tests.support.higher_order import Drawing, Machine
from tests.support.parity import VALUES, Parity
from tests.support.seeds import many, seeds

SEEDS = seeds(40)
RUNS = many(5, soak=10)


class Checker:
    """Holds numbers that are computed against what was found."""

    def __init__(self, mod, analysis):
        [self.solution] = solve([analysis], mod, entries=["main"])
        graph = self.solution.graph
        self.points = {
            node: number
            for number, node in enumerate(graph.nodes)
            if graph.actions[number].value == "evaluate"
        }
        self.known = 0

    def value(self, node, value, env):
        """Check what is known of the value of a call after it."""
        number = self.points.get(node)
        if number is None or not isinstance(value, int):
            return
        assert self.solution.is_reached(number)
        state = self.solution.after(number)
        found = VALUES.get(state, node)
        if type(node).__name__ == "Call" and type(value) is int:
            assert found is TOP or found == value % 2
            self.known += found is not TOP
        for variable, of in env.items():
            found = VALUES.get(state, variable)
            if type(of) is int:
                assert found is TOP or found == of % 2

    def run(self, mod, types, rng):
        Machine(mod, rng, self.value, lambda node, env: None).run(types)


def check(seed, analysis=Parity):
    rng = random.Random(seed)
    drawing = Drawing(rng)
    mod = drawing.program()
    checker = Checker(mod, analysis())
    for _ in range(RUNS):
        checker.run(mod, drawing.types, rng)
    return checker.known


def check_all(seeds, analysis=Parity):
    return sum([check(seed, analysis) for seed in seeds])


@each("seed", SEEDS)
def test_what_is_computed_is_what_may_be(seed):
    check(seed)


def test_something_is_known_of_numbers():
    assert check_all(SEEDS) > 2 * len(SEEDS)


class KnowsOutside(Parity):
    """Takes it that somebody who is not known gives even numbers alone."""

    def boundary(self, procedure):
        known = super().boundary(procedure)
        for parameter in self.graph.binders.get(procedure.entry, ()):
            known = VALUES.set(known, parameter, 0)
        return known


class FirstCallee(Parity):
    """Takes it that each call has one callee alone."""

    def leave_call(self, site, callee, state, at_end):
        if callee is not site.callees[0]:
            return state
        return super().leave_call(site, callee, state, at_end)


@pytest.mark.parametrize("broken", [KnowsOutside, FirstCallee])
def test_a_broken_hook_is_caught(broken):
    with pytest.raises(AssertionError, match="is TOP or "):
        check_all(range(10, 300), broken)  # some programs tell, in the soak as well
