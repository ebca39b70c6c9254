"""Evolution: what a batch is made of, given what was measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import pytest

from relayish.tuning.evolution import Candidate, Evolution
from relayish.tuning.features import NAMES
from tests.support.tuning import scaled

FUNC = scaled(4)


def candidate(number: int) -> Candidate:
    """A program that is a number; the model sees it."""
    features = np.full(len(NAMES), 1 + number / 16)
    return Candidate(str(number), FUNC, None, features)


class Numbers:
    """Numbers below a bound; children are near their parents."""

    def __init__(self, bound: int, refused: int = 0) -> None:
        self.bound = bound
        self.refused = refused

    def sampled(self, random: Random) -> Candidate | None:
        number = random.randrange(self.bound)
        return None if number < self.refused else candidate(number)

    def mutated(self, parent: Candidate, random: Random) -> Candidate | None:
        number = int(parent.key) + random.randint(-3, 3)
        return candidate(number) if self.refused <= number < self.bound else None

    def crossed(self, one: Candidate, other: Candidate, random: Random) -> Candidate | None:
        del random
        return candidate((int(one.key) + int(other.key)) // 2)


def evolution(bound: int = 1000, **named: int) -> Evolution:
    return Evolution(Numbers(bound, **named), seed=0, batch=10)


def keys(batch: Sequence[Candidate]) -> list[int]:
    return [int(each.key) for each in batch]


def seconds_of(number: int) -> float:
    return 2000.0 - number  # the prior has it that large ones are slow


def run(search: Evolution, batches: int) -> list[tuple[Candidate, float]]:
    measured: list[tuple[Candidate, float]] = []
    for _ in range(batches):
        batch = search.pick(measured)
        measured += [(each, seconds_of(int(each.key))) for each in batch]
    return measured


def test_batches_depend_on_the_seed_and_on_what_was_measured_alone() -> None:
    assert keys([each for each, _ in run(evolution(), 3)]) == keys(
        [each for each, _ in run(evolution(), 3)]
    )
    one, other = evolution(), evolution()
    first = one.pick([])
    assert keys(first) == keys(other.pick([]))
    low = [(each, float(each.key)) for each in first]
    high = [(each, 1000.0 - float(each.key)) for each in first]
    assert keys(one.pick(low)) != keys(other.pick(high))


def test_no_candidate_is_picked_twice() -> None:
    found = keys([each for each, _ in run(evolution(), 8)])
    assert len(found) == len(set(found)) == 80


def test_what_is_measured_draws_the_search_to_it() -> None:
    seconds = [each for _, each in run(evolution(), 6)]
    assert min(seconds[20:]) < min(seconds[:20])
    assert np.median(seconds[-20:]) < np.median(seconds[:20]) - 200


def test_what_is_wrong_is_no_parent() -> None:
    search = evolution()
    batch = search.pick([])
    assert len(search.pick([(each, math.inf) for each in batch])) == 10


def test_founders_come_first_in_the_first_batch_alone() -> None:
    founders = [candidate(5), candidate(6)]
    search = Evolution(Numbers(1000), seed=0, batch=10, founders=founders)
    assert keys(search.pick([]))[:2] == [5, 6]
    assert not {5, 6}.intersection(keys(search.pick([])))


def test_more_founders_than_a_batch_holds_are_left_out() -> None:
    founders = [candidate(number) for number in range(20)]
    search = Evolution(Numbers(1000), seed=0, batch=10, founders=founders)
    assert keys(search.pick([])) == list(range(10))


@pytest.mark.parametrize(("bound", "refused"), [(7, 0), (12, 5)])
def test_a_space_of_few_is_picked_whole_then_nothing(bound: int, refused: int) -> None:
    search = evolution(bound, refused=refused)
    assert sorted(keys(search.pick([]))) == list(range(refused, bound))
    assert search.pick([]) == []


def test_a_space_that_refuses_all_gives_nothing() -> None:
    assert evolution(10, refused=10).pick([]) == []
