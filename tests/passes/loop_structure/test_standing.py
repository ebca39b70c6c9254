"""What holds of every pass over loops, on random, deep, wide and shared programs."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.ir.module import AnyModule
from relayish.ir.relay.module import IRModule
from relayish.transform import get_pass
from tests.support.depth import DEPTH
from tests.support.tir_deep import DEEP, SHARED, WIDE
from tests.support.tir_programs import arguments, outcome, random_func, same_result

PASSES = (
    "ConvertSSA",
    "FlattenBuffer",
    "LoopInvariantCodeMotion",
    "RemoveNestedBlock",
    "RemoveScheduleBlock",
    "RenameTensors",
    "TransformPolyForToFor",
    "UnrollLoop",
    "VectorizeLoops",
)
MORE = {"ConvertSSA": ("rebinding", "same_names")}
"""What programs have beside for a pass that is about it."""
RARELY = ("RenameTensors",)
"""Passes for which programs that are drawn have nothing to do."""
FORGIVING = ("FlattenBuffer",)
"""Passes after which an index may be in range that was not."""
COSTLY = ("LoopInvariantCodeMotion",)
"""Passes for which a level costs much."""
PROGRAMS = 1000 if DEPTH >= 100_000 else 100

passes = pytest.mark.parametrize("name", PASSES)


def module(func: tir.LoweredFunc) -> AnyModule:
    return IRModule({"f": func})


@passes
def test_pass_keeps_what_random_programs_do(name):
    changed = 0
    for seed in range(PROGRAMS):
        func = random_func(seed, more=MORE.get(name, ()))
        image = get_pass(name)(module(func))["f"]
        assert same_result(func, image), seed
        changed += image is not func
    assert changed > PROGRAMS / 10 or name in RARELY


@passes
def test_pass_keeps_the_errors_of_programs_that_fail(name):
    failed = 0
    for seed in range(PROGRAMS):
        func = random_func(seed, faulty=True)
        fails = isinstance(outcome(func, arguments(func)), str)
        failed += fails
        if not fails or name not in FORGIVING:
            assert same_result(func, get_pass(name)(module(func))["f"]), seed
    assert failed > PROGRAMS / 50


@passes
def test_verifier_accepts_what_a_pass_returns(name):
    for seed in range(PROGRAMS):
        func = random_func(seed, more=MORE.get(name, ()))
        assert not tir.verify(get_pass(name)(module(func))["f"]), seed


@passes
def test_pass_applied_again_returns_the_same_object(name):
    for seed in range(PROGRAMS):
        once = get_pass(name)(module(random_func(seed, more=MORE.get(name, ()))))
        assert get_pass(name)(once) is once, seed


@passes
def test_pass_returns_the_same_object_where_it_has_nothing_to_do(name):
    buffer = tir.Buffer("_A", (4,), "int32")
    tensor = tir.Tensor("A", (4,), "int32", buffer)
    var = tir.Var("i")
    loop = tir.For(var, 0, 4, tir.Block((tir.Store(tensor, var, (var,)),)))
    mod = module(tir.LoweredFunc("f", (buffer,), tir.Block((loop,))))
    assert get_pass(name)(mod) is mod


@pytest.mark.deep
@passes
@pytest.mark.parametrize("kind", [*DEEP, *WIDE])
def test_pass_goes_as_deep_as_the_program(name, kind):
    build = {**DEEP, **WIDE}[kind]
    small = build(20)
    assert same_result(small, get_pass(name)(module(small))["f"])
    once = get_pass(name)(module(build(min(DEPTH, 20_000) if name in COSTLY else DEPTH)))
    assert get_pass(name)(once) is once


@passes
@pytest.mark.parametrize("kind", SHARED)
def test_pass_looks_at_shared_nodes_once(name, kind):
    get_pass(name)(module(SHARED[kind](1000)))
