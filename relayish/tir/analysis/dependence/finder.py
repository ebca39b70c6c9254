"""The search for dependences among the accesses of a program, pattern by pattern."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from relayish.tir.analysis.dependence.access_patterns import (
    Pattern,
    PatternTable,
    find_neighbours,
    pairs_in_order,
)
from relayish.tir.analysis.dependence.accesses import (
    Access,
    Accesses,
    Around,
    Location,
    arounds,
    common_around,
)
from relayish.tir.analysis.dependence.dependence import Dependence, DependenceKind
from relayish.tir.analysis.dependence.iteration_pairs import Direction, IterationPairs
from relayish.tir.analysis.dependence.same_element import depends_on_outside
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.stmt import For, PolyFor


class Finder:
    """Finds what accesses of a program depend on each other; once for all of two patterns.

    Args:
        found: The accesses of the program.
        context: What is known outside.
        levels: How many loops, outermost first, may carry what is looked for; all, if not given.
        max_distance: How many iterations of such a loop apart it may be at most.
    """

    def __init__(
        self,
        found: Accesses,
        context: Context,
        *,
        levels: int | None = None,
        max_distance: int | None = None,
        wanted: Wanted | None = None,
    ) -> None:
        self._table = PatternTable(found, context)
        self._context = context
        self._levels = levels
        self._max_distance = max_distance
        self._wanted = wanted
        self._meet: dict[tuple[Pattern, Pattern], bool] = {}
        self._carry: dict[tuple[Pattern, Pattern], list[For | PolyFor]] = {}
        self._told: dict[tuple[Pattern, Pattern, bool], list[Told]] = {}

    def pairs(self, accesses: Sequence[Access]) -> Iterator[Pair]:
        """Yield accesses that may depend on each other, in order of the program."""
        return self._pairs(accesses, self._depend)

    def between(self, a: Access, one: Pattern, b: Access, other: Pattern) -> Iterator[Dependence]:
        """Yield the dependences between two accesses, of which ``a`` is the first."""
        for source, own, sink, its in _orders(a, one, b, other):
            first = source is a and a is not b and not _exclude_each_other(a, b)
            for told in self._told_of(own, its, in_one_iteration=first):
                yield Dependence(source, sink, *told)

    def carried(self, accesses: Sequence[Access]) -> Iterator[tuple[Access, Access]]:
        """Yield source and sink, once for each loop that carries a dependence between them."""
        for pair in self._pairs(accesses, self._are_carried):
            for source, own, sink, its in _orders(*pair):
                for _ in self._carriers(own, its):
                    yield source, sink

    def carrying(self, accesses: Sequence[Access]) -> Iterator[For | PolyFor]:
        """Yield the loops that carry a dependence between ``accesses``."""
        for a, b in self.pattern_pairs(accesses):
            if self.may_meet(a, b):
                yield from self._carriers(a, b)
                yield from self._carriers(b, a)

    def surely_carried(
        self, source: Pattern, sink: Pattern, loops: Mapping[For | PolyFor, int | None]
    ) -> Iterator[tuple[For | PolyFor, Access, Access]]:
        """Yield what :func:`surely_carried` does, of the accesses of two patterns."""
        around = common_loops(source.first, sink.first)
        private = min(source.private, sink.private)
        for level, each in enumerate(around):
            loop = each.loop
            if loop is None or loop not in loops or level < private:
                continue
            if any(depends_on_outside(p.first, self._context) for p in (source, sink)):
                return
            pairs = IterationPairs(source.first, sink.first, around, self._context)
            if pairs.surely_carry(level, loops[loop]):
                yield loop, source.accesses[-1], sink.accesses[0]

    def pattern_pairs(self, accesses: Sequence[Access]) -> Iterator[tuple[Pattern, Pattern]]:
        """Yield patterns of one location, or of which one is of any, each with itself too."""
        anything, located = by_location(accesses)
        everywhere = self._table.patterns(anything)
        for same in located:
            patterns = self._table.patterns(same)
            number = {each: at for at, each in enumerate(patterns)}
            for a, near in find_neighbours(patterns, self._context).items():
                yield from ((a, b) for b in near if number[b] >= number[a])
                yield from ((a, b) for b in everywhere)
        for i, a in enumerate(everywhere):
            yield from ((a, b) for b in everywhere[i:])

    def may_meet(self, a: Pattern, b: Pattern) -> bool:
        """Return whether indices leave it open that one writes what the other accesses."""
        if (a, b) not in self._meet:
            self._meet[a, b] = self._meet[b, a] = a.may_meet(b, self._context)
        return self._meet[a, b]

    def _pairs(
        self, accesses: Sequence[Access], holds: Callable[[Pattern, Pattern], bool]
    ) -> Iterator[Pair]:
        anything, located = by_location(accesses)
        for same in located:
            if any(access.writes for access in same):
                patterns = self._table.patterns(same)
                yield from pairs_in_order(find_neighbours(patterns, self._context), holds)
        if not anything:
            return
        own = {access: each for each in self._table.patterns(accesses) for access in each.accesses}
        for i, a in enumerate(anything):
            yield from ((a, own[a], b, own[b]) for b in anything[i:])
            for b in accesses:
                if b.location is not None:
                    first, last = (a, b) if a.position < b.position else (b, a)
                    yield first, own[first], last, own[last]

    def _depend(self, a: Pattern, b: Pattern) -> bool:
        if not self.may_meet(a, b):
            return False
        has_pairs = a is not b or len(a.accesses) > 1
        forth = self._told_of(a, b, in_one_iteration=has_pairs)
        return bool(forth or self._told_of(b, a, in_one_iteration=False))

    def _are_carried(self, a: Pattern, b: Pattern) -> bool:
        return self.may_meet(a, b) and bool(self._carriers(a, b) or self._carriers(b, a))

    def _told_of(self, source: Pattern, sink: Pattern, *, in_one_iteration: bool) -> list[Told]:
        key = (source, sink, in_one_iteration)
        if not self._is_wanted(source, sink):
            return []
        if key not in self._told:
            around = common_loops(source.first, sink.first)
            loops = tuple([each.loop for each in around if each.loop is not None])
            pairs = IterationPairs(source.first, sink.first, around, self._context)
            private = min(source.private, sink.private)
            vectors = pairs.vectors(private, in_one_iteration=in_one_iteration)
            kinds = _kinds(source, sink)
            self._told[key] = [(kind, loops, *vector) for vector in vectors for kind in kinds]
        return self._told[key]

    def _is_wanted(self, source: Pattern, sink: Pattern) -> bool:
        wanted = self._wanted
        if wanted is None:
            return True
        return any(wanted(a, b) for a in source.accesses for b in sink.accesses)

    def _carriers(self, source: Pattern, sink: Pattern) -> list[For | PolyFor]:
        """Return the loops that carry a dependence of ``sink`` on ``source``, outermost first."""
        key = (source, sink)
        if not self._is_wanted(source, sink):
            return []
        if key not in self._carry:
            around = common_loops(source.first, sink.first)[: self._levels]
            private = min(source.private, sink.private)
            levels: Iterable[int] = ()
            if len(around) > private:
                pairs = IterationPairs(source.first, sink.first, around, self._context)
                levels = pairs.carrying(private, self._max_distance)
            loops = [each.loop for each in around]
            self._carry[key] = [loop for level in levels if (loop := loops[level]) is not None]
        return self._carry[key]


Wanted: TypeAlias = Callable[[Access, Access], bool]
"""Whether dependences of the second access on the first are asked about."""


Pair: TypeAlias = tuple[Access, Pattern, Access, Pattern]
"""Two accesses, the earlier one first, each with its pattern."""


Told: TypeAlias = tuple[
    DependenceKind,
    tuple[For | PolyFor, ...],
    tuple[int | None, ...],
    tuple[Direction, ...],
    bool,
]
"""The fields of a dependence but source and sink, as they are for all accesses of two patterns."""


def by_location(accesses: Iterable[Access]) -> tuple[list[Access], Iterable[list[Access]]]:
    """Return the accesses of anything, and those of each location."""
    at: dict[Location | None, list[Access]] = {}
    for access in accesses:
        at.setdefault(access.location, []).append(access)
    anything = at.pop(None, [])
    return anything, at.values()


def _orders(a: Access, one: Pattern, b: Access, other: Pattern) -> list[Pair]:
    return [(a, one, b, other)] if a is b else [(a, one, b, other), (b, other, a, one)]


def _kinds(source: Pattern, sink: Pattern) -> list[DependenceKind]:
    found = (
        (DependenceKind.FLOW, source.writes and sink.reads),
        (DependenceKind.ANTI, source.reads and sink.writes),
        (DependenceKind.OUTPUT, source.writes and sink.writes),
    )
    return [kind for kind, is_such in found if is_such]


def common_loops(a: Access, b: Access) -> list[Around]:
    """Return the loops around both accesses, the outermost first."""
    common = common_around(a.place, b.place)
    found = [] if common is None else [*arounds(common.place), common]
    return [each for each in found if each.loop is not None]


def _exclude_each_other(a: Access, b: Access) -> bool:
    """Return whether the accesses are in different arms of one branch."""
    if a.place.around is b.place.around:
        return False
    common = common_around(a.place, b.place)
    arms = []
    for access in (a, b):
        below = [each for each in arounds(access.place) if each.place.around is common]
        arms.append(below[0] if below else None)
    first, second = arms
    if first is None or second is None or first.execution is None:
        return False
    return first.execution is second.execution and first.holds != second.holds
