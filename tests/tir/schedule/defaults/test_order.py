"""Schedules that fuse loops, put them in another order, and run iterations together."""

from __future__ import annotations

import random

import numpy as np
import pytest

from relayish import tir
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func, same_result
from tests.support.tir_small import apply, function, loop, memory, nodes, scheduled

I, J, K = (tir.Var(name) for name in "ijk")  # noqa: E741 - as loops are called
A, B, C = memory("A", 9, 16), memory("B", 16), memory("C", 9, 16)

FIRST = tir.Load(B, (tir.const(0),))


NAMES = ("fuse_loops", "sink_parallel_loops", "unroll_and_jam")


def jammed(func):
    return apply("UnrollLoop", scheduled("unroll_and_jam", func))


def sums(count, extent=16, place=None, read=None):
    """Rows of A are added to B, row after row, column after column."""
    at = (J,) if place is None else place
    value = B[at] + (A[K, J] if read is None else read)
    return function([A, B, C], loop(J, 0, extent, loop(K, 0, count, tir.Store(B, value, at))))


def order(func):
    return [each.loop_var.name for each in nodes(func, tir.For)]


def test_a_parallel_loop_along_memory_goes_inside():
    assert order(scheduled("sink_parallel_loops", sums(9))) == ["k", "j"]


@each(
    "func",
    [
        sums(9, place=(tir.const(3),)),  # all go to one element: iterations depend on each other
        sums(9, extent=8, place=(J * 2,)),  # stores are two apart
        sums(tir.Div(tir.const(8), FIRST), extent=0),  # how often the inner loop runs may fail
        sums(9, read=C[K % 9, 15 - J]),  # read backwards
        function([A, B], loop(J, 0, 9, loop(K, 0, J, tir.Store(B, B[J] + A[K, J], (J,))))),
        function([A, B], loop(J, 0, 9, loop(K, 0, 9, tir.Store(B, A[J, K], (J,))))),  # rows of A
        function([A, B], loop(J, 1, 8, loop(K, 0, 9, tir.Store(B, B[J - 1] + A[K, J], (J,))))),
    ],
)
def test_what_depends_or_jumps_stays(func):
    assert scheduled("sink_parallel_loops", func) is func


@each(("count", "loops", "stores"), [(2, 1, 2), (9, 1, 9), (12, 1, 12), (24, 2, 12), (26, 4, 13)])
def test_iterations_run_together(count, loops, stores):
    D = memory("D", 26, 16)
    value = B[J] + D[K, J]
    func = function([D, B], loop(K, 0, count, loop(J, 0, 16, tir.Store(B, value, (J,)))))
    image = jammed(func)
    assert (len(nodes(image, tir.For)), len(nodes(image, tir.Store))) == (loops, stores)
    given, found = np.arange(26 * 16, dtype="int32").reshape(26, 16), np.zeros(16, "int32")
    tir.run(image, given, found)
    assert found.tolist() == given[:count].sum(0).tolist()


@each(
    "func",
    [
        function([A, C], loop(K, 0, 9, loop(J, 0, 16, tir.Store(C, A[K, J], (K, J))))),
        function([A, B], loop(K, 0, 9, loop(J, 0, 3, tir.Store(B, B[J] + A[K, J], (J,))))),
        function([A, B], loop(K, 0, 9, loop(J, 1, 15, tir.Store(B, B[J - 1] + A[K, J], (J,))))),
        function([A, B], loop(K, 1, 8, loop(J, 0, 16, tir.Store(B, B[J] + A[K, J], (J,))))),
    ],
)
def test_what_is_stored_once_or_depends_is_not_jammed(func):
    assert jammed(func) is func


@pytest.mark.slow("runs random programs")
@each("seed", seeds(60))
def test_random_programs_compute_the_same(seed):
    func = random_func(seed, size=20, more=("shared",) if seed % 2 else ())
    image = func
    for name in NAMES:
        image = scheduled(name, image)
    assert same_result(func, image, seeds=(0, 1))


def nest(seed):
    """A nest of loops over two arrays: a sum, a copy, a shift or a recurrence, as it is drawn."""
    draw = random.Random(f"nest {seed}")
    D, E = memory("D", 12, 12), memory("E", 12, 12)
    loops = [tir.Var(name) for name in draw.sample("ijk", 3)]
    here = draw.choices(loops, k=2) if draw.random() < 0.3 else draw.sample(loops, 2)
    places = [[at + draw.choice((0, 0, 0, 1, 2)) for at in draw.choices(loops, k=2)] for _ in "abc"]
    if draw.random() < 0.7:
        places[0] = here
    source = draw.choice((D, E))
    value = D[tuple(places[0])] + source[tuple(places[1])] * draw.choice((2, 3))
    stmts = [tir.Store(D, value, tuple(here))]
    if draw.random() < 0.6 and loops[-1] not in here:
        stmts.insert(0, tir.Store(D, tir.const(0), tuple(here)))
    body = stmts[-1:]
    for at, var in enumerate(reversed(loops)):
        body = [loop(var, 0, draw.choice((2, 3, 5, 9, 10)), *body)]
        if at == 0 and len(stmts) > 1:
            body.insert(0, stmts[0])
    return function([D, E], *body)


@pytest.mark.slow("runs random nests")
def test_random_nests_compute_the_same_and_many_of_them_change():
    changed = dict.fromkeys(NAMES[1:], 0)
    generator = np.random.default_rng(0)
    for seed in seeds(250):
        func = nest(seed)
        given = [generator.integers(-9, 9, (12, 12)).astype("int32") for _ in range(2)]
        image = func
        for name in changed:
            before, image = image, scheduled(name, image)
            changed[name] += image is not before
        expected, found = ([each.copy() for each in given] for _ in range(2))
        tir.run(func, *expected)
        tir.run(image, *found)
        assert np.array_equal(expected, found), seed
    assert min(changed.values()) > 10
