"""Cleaning up loops keeps what random programs compute, bit for bit, and what they fault with."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.tir import LoweredFunc
from relayish.transform import get_pass
from tests.support.depth import DEPTH
from tests.support.seeds import many, seeds
from tests.support.tir_copies import with_copies
from tests.support.tir_deep import DEEP, WIDE
from tests.support.tir_programs import random_func, same_result

PASSES = ("CopyPropagation", "DeadStoreElimination", "GlobalCommonSubexprElimTIR")
EXAMPLES = many(30)
SEEDS = seeds(30)
"""How many programs of each sort every pass is tried on; ``.ci/run`` takes 1,000."""

passes = pytest.mark.parametrize("name", PASSES)


def drawn(seed: int, **options: object) -> LoweredFunc:
    """A random function whose loops copy their variables."""
    without = ("schedule_block", "root", "vector")
    return with_copies(random_func(seed, without=without, **options), seed)


def applied(name: str, func: LoweredFunc) -> LoweredFunc:
    """Return what a pass makes of a function, with what must hold of it asserted."""
    made = get_pass(name)
    out = made(IRModule({"f": func}))
    assert made(out) is out, "a second application changes something"
    return out["f"]


@passes
def test_random_program_computes_the_same_after(name):
    for seed in SEEDS:
        func = random_func(seed)
        out = applied(name, func)
        assert not tir.verify(out), seed
        assert same_result(func, out, seeds=(0, 1)), seed


@passes
def test_random_program_with_copies_computes_the_same_after(name):
    changed = 0
    for seed in SEEDS:
        func = drawn(seed)
        out = applied(name, func)
        assert same_result(func, out), seed
        changed += out is not func
    assert changed > EXAMPLES / 20


@passes
def test_random_program_with_variables_bound_repeatedly_computes_the_same_after(name):
    for seed in range(EXAMPLES // 3):
        func = drawn(seed, size=20, more=("rebinding", "same_names"))
        assert same_result(func, applied(name, func)), seed


@passes
def test_random_program_that_may_fault_faults_alike_after(name):
    for seed in range(EXAMPLES // 2):
        func = random_func(seed, faulty=True)
        assert same_result(func, applied(name, func)), seed


def test_passes_one_after_the_other_keep_what_programs_compute():
    for seed in range(EXAMPLES // 3):
        func = out = drawn(seed)
        for name in ("GlobalCommonSubexprElimTIR", *PASSES, "CommonSubexprElimTIR"):
            out = applied(name, out)
        assert same_result(func, out), seed


@pytest.mark.deep
@passes
@pytest.mark.parametrize("shape", sorted(DEEP))
def test_pass_goes_deep(name, shape):
    applied(name, DEEP[shape](min(DEPTH, 20_000)))


@passes
@pytest.mark.parametrize("shape", sorted(WIDE))
def test_pass_takes_wide_programs(name, shape):
    applied(name, WIDE[shape](2000))
