"""Random functions: sound ones are accepted, and each corruption of them is found."""

from __future__ import annotations

import random
from functools import lru_cache

import pytest

from relayish import tir
from relayish.ir.scoping import PROGRAM
from relayish.tir import Rule
from tests.support.depth import DEPTH
from tests.support.tir_corruptions import CORRUPTIONS, corrupted
from tests.support.tir_programs import arguments, outcome, random_func

SEEDS = 60
ENOUGH = 8


@lru_cache(maxsize=SEEDS)
def program(seed):
    return random_func(seed, size=16)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_sound_function_is_accepted(seed):
    assert tir.verify(program(seed)) == ()


@pytest.mark.parametrize("seed", range(SEEDS))
def test_function_is_accepted_with_the_regions_that_are_computed(seed):
    class Declare(tir.IRMutator):
        def visit_schedule_block(self, block):
            image = self.mutate_children(block)
            found = tir.access_regions(image)
            return image.with_fields(read_buffers=found.reads, write_buffers=found.writes)

    func = program(seed)
    declared = Declare().visit(func)
    blocks = [n for n in PROGRAM.post_order(func) if isinstance(n, tir.ScheduleBlock)]
    assert (declared is not func) == any(tir.access_regions(b) != ((), ()) for b in blocks)
    assert tir.verify(declared) == ()


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corruption_is_found_wherever_it_applies(name):
    tried = 0
    for seed in range(SEEDS):
        broken = corrupted(program(seed), name, seed)
        if broken is not None:
            tried += 1
            rules = {found.rule for found in tir.verify(broken)}
            assert CORRUPTIONS[name][0] in rules, f"seed {seed}"
        if tried == ENOUGH:
            return
    assert tried > 0, "no program has what the corruption breaks"


def test_accesses_that_are_refused_are_out_of_range_when_they_run():
    """What the verifier says of bounds comes true, whatever else a function does wrong."""
    refused = 0
    for seed in range(2 * SEEDS):
        func = random_func(seed, size=10, faulty=True)
        found = {violation.rule for violation in tir.verify(func)}
        assert found <= {Rule.BOUNDS}, seed
        if found:
            refused += 1
            assert outcome(func, arguments(func)) == "OutOfBoundsError", seed
    assert refused > 0


@pytest.mark.parametrize("seed", range(20))
def test_function_with_many_corruptions_is_refused_with_violations(seed):
    func, names = program(seed), list(CORRUPTIONS)
    chance = random.Random(seed)
    for name in chance.sample(names, 12):
        func = corrupted(func, name, seed) or func
    assert tir.verify(func) != ()


@pytest.mark.deep
def test_all_of_many_sound_functions_are_accepted():
    seeds = range(SEEDS, min(1000, DEPTH // 40))
    assert [seed for seed in seeds if tir.verify(random_func(seed))] == []


def test_there_are_many_corruptions():
    assert len(CORRUPTIONS) >= 40
