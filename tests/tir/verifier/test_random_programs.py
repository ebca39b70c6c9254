"""Random functions: sound ones are accepted, and each corruption of them is found."""

from __future__ import annotations

import random
from functools import cache

import pytest

from relayish import tir
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir import Rule
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_corruptions import CORRUPTIONS, corrupted
from tests.support.tir_programs import arguments, outcome, random_func
from tests.support.tir_regions import with_regions

SEEDS = seeds(40)
ENOUGH = 8


@cache
def program(seed):
    return random_func(seed, size=16)


@each("seed", SEEDS)
def test_sound_function_is_accepted(seed):
    assert tir.verify(program(seed)) == ()


@each("seed", SEEDS)
def test_function_is_accepted_with_the_regions_that_are_computed(seed):
    func = program(seed)
    declared = with_regions(func)
    blocks = [n for n in PROGRAM.post_order(func) if isinstance(n, tir.ScheduleBlock)]
    assert (declared is not func) == any(tir.access_regions(b) != ((), ()) for b in blocks)
    assert tir.verify(declared) == ()


@pytest.mark.slow("a loop bound around a program has all its pairs of accesses decided")
@pytest.mark.parametrize("name", CORRUPTIONS)
def test_corruption_is_found_wherever_it_applies(name):
    tried = 0
    for seed in SEEDS:
        broken = corrupted(program(seed), name, seed)
        if broken is not None:
            tried += 1
            rules = {found.rule for found in tir.verify(broken)}
            assert CORRUPTIONS[name][0] in rules, f"seed {seed}"
        if tried == ENOUGH:
            return
    assert tried > 0, "no program has what the corruption breaks"


def test_accesses_that_are_refused_are_out_of_range_when_they_run():
    """What the verifier says of bounds comes true, unless a division by zero comes before."""
    refused = reached = 0
    for seed in SEEDS:
        func = random_func(seed, size=10, faulty=True)
        found = {violation.rule for violation in tir.verify(func)}
        assert found <= {Rule.BOUNDS}, seed
        if found:
            end = outcome(func, arguments(func))
            assert end in ("OutOfBoundsError", "DivisionByZeroError"), seed
            refused, reached = refused + 1, reached + (end == "OutOfBoundsError")
    assert reached > refused / 2


@each("seed", SEEDS[:20])
def test_function_with_many_corruptions_is_refused_with_violations(seed):
    func, names = program(seed), list(CORRUPTIONS)
    chance = random.Random(seed)
    for name in chance.sample(names, 12):
        func = corrupted(func, name, seed) or func
    assert tir.verify(func) != ()


def test_there_are_many_corruptions():
    assert len(CORRUPTIONS) >= 40
