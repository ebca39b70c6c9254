"""Running programs over loops along their flow graphs gives what the interpreter gives."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.loop_machine import WITHOUT, LoopMachine
from tests.support.seeds import SOAK, seeds
from tests.support.tir_counters import random_counters
from tests.support.tir_programs import arguments, outcome, random_func, same_bits

SEEDS = seeds(28)[7:]  # the one before runs for longer than these together


def count_visits(func, seed):
    """Run a function on both; return how many points were visited."""
    machine, given = LoopMachine(func), arguments(func, seed)
    expected = outcome(func, given)
    assert not isinstance(expected, str)
    buffers = [np.ravel(each) for each in expected if isinstance(each, np.ndarray)]
    assert all(map(same_bits, machine.run(given), buffers))
    return machine.visited


@pytest.mark.parametrize(
    "program",
    [
        lambda seed: random_func(seed, size=20, without=WITHOUT, more=("rebinding",)),
        random_counters,
    ],
    ids=["of_all_kinds", "counters"],
)
def test_function_along_its_graph_gives_what_the_interpreter_gives(program):
    visits = [count_visits(program(seed), seed) for seed in SEEDS]
    assert sum(visits) > (30 if SOAK else 50) * len(SEEDS)
