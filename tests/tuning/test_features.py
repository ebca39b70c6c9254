"""Features: counts of small programs, told by hand, and what of them the prior makes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from relayish import tir
from relayish.tir.analysis import count_work
from relayish.tuning.features import NAMES, count_features, prior_cost, steps
from tests.support.tuning import product, scaled


def counts(func: tir.LoweredFunc) -> dict[str, float]:
    found = np.exp2(count_features(func)) - 1
    return dict(zip(NAMES, found.round(6).tolist(), strict=True))


def after(func: tir.LoweredFunc, take: Callable[[tir.Schedule], object]) -> tir.LoweredFunc:
    schedule = tir.Schedule(func)
    take(schedule)
    return schedule.func


def test_a_loop_over_two_arrays_brings_each_line_once() -> None:
    found = counts(scaled(1024))
    assert found["runs"] == found["loop_steps"] == 1024
    assert found["vector_runs"] == 1024 / 8
    assert found["scalar_runs"] == found["chained_runs"] == found["gathers"] == 0
    assert [round(found[f"lines_{level}"]) for level in (1, 2, 3)] == [128, 128, 128]


def test_a_sum_in_the_innermost_loop_is_a_chain_with_gathers() -> None:
    found = counts(product(32))
    assert found["runs"] == 32**3 + 32**2
    assert found["chained_runs"] == 32**3
    assert found["gathers"] == 32**3  # columns of B
    assert found["vector_runs"] == 32**2 / 8


def test_lines_are_brought_again_where_what_is_used_again_does_not_fit() -> None:
    small, large = counts(product(32)), counts(product(512))
    assert round(small["lines_1"]) < 1024
    assert large["lines_1"] > 512**3 / 2  # each element of a column is in another line
    assert large["lines_3"] < 512**2


def test_tiles_bring_fewer_lines() -> None:
    def tile(schedule: tir.Schedule) -> None:
        block = schedule.get_block("C")
        i, _, _ = schedule.get_loops(block)
        schedule.decompose_reduction(block, i)
        loops = [schedule.split(each, [-1, 32]) for each in schedule.get_loops(block)]
        (i_0, i_1), (j_0, j_1), (k_0, k_1) = loops
        schedule.reorder([i_0, j_0, k_0, i_1, k_1, j_1])

    plain, tiled = product(512), after(product(512), tile)
    assert counts(tiled)["lines_1"] < counts(plain)["lines_1"] / 10
    assert counts(tiled)["chained_runs"] == counts(tiled)["gathers"] == 0
    assert prior_cost(count_features(tiled)) < prior_cost(count_features(plain)) - 2


def test_kinds_of_loops_are_told() -> None:
    def mark(schedule: tir.Schedule) -> None:
        outer, middle, inner = schedule.split(schedule.get_loops("B")[0], [4, 4, 64])
        schedule.parallel(outer)
        schedule.unroll(middle)
        schedule.vectorize(inner)

    found = counts(after(scaled(1024), mark))
    assert found["parallel"] == 4
    assert found["unrolled"] == 4
    assert found["innermost"] == 64
    assert found["loop_steps"] == (4 + 4 * 64) / 8


def test_indices_are_those_of_loops_where_blocks_bind_variables() -> None:
    (first, *_, last) = steps(count_work(product(8)))
    i, j, k = [each.node for each in last.loops]
    assert [each.loop_var.name for each in (i, j, k)] == ["i", "j", "k"]
    assert [dict(each.strides) for each in last.accesses] == [
        {i: 8, j: 1, k: 0},
        {i: 8, k: 1},
        {k: 8, j: 1},
        {i: 8, j: 1, k: 0},
    ]
    assert len(first.loops) == 2


def test_a_loop_of_unknown_length_counts_as_one_of_some() -> None:
    n = tir.Var("n")
    A = tir.placeholder("A", (n,))
    B = tir.compute((n,), lambda i: A[i] * 2, "B")
    found = counts(tir.lower("f", [A, B], scalar_args=[n]))
    assert found["runs"] == 64
