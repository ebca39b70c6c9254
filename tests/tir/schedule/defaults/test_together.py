"""What the generator of C does with loops by default: it computes the same, and does something."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish import tir
from relayish.codegen.c.network import lower_network
from tests.support.compiled_loops import compile_all, natively, skip_without_compiler
from tests.support.seeds import seeds
from tests.support.tir_contractions import FINISH, arrays_for, random_contraction
from tests.support.tir_programs import random_func, same_result
from tests.support.tir_small import apply, nodes, scheduled

DEFAULT = tir.DEFAULT_SCHEDULES["c"]
RULES = DEFAULT.split(",")


@pytest.mark.slow("runs random sums of products, and compiles them")
def test_random_contractions_compute_the_same_and_many_of_them_change():
    skip_without_compiler()
    changed = dict.fromkeys((*RULES, *FINISH), 0)
    cases = []
    for seed in seeds(40):
        func = random_contraction(seed)
        given = arrays_for(func, seed)
        expected = [array.copy() for array in given]
        tir.run(func, *expected)
        for name in changed:
            before, func = func, scheduled(name, func) if name in RULES else apply(name, func)
            changed[name] += func is not before
        found = [array.copy() for array in given]
        tir.run(func, *found)
        assert all(map(np.array_equal, expected, found)), seed
        cases.append((func, given, expected))
    del changed["split_reductions"]  # there is none
    assert min(changed.values()) > 4, changed
    module = compile_all([func for func, _, _ in cases])
    for func, given, expected in cases:
        assert all(map(np.array_equal, expected, natively(module[func.name], given))), func.name


@pytest.mark.slow("runs random programs")
@pytest.mark.parametrize("sort", [(), ("shared",), ("rebinding",)])
def test_random_programs_compute_the_same(sort):
    for seed in seeds(12):
        func = random_func(seed, size=20, more=sort)
        if tir.verify(func) == ():
            image = scheduled(DEFAULT, func)
            assert same_result(func, image, seeds=(0, 1)), seed


@pytest.mark.parametrize("units", [32, 21])  # the second is padded: two nests pack it
def test_constant_weights_are_packed_when_a_network_is_built(units):
    draw = np.random.default_rng(0)
    weights = relay.const(draw.random((units, 16), "float32"))
    x = relay.var("x", shape=(9, 16))
    mod = relay.IRModule.from_expr(relay.Function([x], relay.nn.dense(x, weights)))
    lowered = lower_network(mod)
    (func,) = lowered.functions_of(tir.LoweredFunc).values()
    assert any(loop.for_type == tir.ForType.VECTORIZED for loop in nodes(func, tir.For))
    assert not [each.name for each in func.temp_bufs if "heap" in each.name]
    assert not [each for each in func.args if getattr(each, "shape", ()) == weights.data.shape]
