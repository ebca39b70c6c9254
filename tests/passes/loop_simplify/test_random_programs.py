"""Simplification keeps what random programs compute, bit for bit, and what they fault with."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.tir import LoweredFunc
from relayish.transform import get_pass
from tests.support.seeds import many, seeds
from tests.support.tir_arithmetic import RandomArithmetic, function_of, values
from tests.support.tir_programs import random_func, same_result

PASSES = (
    "BoundsCheckElimination",
    "CastSimplify",
    "CommonSubexprElimTIR",
    "ConditionalConstantPropagationTIR",
    "FoldConstantTIR",
    "IfSimplify",
    "Simplify",
    "SimplifyBlocks",
    "SimplifyForLoops",
    "VarModSimplify",
)
EXAMPLES = many(100)
SEEDS = seeds(100)
"""How many programs of each sort every pass is tried on; ``.ci/run`` takes 1,000."""


def applied(name: str, func: LoweredFunc) -> LoweredFunc:
    """Return what a pass makes of a function, with what must hold of it asserted."""
    made = get_pass(name)
    mod = IRModule({"f": func})
    out = made(mod)
    assert made(out) is out, "a second application changes something"
    if out is mod:
        return func
    assert tir.astext(out["f"]) != tir.astext(func), "nothing changed, yet the module is another"
    return out["f"]


@pytest.mark.parametrize("name", PASSES)
def test_random_program_computes_the_same_after(name):
    for seed in SEEDS:
        func = random_func(seed)
        out = applied(name, func)
        assert not tir.verify(out) or tir.verify(func), seed
        assert same_result(func, out), seed


@pytest.mark.parametrize("name", PASSES)
def test_random_program_with_variables_bound_repeatedly_computes_the_same_after(name):
    for seed in range(EXAMPLES // 4):
        func = random_func(seed, size=20, more=("rebinding", "same_names"))
        assert same_result(func, applied(name, func)), seed


@pytest.mark.parametrize("name", PASSES)
def test_random_program_that_may_fault_faults_alike_after(name):
    for seed in range(EXAMPLES // 4):
        func = random_func(seed, faulty=True)
        assert same_result(func, applied(name, func)), seed


@pytest.mark.parametrize("name", ["Simplify", "VarModSimplify", "CastSimplify", "FoldConstantTIR"])
def test_random_expression_has_the_same_value_everywhere(name):
    for seed in SEEDS:
        drawn = RandomArithmetic(seed)
        value = drawn.expr(4) if seed % 3 else tir.Cast("int32", drawn.condition(3))
        func = function_of(value, drawn.ranges)
        before, after = values(func), values(applied(name, func))
        assert type(before) is type(after), seed
        assert np.array_equal(before, after), (seed, str(value))


def test_random_expressions_become_smaller_mostly():
    smaller = 0
    for seed in range(60):
        drawn = RandomArithmetic(seed)
        func = function_of(drawn.expr(4), drawn.ranges)
        smaller += len(str(applied("Simplify", func))) < len(str(func))
    assert smaller > 30
