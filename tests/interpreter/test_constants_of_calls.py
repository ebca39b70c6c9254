"""Constants across calls: programs with closures and references compute what is said."""

from __future__ import annotations

import random

import relayish as relay
from relayish.dataflow import Executable, solve
from relayish.dataflow.lattice import TOP
from relayish.interpreter.constants import Constants
from tests.support.each import each
from tests.support.higher_order import Drawing, Machine
from tests.support.seeds import seeds

SEEDS = seeds(20)


def check(seed, conditional):
    """Run a program of that seed; return how many of the numbers it computed were known."""
    rng = random.Random(seed)
    drawing = Drawing(rng)
    mod = drawing.program()
    analyses = [Constants(interprocedural=True), *([Executable()] if conditional else [])]
    constants, *_ = solve(analyses, mod, entries=["main"])
    known = 0

    def watch(node, value, env):
        nonlocal known
        found = constants.value(node)
        if type(value) is int and found is not TOP:
            assert int(found) == value
            known += 1

    for _ in range(5):
        Machine(mod, rng, watch, lambda node, env: None).run(drawing.types)
    return known


@each("conditional", [False, True])
@each("seed", SEEDS)
def test_numbers_are_those_that_constants_say(seed, conditional):
    check(seed, conditional)


def test_some_numbers_are_known():
    assert sum([check(seed, conditional=True) for seed in SEEDS]) > 25 * len(SEEDS)


def test_results_of_mutual_recursion_are_known():
    mod = relay.parse("""#[version = "0.0.5"]
        def @even(%n: int32) -> int32 { if (%n == 0) { 7 } else { @odd(%n - 1) } }
        def @odd(%n: int32) -> int32 { if (%n == 0) { 7 } else { @even(%n - 1) } }
        def @main(%n: int32) -> int32 { @even(%n) }
    """)
    [constants] = solve([Constants(interprocedural=True)], mod, entries=["main"])
    assert constants.value(mod["main"].body) == 7
