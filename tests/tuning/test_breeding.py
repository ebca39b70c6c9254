"""Candidates: children have other choices, the same steps, and compute the same."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest

from relayish import tir
from relayish.errors import UnknownNameError
from relayish.tuning.breeding import ScheduleBreeder
from relayish.tuning.evolution import Candidate
from tests.support.tuning import product, scaled, tiles


def two_choices(schedule: tir.Schedule) -> None:
    """Choose a tile, and whether it is unrolled."""
    (loop,) = schedule.get_loops("B")
    *_, last = schedule.split(loop, schedule.sample_perfect_tile(loop, 3, 8))
    if schedule.sample_categorical([0, 1], [1, 1]):
        schedule.unroll(last)


def decisions(candidate: Candidate | None) -> list[Any]:
    assert candidate is not None
    assert candidate.trace is not None
    return list(candidate.trace.decisions().values())


def test_a_sample_is_what_its_trace_makes() -> None:
    breeder = ScheduleBreeder(scaled(), tiles)
    found = breeder.sampled(Random(3))
    assert found is not None
    assert found.trace is not None
    again = breeder.replayed(found.trace)
    assert again is not None
    assert again.key == found.key
    assert (again.features == found.features).all()


def test_a_mutation_moves_a_prime_of_a_tile_or_takes_another_number() -> None:
    breeder, random = ScheduleBreeder(scaled(), two_choices), Random(1)
    parent = breeder.sampled(random)
    assert parent is not None
    tile, choice = decisions(parent)
    for _ in range(40):
        other_tile, other_choice = decisions(breeder.mutated(parent, random))
        assert (other_tile != tile) + (other_choice != choice) == 1
        assert math.prod(other_tile) == 4096
        assert other_tile[-1] <= 8
        assert sum(one != other for one, other in zip(tile, other_tile, strict=True)) in (0, 2)


def test_a_crossing_takes_each_choice_of_one_parent() -> None:
    breeder, random = ScheduleBreeder(scaled(), two_choices), Random(5)
    one = breeder.sampled(random)
    assert one is not None
    other = one
    while decisions(other)[1] != decisions(one)[1] or decisions(other)[0] == decisions(one)[0]:
        found = breeder.sampled(random)
        assert found is not None
        other = found
    tiles_found = {tuple(decisions(breeder.crossed(one, other, random))[0]) for _ in range(20)}
    assert tiles_found == {tuple(decisions(one)[0]), tuple(decisions(other)[0])}


def test_choices_that_fit_no_step_are_drawn_anew() -> None:
    def other(schedule: tir.Schedule) -> None:
        (loop,) = schedule.get_loops("B")
        first = schedule.sample_categorical([2, 4, 8], [1, 1, 1])
        schedule.split(loop, [-1, first])
        schedule.sample_perfect_tile(loop=schedule.get_loops("B")[0], n=2)

    random = Random(5)
    parent = ScheduleBreeder(scaled(), two_choices).sampled(random)
    assert parent is not None
    breeder = ScheduleBreeder(scaled(), other)
    own = breeder.sampled(random)
    assert own is not None
    found = decisions(breeder.mutated(parent, random))
    assert found[0] in (0, 1, 2)
    assert math.prod(found[1]) == 4096 // (2, 4, 8)[found[0]]
    assert decisions(breeder.crossed(own, parent, random)) == decisions(own)


def test_steps_that_follow_from_a_choice_follow_from_another_one() -> None:
    def dependent(schedule: tir.Schedule) -> None:
        (loop,) = schedule.get_loops("B")
        outer, inner = schedule.sample_perfect_tile(loop, 2, 64)
        schedule.split(loop, [int(outer), int(inner)])  # as numbers, which the trace keeps

    breeder, random = ScheduleBreeder(scaled(), dependent), Random(2)
    parent = breeder.sampled(random)
    assert parent is not None
    child = breeder.mutated(parent, random)
    assert child is not None
    assert child.trace is not None
    assert child.trace.steps[-1].args["factors"] == decisions(child)[0] != decisions(parent)[0]


def test_what_a_schedule_refuses_is_dropped_and_counted() -> None:
    def refused(schedule: tir.Schedule) -> None:
        loops = schedule.get_loops("C")
        if schedule.sample_categorical([0, 1], [1, 1]):
            schedule.parallel(loops[2])

    breeder = ScheduleBreeder(product(4), refused)
    found = [breeder.sampled(Random(seed)) for seed in range(12)]
    assert breeder.refused == found.count(None) > 0
    allowed = next(each for each in found if each is not None)
    before = breeder.refused
    assert breeder.mutated(allowed, Random(0)) is None  # the other number
    assert breeder.refused == before + 1


def test_a_space_that_names_what_there_is_not_is_an_error() -> None:
    def mistaken(schedule: tir.Schedule) -> None:
        schedule.get_block("nowhere")

    with pytest.raises(UnknownNameError, match="nowhere"):
        ScheduleBreeder(scaled(), mistaken).sampled(Random(0))


def test_a_space_without_choices_has_one_candidate() -> None:
    def one(schedule: tir.Schedule) -> None:
        schedule.split(schedule.get_loops("B")[0], [-1, 8])

    breeder = ScheduleBreeder(scaled(), one)
    parent = breeder.sampled(Random(0))
    assert parent is not None
    child = breeder.mutated(parent, Random(1))
    assert child is not None
    assert child.key == parent.key
