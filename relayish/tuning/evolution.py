"""Evolutionary search: what was good is changed and crossed, and a model picks what is measured.

Which candidates a batch has depends on the seed, and on what was measured of all batches but the
last, and on nothing else: neither on who measures, nor on how many do so at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from random import Random
from typing import Final, NamedTuple, Protocol

import numpy as np

from relayish.tir.ir.function import LoweredFunc
from relayish.tir.schedule.schedule import Trace
from relayish.tuning.cost_model import CostModel, Floats

POPULATION: Final = 32
"""So many candidates are known at once, measured ones among them."""
ROUNDS: Final = 2
"""So often the population has children before a batch is picked."""
CURIOSITY: Final = 0.2
"""This part of a batch is picked by chance, whatever the model says of it."""
CROSSED: Final = 0.25
"""This part of the children has two parents."""
_ATTEMPTS: Final = 4
"""So many candidates may be refused, or known already, for each that is wanted."""


class Candidate(NamedTuple):
    """A program that might be fast.

    Attributes:
        key: What is the same of equal programs.
        func: The program.
        trace: The steps that make it; ``None`` of one that no schedule makes.
        features: What the model tells its cost by.
    """

    key: str
    func: LoweredFunc
    trace: Trace | None
    features: Floats


class Breeder(Protocol):
    """Makes candidates; ``None`` where a schedule refuses the steps."""

    def sampled(self, random: Random) -> Candidate | None:
        """Return any."""

    def mutated(self, parent: Candidate, random: Random) -> Candidate | None:
        """Return one of which a choice is another."""

    def crossed(self, one: Candidate, other: Candidate, random: Random) -> Candidate | None:
        """Return one that has choices of both."""


class Evolution:
    """Picks batches of candidates.

    Args:
        breeder: What makes candidates.
        seed: What chance is drawn from.
        batch: How many candidates are picked at once.
        founders: What the first batch begins with.
    """

    def __init__(
        self, breeder: Breeder, *, seed: int, batch: int, founders: Sequence[Candidate] = ()
    ) -> None:
        self._breeder = breeder
        self._seed = seed
        self._batch = batch
        self._founders = founders
        self._picked: set[str] = set()
        self._batches = 0

    def pick(self, measured: Sequence[tuple[Candidate, float]]) -> list[Candidate]:
        """Return the next batch; fewer, or none, where nothing new is found.

        Args:
            measured: The candidates of which the time is known, infinite if they are wrong.
        """
        random = Random(f"{self._seed}:{self._batches}")  # noqa: S311 - no secret
        self._batches += 1
        right = [(each, seconds) for each, seconds in measured if math.isfinite(seconds)]
        right.sort(key=lambda pair: pair[1])
        rows = np.array([each.features for each, _ in right])
        model = CostModel(rows, [seconds for _, seconds in right])
        pool = {each.key: each for each, _ in right[: POPULATION // 2]}
        first = self._founders[: self._batch] if self._batches == 1 else ()
        pool |= {each.key: each for each in first}
        self._sample(pool, POPULATION, random)
        for _ in range(ROUNDS):
            self._breed(pool, model, random)
        return self._choose(pool, model, random, first)

    def _sample(self, pool: dict[str, Candidate], size: int, random: Random) -> None:
        for _ in range(_ATTEMPTS * size):
            if len(pool) >= size:
                return
            found = self._breeder.sampled(random)
            if found is not None:
                pool.setdefault(found.key, found)

    def _breed(self, pool: dict[str, Candidate], model: CostModel, random: Random) -> None:
        """Add children to a pool, and leave the best."""
        if not pool:
            return
        parents = _ranked(pool.values(), model)
        weights = [1 / (2 + place) for place in range(len(parents))]
        for _ in range(POPULATION):
            one, other = random.choices(parents, weights, k=2)
            if random.random() < CROSSED:
                child = self._breeder.crossed(one, other, random)
            else:
                child = self._breeder.mutated(one, random)
            if child is not None:
                pool.setdefault(child.key, child)
        kept = _ranked(pool.values(), model)[: 2 * POPULATION]
        pool.clear()
        pool.update({each.key: each for each in kept})

    def _choose(
        self,
        pool: dict[str, Candidate],
        model: CostModel,
        random: Random,
        first: Sequence[Candidate],
    ) -> list[Candidate]:
        taken = self._picked.union(each.key for each in first)
        unknown = [each for each in pool.values() if each.key not in taken]
        ranked = [*first, *_ranked(unknown, model)]
        by_chance = min(math.ceil(CURIOSITY * self._batch), self._batch - len(first))
        chosen = ranked[: self._batch - by_chance]
        rest = ranked[len(chosen) :]
        chosen += random.sample(rest, min(self._batch - len(chosen), len(rest)))
        self._picked.update(each.key for each in chosen)
        return chosen


def _ranked(candidates: Iterable[Candidate], model: CostModel) -> list[Candidate]:
    """Return candidates, the one that is likely to be fastest first."""
    listed = list(candidates)
    if not listed:
        return []
    costs = model.predict(np.array([each.features for each in listed]))
    return [listed[at] for at in np.argsort(costs, kind="stable")]
