"""Candidates of a function in a space: sampled, and made of others by other choices.

A choice is what a sampling step of a trace drew. A candidate with other choices is what the space
makes of these; how many a schedule refuses is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any, TypeAlias

from relayish.errors import ScheduleError
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.schedule.handles import ExprRV, LoopRV
from relayish.tir.schedule.records import program_of
from relayish.tir.schedule.schedule import Schedule, Trace
from relayish.tir.schedule.trace import DECISION, Step
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
        return self._made(random, ())

    def mutated(self, parent: Candidate, random: Random) -> Candidate | None:
        """Return a candidate of which one choice is another; ``None`` where it is refused."""
        choices = _choices(parent)
        if choices:
            at = random.randrange(len(choices))
            choices[at] = _changed(choices[at], random)
        return self._made(random, choices)

    def crossed(self, one: Candidate, other: Candidate, random: Random) -> Candidate | None:
        """Return a candidate with choices of both; ``None`` where it is refused."""
        choices, others = _choices(one), _choices(other)
        for at, (mine, step) in enumerate(zip(choices, others, strict=False)):
            if random.random() < 0.5 and mine.name == step.name:
                choices[at] = step
        return self._made(random, choices)

    def _made(self, random: Random, choices: Sequence[Step]) -> Candidate | None:
        schedule = _Steered(self._func, random.getrandbits(32), choices)
        try:
            self._space(schedule)
        except ScheduleError:
            self.refused += 1
            return None
        return candidate_of(schedule.func, schedule.trace)

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


class _Steered(Schedule):
    """A schedule that draws what is chosen for it, as long as that can be drawn, and else freely.

    The space runs again, and is not replayed, since what it does may depend on what is drawn.

    Args:
        func: The function.
        seed: What it draws from otherwise.
        choices: Sampling steps, whose draws are taken one by one.
    """

    def __init__(self, func: LoweredFunc, seed: int, choices: Sequence[Step]) -> None:
        super().__init__(func, seed=seed)
        self._choices = iter(choices)

    def sample_perfect_tile(
        self,
        loop: LoopRV,
        n: int,
        max_innermost_factor: int = 16,
        decision: Sequence[int] | None = None,
    ) -> list[ExprRV]:
        chosen = next(self._choices, None)
        if decision is None and chosen is not None and chosen.args.get("n") == n:
            decision = chosen.args[DECISION]
        return super().sample_perfect_tile(loop, n, max_innermost_factor, decision)

    def sample_categorical(
        self, candidates: Sequence[int], probs: Sequence[float], decision: int | None = None
    ) -> ExprRV:
        chosen = next(self._choices, None)
        if decision is None and chosen is not None and chosen.args.get("candidates") == candidates:
            decision = chosen.args[DECISION]
        return super().sample_categorical(candidates, probs, decision)


def _choices(candidate: Candidate) -> list[Step]:
    """Return the sampling steps of a candidate."""
    if candidate.trace is None:
        return []
    return [candidate.trace.steps[at] for at in candidate.trace.decisions()]


def _changed(step: Step, random: Random) -> Step:
    """Return a step that draws something else, or the same if there is nothing else."""
    made: Any = step.args[DECISION]  # Any: as the step takes it
    if isinstance(made, list):
        made = _moved(made, step.args.get("max_innermost_factor", -1), random)
    else:
        others = [each for each in range(len(step.args["candidates"])) if each != made]
        made = random.choice(others) if others else made
    return replace(step, args={**step.args, DECISION: made})


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
