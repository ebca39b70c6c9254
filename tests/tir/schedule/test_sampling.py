"""Sampling: what is drawn, recorded, and taken again."""

from __future__ import annotations

import math
from collections import Counter
from itertools import product

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from tests.support.tir_small import loop


def doubled(extent: int) -> tir.LoweredFunc:
    A = tir.placeholder("A", (extent,))
    B = tir.compute((extent,), lambda i: A[i] * 2, "B")
    return tir.lower("double", [A, B])


def counted() -> tir.LoweredFunc:
    """A function whose loop runs as often as an argument says."""
    n, i = tir.Var("n"), tir.Var("i")
    buffer = tir.Buffer("A", (n,), "int32")
    store = tir.Store(tir.Tensor("A", (n,), "int32", buffer), 1, (i,))
    return tir.LoweredFunc("f", (n, buffer), tir.Block((loop(i, 0, n, store),)))


def drawn(extent: int, n: int, seed: int = 0, **more: int) -> list[tir.ExprRV]:
    schedule = tir.Schedule(doubled(extent), seed=seed)
    return schedule.sample_perfect_tile(schedule.get_loops()[0], n, **more)


def test_a_tile_has_the_extent_as_its_product():
    for seed in range(20):
        assert math.prod(drawn(360, 3, seed)) == 360


def test_the_last_factor_is_no_more_than_it_may_be():
    assert max(drawn(64, 2, seed, max_innermost_factor=8)[-1] for seed in range(40)) == 8
    assert max(drawn(64, 2, seed, max_innermost_factor=-1)[-1] for seed in range(40)) == 64


def test_every_tile_is_drawn_as_often_as_any_other():
    schedule = tir.Schedule(doubled(12), seed=1)
    (loop,) = schedule.get_loops("B")
    tiles = [t for t in product(range(1, 13), repeat=3) if math.prod(t) == 12 and t[2] <= 4]
    count = Counter([tuple(schedule.sample_perfect_tile(loop, 3, 4)) for _ in range(300)])
    assert set(count) == set(tiles)
    assert max(count.values()) < 4 * min(count.values())


def test_a_loop_of_unknown_extent_has_the_tile_that_split_takes():
    schedule = tir.Schedule(counted())
    (loop,) = schedule.get_loops()
    tile = schedule.sample_perfect_tile(loop, 3)
    assert tile == [-1, 1, 1]
    assert [each.stmt.loop_var.name for each in schedule.split(loop, tile)] == ["i_0", "i_1", "i_2"]


def test_the_same_seed_draws_the_same():
    assert drawn(5040, 4, 7) == drawn(5040, 4, 7)
    assert len({tuple(drawn(5040, 4, seed)) for seed in range(9)}) > 5


@pytest.mark.parametrize(
    ("n", "more"),
    [
        (1, {}),
        (0, {}),
        (2, {"max_innermost_factor": 0}),
        (2, {"max_innermost_factor": -2}),
        (2, {"decision": [4]}),
        (2, {"decision": [8, 0]}),
        (2, {"decision": [0, 8]}),
        (2, {"decision": [-2, 8]}),
        (2, {"decision": [-1, -1]}),
        (2, {"decision": [-1, 2, 4]}),
    ],
)
def test_a_tile_that_cannot_be_is_refused(n, more):
    with pytest.raises(ScheduleError, match="expected"):
        drawn(8, n, **more)


def tiled(extent: int, decision: list[int]) -> list[int]:
    schedule = tir.Schedule(doubled(extent))
    (loop,) = schedule.get_loops("B")
    return list(schedule.sample_perfect_tile(loop, len(decision), decision=decision))


def test_a_decision_is_taken_as_it_is():
    assert tiled(64, [2, 8, 4]) == [2, 8, 4]
    assert tiled(64, [2, 1, 32]) == [2, 1, 32]  # above the limit, which is one of drawing


def test_a_decision_for_another_extent_keeps_what_divides():
    assert tiled(96, [2, 8, 4]) == [3, 8, 4]
    assert tiled(36, [2, 8, 4]) == [1, 9, 4]
    assert tiled(35, [2, 8, 4]) == [1, 1, 35]


def test_one_factor_of_a_decision_is_what_it_has_to_be():
    assert tiled(64, [-1, 8, 4]) == [2, 8, 4]
    assert tiled(64, [2, -1, 4]) == [2, 8, 4]
    assert tiled(64, [2, 8, -1]) == [2, 8, 4]
    assert tiled(36, [2, 8, -1]) == [2, 18, 1]
    assert tiled(36, [5, -1, 4]) == [9, 1, 4]


def test_a_number_is_drawn_as_often_as_its_probability_says():
    schedule = tir.Schedule(doubled(4), seed=0)
    count = Counter([schedule.sample_categorical([5, 6, 7], [1, 0, 3]) for _ in range(200)])
    assert set(count) == {5, 7}
    assert 30 < count[5] < 70


@pytest.mark.parametrize(
    ("candidates", "probs", "decision"),
    [
        ([], [], None),
        ([1, 2], [1.0], None),
        ([1, 2], [1, -1], None),
        ([1, 2], [0, 0], None),
        ([1, 2], [float("nan"), 1], None),
        ([1, 2], [1, 1], 2),
        ([1, 2], [1, 1], -1),
    ],
)
def test_a_choice_that_cannot_be_is_refused(candidates, probs, decision):
    schedule = tir.Schedule(doubled(4))
    with pytest.raises(ScheduleError, match="expected"):
        schedule.sample_categorical(candidates, probs, decision)


def sampled(seed: int) -> tir.Schedule:
    schedule = tir.Schedule(doubled(64), seed=seed)
    (loop,) = schedule.get_loops("B")
    outer, _ = schedule.split(loop, schedule.sample_perfect_tile(loop, 2))
    schedule.split(outer, [-1, schedule.sample_categorical([2, 3, 4], [0.5, 0.25, 0.25])])
    schedule.tag_post_schedule()
    schedule.parallel(schedule.get_loops("B")[0])
    return schedule


def test_a_trace_draws_nothing_again():
    schedule = sampled(3)
    for seed in range(5):
        again = tir.Schedule(doubled(64), seed=seed)
        again.replay(schedule.trace)
        assert again.trace == schedule.trace
        assert tir.astext(again.func) == tir.astext(schedule.func)


def test_later_steps_take_what_was_drawn_not_its_value():
    schedule = sampled(3)
    other = schedule.trace.with_decisions({1: [4, 16]}).replay(doubled(64))
    assert [int(loop.stmt.extent.value) for loop in other.get_loops("B")][-1] == 16


def test_a_trace_is_replayed_up_to_where_search_ends():
    schedule = sampled(3)
    part = schedule.trace.replay(doubled(64), without_post_schedule=True)
    assert part.trace.steps == schedule.trace.steps[:5]
    assert "parallel" not in tir.astext(part.func)


def test_a_trace_with_draws_is_replayed_on_another_extent():
    part = sampled(3).trace.replay(doubled(60))
    assert math.prod([loop.stmt.extent.value for loop in part.get_loops("B")]) >= 60
    assert tir.verify(part.func) == ()
