"""Primitives that draw: tiles of a loop, one of several numbers; and the mark of where they end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import show_found
from relayish.tir.ir.operators import integer_of
from relayish.tir.ir.stmt import For
from relayish.tir.schedule.handles import ExprRV, LoopRV
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Sampled, Steps, expect


class SamplingSteps(Steps):
    """Methods that draw numbers for later steps; the trace records what was drawn."""

    def sample_perfect_tile(
        self,
        loop: LoopRV,
        n: int,
        max_innermost_factor: int = 16,
        decision: Sequence[int] | None = None,
    ) -> list[ExprRV]:
        """Draw factors whose product is the extent of a loop, each such tile as often as any other.

        Of a loop whose extent is no positive number, the outermost is -1, which ``split`` takes for
        as often as needed, and all others are 1.

        Args:
            loop: What is to be split.
            n: How many factors, two or more.
            max_innermost_factor: The last is drawn to be no more than that; -1: whatever it is.
            decision: What to return instead of drawing. On a loop of another extent, where a factor
                does not divide what those within it leave, it becomes all that is left. One
                may be -1, else the outermost is taken for that: it is what it has to be, and those
                outside of it take what is left before it does.

        Raises:
            ScheduleError: If ``n`` or ``max_innermost_factor`` allow no tile, or ``decision`` is
                not so many positive numbers, of which one may be -1.

        Source:
            CINN ``IRSchedule::SamplePerfectTile``, TVM ``sample_perfect_tile``.
        """
        given = None if decision is None else list(decision)
        found: list[ExprRV] = self.apply(
            "sample_perfect_tile", loop, n, max_innermost_factor, given
        )
        return found

    def sample_categorical(
        self, candidates: Sequence[int], probs: Sequence[float], decision: int | None = None
    ) -> ExprRV:
        """Draw one of several numbers.

        Args:
            candidates: The numbers.
            probs: How often each is drawn, in proportion to the others.
            decision: Which to return instead of drawing, as an index of ``candidates``.

        Raises:
            ScheduleError: If there are not as many of both, a probability is negative or none is
                positive, or ``decision`` is no index.

        Source:
            CINN ``IRSchedule::SampleCategorical``, TVM ``sample_categorical``.
        """
        given = (list(candidates), list(probs), decision)
        found: ExprRV = self.apply("sample_categorical", *given)
        return found

    def tag_post_schedule(self) -> None:
        """Mark where steps end that search tries, and begin those that follow from them.

        Nothing is changed; ``replay`` stops there when it is asked to.

        Source:
            CINN ``IRSchedule::TagPostSchedule``.
        """
        self.apply("tag_post_schedule")


@primitive("sample_perfect_tile")
def sample_perfect_tile(
    state: State,
    loop: Ref,
    n: int,
    max_innermost_factor: int = 16,
    decision: Sequence[int] | None = None,
) -> Sampled:
    """Draw a tile of a loop, or adapt the one that was drawn."""
    stmt = loop.stmt
    expect(stmt, "a loop, as get_loops returns it", isinstance(stmt, For))
    assert isinstance(stmt, For)
    expect(n, "two factors or more", n >= 2)
    limit = max_innermost_factor
    expect(limit, "a positive factor, or -1", limit >= 1 or limit == -1)
    if decision is not None:
        others = [each for each in decision if each != -1]
        is_tile = len(decision) == n and len(others) >= n - 1 and all(each >= 1 for each in others)
        expect(decision, f"{n} positive factors, one of which may be -1", is_tile)
    extent = integer_of(stmt.extent)
    if extent is None or extent < 1:
        tile = [-1, *[1] * (n - 1)]
    elif decision is not None:
        tile = _adapted(extent, decision)
    else:
        tile = _draw_tile(state.random, extent, n, extent if limit == -1 else limit)
    return Sampled(tile, tile)


def _adapted(extent: int, decision: Sequence[int]) -> list[int]:
    """Return the tile of an extent that has the factors of another, from within, while it can."""
    free = decision.index(-1) if -1 in decision else 0
    tile = [*decision]
    for at in (*reversed(range(free + 1, len(tile))), *range(free)):
        if extent % tile[at]:
            tile[at] = extent
        extent //= tile[at]
    tile[free] = extent
    return tile


def _draw_tile(random: Random, extent: int, n: int, most: int) -> list[int]:
    """Return one of the tiles of an extent, all as likely, whose last factor is not above ``most``.

    Complexity:
        The square root of the extent, and how many divisors it has.
    """
    last = [each for each in _divisors(_prime_factors(extent)) if each <= most]
    weights = [_count_tiles(_prime_factors(extent // each), n - 1) for each in last]
    innermost = random.choices(last, weights)[0]
    tile = [1] * (n - 1)
    for prime, power in _prime_factors(extent // innermost).items():
        bars = sorted(random.sample(range(power + n - 2), n - 2))
        ends = zip([-1, *bars], [*bars, power + n - 2], strict=True)
        for at, (low, high) in enumerate(ends):
            tile[at] *= prime ** (high - low - 1)
    return [*tile, innermost]


def _count_tiles(primes: dict[int, int], n: int) -> int:
    """Return how many tiles of ``n`` factors a number has."""
    return math.prod([math.comb(power + n - 1, n - 1) for power in primes.values()])


def _prime_factors(number: int) -> dict[int, int]:
    """Return the primes of a positive number, each with its power."""
    found: dict[int, int] = {}
    prime = 2
    while prime * prime <= number:
        while number % prime == 0:
            found[prime] = found.get(prime, 0) + 1
            number //= prime
        prime += 1
    if number > 1:
        found[number] = found.get(number, 0) + 1
    return found


def _divisors(primes: dict[int, int]) -> list[int]:
    """Return all divisors of a number."""
    found = [1]
    for prime, power in primes.items():
        found = [each * prime**more for each in found for more in range(power + 1)]
    return sorted(found)


@primitive("sample_categorical")
def sample_categorical(
    state: State, candidates: Sequence[int], probs: Sequence[float], decision: int | None = None
) -> Sampled:
    """Draw one of several numbers, or take the one that was drawn."""
    if len(candidates) != len(probs) or not all(p >= 0 for p in probs) or not sum(probs) > 0:
        raise ScheduleError(
            f"the candidates {list(candidates)} cannot be drawn by {list(probs)}; expected for "
            f"each how often it is drawn, no negative number, of which one is positive"
        )
    if decision is None:
        decision = state.random.choices(range(len(candidates)), probs)[0]
    if not 0 <= decision < len(candidates):
        raise ScheduleError(
            f"the decision is {show_found(decision)}; expected an index of {list(candidates)}"
        )
    return Sampled(decision, [candidates[decision]], is_list=False)


@primitive("tag_post_schedule")
def tag_post_schedule(state: State) -> None:
    """Stand in a trace."""
