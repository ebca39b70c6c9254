"""Vectorisation: which loops, what becomes of them, and what stays serial and why."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.passes.loops.structure.vectorize_loops import vectorize_loops, vectorize_obstacles
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func, same_result
from tests.support.tir_small import apply, function, left, loop, memory, nodes

SEEDS = seeds(40)
I = tir.Var("i")  # noqa: E741 - as loops call it


def vectorized(func):
    return apply("VectorizeLoops", func)


@each("extent", [500, 1, 15, 16, 17, 0, 32, -1])
@each("low", [0, 3, -5])
@each("symbolic", ["", "min", "extent", "min and extent"])
def test_every_iteration_runs_once(extent, low, symbolic):
    a, first, count = memory("A", 520), tir.Var("first"), tir.Var("count")
    start = first if "min" in symbolic else tir.const(low)
    size = count if "extent" in symbolic else tir.const(extent)
    body = tir.Store(a, a[I + 8] + I + 1, (I + 8,))
    func = function([a], loop(I, start, size, body, lanes=16), scalars=(first, count))
    array = np.arange(520, dtype="int32")
    expected = array.copy()
    for i in range(low, low + extent):
        expected[i + 8] += i + 1
    assert left(vectorized(func), low, extent, array) == [expected.tolist()]


class TestRamps:
    """What CINN computes with the first lane and the step alone."""

    @pytest.mark.parametrize("low", [0, 3, -7])
    @pytest.mark.parametrize(
        "value",
        [
            lambda i: 100 - i,
            lambda i: i - 100,
            lambda i: i / 3,
            lambda i: i % 3,
            lambda i: 7 / (tir.Max(i, tir.const(1))),
            lambda i: (i * 3 - 5) / 2 + i % 4,
            lambda i: i * i,
            lambda i: -i * 2,
            lambda i: tir.Min(i, tir.const(4)),
            lambda i: tir.Select(i < 5, i, -i),
            lambda i: tir.Cast("int32", tir.Cast("float32", i) * 0.5),
            lambda i: tir.Cast("int32", tir.Cast("uint8", i * 100)),
        ],
    )
    def test_arithmetic_of_the_variable_is_that_of_each_iteration(self, value, low):
        a = memory("A", 40)
        func = function([a], loop(I, low, 21, tir.Store(a, value(I), (I + 8,)), lanes=4))
        given = np.zeros(40, "int32")
        assert left(vectorized(func), given) == left(func, given)


class TestObstacles:
    def test_loop_that_does_not_say_its_lanes_takes_the_option(self):
        a = memory("A", 8)
        func = function([a], loop(I, 0, 8, tir.Store(a, I, (I,)), kind="VECTORIZED"))
        assert nodes(vectorize_loops(func, factor=4), tir.Ramp)
        assert "does not say how many lanes" in next(iter(vectorize_obstacles(func).values()))


class Marker(tir.StmtMutator):
    """Marks every loop."""

    def visit_for(self, loop):
        made = super().visit_for(loop)
        return made.with_fields(
            for_type=tir.ForType.VECTORIZED, vectorize_info=tir.VectorizeInfo(0, 2)
        )


def test_random_programs_of_marked_loops_do_the_same():
    done = 0
    for seed in SEEDS:
        func = random_func(seed, without=("vector", "loop_kinds"))
        func = func.with_fields(body=Marker().visit(func.body))
        image = vectorized(func)
        assert same_result(func, image), seed
        done += bool(nodes(image, tir.Ramp))
    assert done > len(SEEDS) / 4
