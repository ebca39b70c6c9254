"""Candidates of a function in a space: sampled, and made of others by other choices.

A choice is what a sampling step of a trace drew. A candidate with another choice is the same trace
replayed, so that what a schedule refuses of it is refused; how many were is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeAlias

from relayish.errors import ScheduleError
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.schedule.records import program_of
from relayish.tir.schedule.schedule import Schedule, Trace
from relayish.tir.schedule.trace import Step
from relayish.tuning.evolution import Candidate
from relayish.tuning.features import count_features

Space: TypeAlias = Callable[[Schedule], None]
"""What makes choices by ``sample_*``, and takes steps with them."""


class ScheduleBreeder:
    """Makes candidates of schedules of a function.

    Args:
        func: The function.
        space: What there is to choose.

    Attributes:
        refused: How many a schedule refused.
    """

    def __init__(self, func: LoweredFunc, space: Space) -> None:
        self._func = func
        self._space = space
        self.refused = 0

    def sampled(self, random: Random) -> Candidate | None:
        """Return what the space makes by chance; ``None`` where a step is refused."""
        schedule = Schedule(self._func, seed=random.getrandbits(32))
        try:
            self._space(schedule)
        except ScheduleError:
            self.refused += 1
            return None
        return candidate_of(schedule.func, schedule.trace)

    def mutated(self, parent: Candidate, random: Random) -> Candidate | None:
        """Return a candidate of which one choice is another; ``None`` where there is none."""
        trace = parent.trace
        if trace is None or not trace.decisions():
            return self.sampled(random)
        number = random.choice(list(trace.decisions()))
        return self.replayed(trace.with_decisions({number: _changed(trace.steps[number], random)}))

    def crossed(self, one: Candidate, other: Candidate, random: Random) -> Candidate | None:
        """Return a candidate with choices of both; ``None`` if they have other steps."""
        if one.trace is None or other.trace is None or _shape(one.trace) != _shape(other.trace):
            return None
        of_other = other.trace.decisions()
        taken = {number: made for number, made in of_other.items() if random.random() < 0.5}
        return self.replayed(one.trace.with_decisions(taken))

    def replayed(self, trace: Trace) -> Candidate | None:
        """Return what a trace makes; ``None`` where a step is refused."""
        try:
            schedule = trace.replay(self._func)
        except ScheduleError:
            self.refused += 1
            return None
        return candidate_of(schedule.func, schedule.trace)


def candidate_of(func: LoweredFunc, trace: Trace | None) -> Candidate:
    """Return a program as a candidate."""
    return Candidate(program_of(func), func, trace, count_features(func))


def _shape(trace: Trace) -> Sequence[tuple[str, int]]:
    """Return what traces have in common whose choices may be exchanged."""
    return [(step.name, len(step.results)) for step in trace.steps]


def _changed(step: Step, random: Random) -> Any:  # Any: as the step takes it
    """Return another choice for a step, or the same if there is no other."""
    made = step.args["decision"]
    if isinstance(made, list):
        return _moved(made, step.args.get("max_innermost_factor", -1), random)
    others = [each for each in range(len(step.args["candidates"])) if each != made]
    return random.choice(others) if others else made


def _moved(factors: Sequence[int], most: int, random: Random) -> list[int]:
    """Return factors of which one gives some of what it is a product of to another.

    The last one stays at ``most`` at most, if that is no less than 0.
    """
    moves = [
        (source, target, prime)
        for source, factor in enumerate(factors)
        for prime in _primes(factor)
        for target in range(len(factors))
        if target != source
        and (most < 0 or target < len(factors) - 1 or factors[target] * prime <= most)
    ]
    if not moves:
        return list(factors)
    source, target, prime = random.choice(moves)
    made = list(factors)
    made[source] //= prime
    made[target] *= prime
    return made


def _primes(number: int) -> list[int]:
    """Return the distinct primes that a number is a product of."""
    found = []
    prime = 2
    while prime * prime <= number:
        if number % prime == 0:
            found.append(prime)
            while number % prime == 0:
                number //= prime
        prime += 1
    return [*found, number] if number > 1 else found
