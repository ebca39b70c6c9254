"""Simplification keeps what random expressions are worth, wherever their variables stand."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.tir import LoweredFunc
from relayish.transform import get_pass
from tests.support.seeds import seeds
from tests.support.tir_arithmetic import RandomArithmetic, function_of, values

SEEDS = seeds(60)


def applied(name: str, func: LoweredFunc) -> LoweredFunc:
    """Return what a pass makes of a function, with what must hold of it asserted."""
    out = get_pass(name)(IRModule({"f": func}))
    assert get_pass(name)(out) is out, "a second application changes something"
    return out["f"]


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
    for seed in SEEDS:
        drawn = RandomArithmetic(seed)
        func = function_of(drawn.expr(4), drawn.ranges)
        smaller += len(str(applied("Simplify", func))) < len(str(func))
    assert smaller > len(SEEDS) / 2
