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


def obstacle(func):
    found = vectorize_obstacles(func)
    assert vectorize_loops(func) is not func  # the mark is dropped
    assert not any(
        loop.for_type & tir.ForType.VECTORIZED for loop in nodes(vectorized(func), tir.For)
    )
    assert len(found) == 1
    return next(iter(found.values()))


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


class TestTripCounts:
    def test_loop_of_500_by_16_is_31_rounds_and_4_iterations(self):
        a = memory("A", 500)
        func = function([a], loop(I, 0, 500, tir.Store(a, I, (I,)), lanes=16))
        rounds, rest = nodes(vectorized(func), tir.For)
        assert (rounds.extent.value, rest.min.value, rest.extent.value) == (31, 496, 4)

    def test_loop_of_one_round_is_no_loop(self):
        a = memory("A", 16)
        func = function([a], loop(I, 0, 16, tir.Store(a, I, (I,)), lanes=16))
        assert nodes(vectorized(func), tir.For) == []

    def test_loop_of_fewer_iterations_than_lanes_is_serial(self):
        a = memory("A", 16)
        func = function([a], loop(I, 2, 9, tir.Store(a, I, (I,)), lanes=16))
        [serial] = nodes(vectorized(func), tir.For)
        assert (serial.for_type, serial.extent.value) == (tir.ForType.SERIAL, 9)

    def test_bounds_that_the_loop_writes_are_read_once(self):
        n, a = memory("N", 1), memory("A", 40)
        body = (tir.Store(a, tir.const(1), (I,)), tir.Store(n, tir.const(99), (0,)))
        func = function([n, a], loop(I, 0, n[0], *body, lanes=4))
        found = left(vectorized(func), np.array([10], "int32"), np.zeros(40, "int32"))
        assert found == [[99], [1] * 10 + [0] * 30]


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

    def test_contiguous_access_is_a_ramp_of_one(self):
        a, b = memory("A", 40), memory("B", 40)
        func = function([a, b], loop(I, 0, 16, tir.Store(a, b[I + 3], (I,)), lanes=16))
        ramps = nodes(vectorized(func), tir.Ramp)
        assert [(ramp.base.value, ramp.stride.value) for ramp in ramps] == [(3, 1), (0, 1)]

    def test_value_that_does_not_depend_on_the_variable_is_broadcast(self):
        a, b = memory("A", 8), memory("B", 1)
        func = function([a, b], loop(I, 0, 8, tir.Store(a, b[0], (I,)), lanes=8))
        [spread] = nodes(vectorized(func), tir.Broadcast)
        assert isinstance(spread.value, tir.Load)


class TestBodies:
    def test_declared_scalars_become_vectors(self):
        a, x = memory("A", 10), tir.Var("x")
        body = (tir.Let(x, I * 2), tir.Store(a, x + 1, (I,)))
        func = function([a], loop(I, 0, 10, *body, lanes=4))
        assert left(vectorized(func), np.zeros(10, "int32")) == [[2 * i + 1 for i in range(10)]]

    def test_scalars_that_are_assigned_in_an_iteration_become_vectors(self):
        a, x = memory("A", 10), tir.Var("x")
        body = (tir.Let(x), tir.Store(x, I, ()), tir.Store(x, x + 1, ()), tir.Store(a, x, (I,)))
        func = function([a], loop(I, 0, 10, *body, lanes=4))
        assert vectorize_obstacles(func) == {}
        assert left(vectorized(func), np.zeros(10, "int32")) == [list(range(1, 11))]

    def test_schedule_blocks_are_removed_from_vectors_only(self):
        a, v = memory("A", 10), tir.Var("v")
        block = tir.ScheduleBlock((v,), (), (), "A", tir.Store(a, v, (v,)))
        func = function([a], loop(I, 0, 10, tir.ScheduleBlockRealize((I,), block), lanes=4))
        image = vectorized(func)
        assert len(nodes(image, tir.ScheduleBlock)) == 1
        assert left(image, np.zeros(10, "int32")) == [list(range(10))]

    def test_inner_loops_run_for_all_lanes(self):
        a, b, k = memory("A", 8), memory("B", 8, 3), tir.Var("k")
        inner = loop(k, 0, 3, tir.Store(a, a[I] + b[I, k], (I,)))
        func = function([a, b], loop(I, 0, 8, inner, lanes=4))
        assert vectorize_obstacles(func) == {}
        given = np.zeros(8, "int32"), np.arange(24, dtype="int32").reshape(8, 3)
        assert left(vectorized(func), *given) == left(func, *given)

    def test_branch_that_does_not_depend_on_the_variable_stays(self):
        a, c = memory("A", 8), memory("C", 1)
        branch = tir.IfThenElse(c[0] < 1, tir.Block((tir.Store(a, I, (I,)),)))
        func = function([a, c], loop(I, 0, 8, branch, lanes=4))
        assert left(vectorized(func), np.zeros(8, "int32"), np.zeros(1, "int32")) == [
            list(range(8)),
            [0],
        ]

    def test_branch_between_two_values_is_a_selection(self):
        a = memory("A", 8)
        branch = tir.IfThenElse(I < 3, tir.Store(a, I, (I,)), tir.Store(a, -I, (I,)))
        func = function([a], loop(I, 0, 8, branch, lanes=4))
        image = vectorized(func)
        assert nodes(image, tir.IfThenElse) == []
        assert left(image, np.zeros(8, "int32")) == [[0, 1, 2, -3, -4, -5, -6, -7]]

    def test_pure_calls_take_vectors(self):
        a = memory("A", 8, dtype="float32")
        func = function([a], loop(I, 0, 8, tir.Store(a, tir.math.sqrt(a[I]), (I,)), lanes=4))
        assert vectorize_obstacles(func) == {}
        assert left(vectorized(func), np.full(8, 4, "float32")) == [[2.0] * 8]


class TestOrder:
    @pytest.mark.parametrize("offset", [1, 2, 3, -1, -2])
    @pytest.mark.parametrize("lanes", [2, 4])
    def test_accesses_at_a_distance_are_made_in_order(self, offset, lanes):
        a = memory("A", 40)
        body = tir.Store(a, a[I + offset] + 1, (I,))
        func = function([a], loop(I, 5, 20, body, lanes=lanes))
        given = np.arange(40, dtype="int32") * 3
        assert left(vectorized(func), given) == left(func, given)

    def test_value_that_a_later_iteration_writes_is_read_first(self):
        a = memory("A", 40)
        func = function([a], loop(I, 0, 20, tir.Store(a, a[I + 1], (I,)), lanes=4))
        assert vectorize_obstacles(func) == {}

    def test_value_that_an_earlier_iteration_writes_keeps_the_loop_serial(self):
        a = memory("A", 40)
        func = function([a], loop(I, 1, 20, tir.Store(a, a[I - 1], (I,)), lanes=4))
        assert obstacle(func).endswith("of an earlier iteration")

    @pytest.mark.parametrize(("lanes", "stays"), [(4, False), (8, False), (9, True), (16, True)])
    def test_iterations_at_least_a_vector_apart_do_not_wait(self, lanes, stays):
        a = memory("A", 60)
        func = function([a], loop(I, 8, 40, tir.Store(a, a[I - 8] + 1, (I,)), lanes=lanes))
        given = np.arange(60, dtype="int32") * 3
        assert bool(vectorize_obstacles(func)) == stays
        assert left(vectorized(func), given) == left(func, given)

    @pytest.mark.parametrize(("lanes", "stays"), [(4, False), (8, False), (9, True)])
    def test_iterations_further_and_further_apart_do_not_wait(self, lanes, stays):
        a = memory("A", 60)
        func = function([a], loop(I, 0, 20, tir.Store(a, a[I] + 1, (I * 2 + 8,)), lanes=lanes))
        given = np.arange(60, dtype="int32") * 3
        assert bool(vectorize_obstacles(func)) == stays
        assert left(vectorized(func), given) == left(func, given)

    def test_sum_into_one_element_keeps_the_loop_serial(self):
        a, s = memory("A", 8), memory("S", 1)
        func = function([a, s], loop(I, 0, 8, tir.Store(s, s[0] + a[I], (0,)), lanes=4))
        assert "has to wait for" in obstacle(func)

    def test_last_iteration_stores_last(self):
        s = memory("S", 1)
        func = function([s], loop(I, 0, 8, tir.Store(s, I, (0,)), lanes=4))
        assert left(vectorized(func), np.zeros(1, "int32")) == [[7]]

    def test_two_views_of_one_buffer_are_seen(self):
        a = memory("A", 12)
        b = tir.Tensor("B", (3, 4), "int32", a.buffer)
        body = tir.Store(a, b[I / 4, I % 4] + 1, (I + 1,))
        func = function([a], loop(I, 0, 11, body, lanes=4))
        given = np.zeros(12, "int32")
        assert left(vectorized(func), given) == left(func, given) == [list(range(12))]

    def test_statements_that_wait_for_one_another_in_order_are_vectorized(self):
        a, b = memory("A", 20), memory("B", 20)
        body = (tir.Store(a, I, (I,)), tir.Store(b, a[I], (I,)))
        func = function([a, b], loop(I, 0, 20, *body, lanes=4))
        assert vectorize_obstacles(func) == {}


class TestObstacles:
    def test_branch_with_a_load_is_not_computed_where_it_would_not_run(self):
        a, b = memory("A", 8), memory("B", 4)
        branch = tir.IfThenElse(I < 4, tir.Store(a, b[I], (I,)), tir.Store(a, tir.const(0), (I,)))
        func = function([a, b], loop(I, 0, 8, branch, lanes=4))
        assert "which arm of a branch runs depends on its variable" in obstacle(func)

    def test_branch_with_a_scalar_that_has_no_value_is_not_computed_where_it_would_not_run(self):
        a, x = memory("A", 8), tir.Var("x")
        branch = tir.IfThenElse(I < 0, tir.Store(a, x, (I,)), tir.Store(a, tir.const(2), (I,)))
        func = function([a], tir.Let(x), loop(I, 0, 8, branch, lanes=4))
        assert "which arm of a branch runs depends on its variable" in obstacle(func)
        assert left(vectorized(func), np.zeros(8, "int32")) == [[2] * 8]

    def test_function_that_is_not_known_takes_no_vectors(self):
        a = memory("A", 8, dtype="float32")
        call = tir.Call("float32", "launch_rocket", (a[I],))
        func = function([a], loop(I, 0, 8, tir.Store(a, call, (I,)), lanes=4))
        assert len(vectorize_obstacles(func)) == 1

    def test_function_that_says_so_takes_no_vectors(self):
        a = memory("A", 8, dtype="float32")
        func = function([a], loop(I, 0, 8, tir.Store(a, tir.math.erf(a[I]), (I,)), lanes=4))
        assert obstacle(func) == "erf takes no vectors"

    def test_memory_of_each_iteration_keeps_the_loop_serial(self):
        a, t = memory("A", 8), memory("T", 1)
        body = (tir.Alloc(t.buffer), tir.Store(t, I, (0,)), tir.Store(a, t[0], (I,)))
        func = function([a], loop(I, 0, 8, *body, lanes=4)).with_fields(temp_bufs=(t.buffer,))
        assert "memory of its own" in obstacle(func)

    def test_inner_bounds_that_depend_on_the_variable_keep_the_loop_serial(self):
        a, k = memory("A", 8, 8), tir.Var("k")
        func = function([a], loop(I, 0, 8, loop(k, 0, I, tir.Store(a, k, (I, k))), lanes=4))
        assert obstacle(func) == "the bounds of the loop over k in it depend on its variable"

    def test_loop_around_a_vectorized_loop_is_serial(self):
        a, k = memory("A", 8, 8), tir.Var("k")
        inner = loop(k, 0, 8, tir.Store(a, k, (I, k)), lanes=4)
        func = function([a], loop(I, 0, 8, inner, lanes=4))
        assert list(vectorize_obstacles(func).values()) == ["a loop in it is marked as well"]
        assert len(nodes(vectorized(func), tir.Ramp)) > 0

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
