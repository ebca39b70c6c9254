"""Distance and direction vectors: pairs of iterations in which two accesses touch one element."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntFlag
from typing import Final, NamedTuple, TypeAlias

from relayish._support.graph import find_root
from relayish.dataflow.lattice.interval import Interval
from relayish.tir.analysis.dependence.accesses import Access, Around
from relayish.tir.analysis.dependence.iterations import Instance, Iterations
from relayish.tir.analysis.dependence.same_element import equate_elements
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.integer_system import Patience, Row, System, solve_equations
from relayish.tir.analysis.values.context import Context


class Direction(IntFlag):
    """How the iteration of a source may be to that of a sink: a set."""

    LESS = 1
    EQUAL = 2
    GREATER = 4

    def __str__(self) -> str:
        """The set as dependence analysis writes it: ``<``, ``=``, ``>``, ``<=``, ``!=``, ``*``."""
        return _SIGNS[int(self)]


_SIGNS: Final = ("", "<", "=", "<=", ">", "!=", ">=", "*")


class Vector(NamedTuple):
    """Distances and directions, for each common loop, that occur together."""

    distance: tuple[int | None, ...]
    direction: tuple[Direction, ...]
    is_exact: bool


_Case: TypeAlias = tuple[System, Sequence[Row]]
"""A system of inequalities, and the differences of iterations in its unknowns."""


class _Cases(NamedTuple):
    """Systems that have solutions; those of any of them are the pairs."""

    systems: tuple[_Case, ...]
    is_exact: bool


class IterationPairs:
    """The pairs of iterations in which ``source`` and ``sink`` touch one element.

    Args:
        source: An access.
        sink: Another one, or the same.
        loops: What is around both that is a loop, outermost first.
        context: What is known outside.
    """

    def __init__(
        self, source: Access, sink: Access, loops: Sequence[Around], context: Context
    ) -> None:
        self._ranges: list[Interval] = []
        self._loops = len(loops)
        self._patience = Patience()
        self._start: _Cases | None = None
        """``None``: too much is around the accesses for anything to be told."""
        if is_too_deep(source) or is_too_deep(sink):
            return
        iterations = Iterations(context)
        self._patience = iterations.patience
        first, second = Instance(iterations, source.place), Instance(iterations, sink.place)
        equate_elements(iterations, (source, first), (sink, second))
        differences = [second.coordinates[each].plus(first.coordinates[each], -1) for each in loops]
        self._ranges = [iterations.interval(each) for each in differences]
        systems, differences = iterations.solved(differences)
        self._start = self._feasible(
            _Cases(tuple([(each, differences) for each in systems]), iterations.is_exact)
        )

    def vectors(self, private: int, *, in_one_iteration: bool) -> list[Vector]:
        """Return distances and directions of all pairs in which the source is made first.

        Args:
            private: In how many outer loops each iteration has memory of its own.
            in_one_iteration: Whether the source is made first in one iteration of all loops.
        """
        count = self._loops
        found: list[Vector] = []
        cases = self._start
        if cases is None:
            return [Vector((None,) * count, (_union(_EACH),) * count, is_exact=False)]
        for level in range(count):
            if not cases.systems:
                return found
            if level >= private:
                carried = self._restrict(cases, level, Direction.LESS)
                head = [*[Direction.EQUAL] * level, Direction.LESS]
                found += self._expand(carried, head)
            cases = self._restrict(cases, level, Direction.EQUAL)
        if cases.systems and in_one_iteration:
            distance, direction = (0,) * count, (Direction.EQUAL,) * count
            found.append(Vector(distance, direction, cases.is_exact))
        return found

    def carrying(self, private: int, max_distance: int | None = None) -> Iterator[int]:
        """Yield, outermost first, which loops carry a pair: it differs by that and no outer loop.

        Args:
            private: In how many outer loops each iteration has memory of its own.
            max_distance: By how much at most the pair may differ in that loop.
        """
        cases = self._start
        if cases is None:
            yield from range(private, self._loops)
            return
        for level in range(self._loops):
            if not cases.systems:
                return
            if (
                level >= private
                and self._restrict(cases, level, Direction.LESS, max_distance).systems
            ):
                yield level
            cases = self._restrict(cases, level, Direction.EQUAL)

    def surely_carry(self, level: int, max_distance: int | None = None) -> bool:
        """Return whether a loop carries a pair for certain, whatever holds it back being exact.

        Args:
            level: The number of the loop.
            max_distance: By how much at most the pair may differ in that loop.
        """
        cases = self._start
        if cases is None:
            return False
        for outer in range(level):
            cases = self._restrict(cases, outer, Direction.EQUAL)
        found = self._restrict(cases, level, Direction.LESS, max_distance)
        return bool(found.systems) and found.is_exact

    def _restrict(
        self, cases: _Cases, loop: int, direction: Direction, max_distance: int | None = None
    ) -> _Cases:
        """Return the pairs whose iterations of one loop are in that order, and so near."""
        exact = cases.is_exact
        restricted: list[_Case] = []
        for system, differences in cases.systems:
            difference = differences[loop]
            rows = _ROWS[direction](difference)
            if max_distance is not None:
                rows.append(difference.times(-1).shifted(max_distance))
            if not difference.terms:
                if all(row.constant >= 0 for row in rows):
                    restricted.append((system, differences))
                continue
            found = self._patience.is_feasible(_connected(system, difference).having((), rows))
            exact = exact and found is not None
            if found is False:
                continue
            if direction is not Direction.EQUAL:
                restricted.append((system.having((), rows), differences))
                continue
            solved = solve_equations(system.having([difference]), differences)
            if solved is not None:
                restricted.append(solved)
        return _Cases(tuple(restricted), exact)

    def _expand(self, cases: _Cases, head: list[Direction]) -> list[Vector]:
        """Return the vectors that begin with ``head``.

        Directions of loops that depend on each other are told one by one, else together.
        """
        found: list[Vector] = []
        pending = [(cases, head)]
        splits = 0
        while pending:
            cases, head = pending.pop()
            if not cases.systems:
                continue
            start, count = len(head), self._loops
            below = [
                [(each, self._restrict(cases, loop, each)) for each in _EACH]
                for loop in range(start, count)
            ]
            sets = [[item for item in each if item[1].systems] for each in below]
            several = [start + i for i, each in enumerate(sets) if len(each) > 1]
            exact = cases.is_exact and all(item[1].is_exact for each in sets for item in each)
            separate = len(several) < 2 or _are_independent(cases, several)
            if separate or splits >= _MOST_SPLITS:
                directions = [_union([item[0] for item in each]) for each in sets]
                whole = cases._replace(is_exact=exact and separate)
                found.append(self._vector(whole, (*head, *directions)))
                continue
            splits += 1
            for loop in range(start, several[0]):
                [(direction, cases)] = sets[loop - start]
                head = [*head, direction]
            for direction, inner in reversed(sets[several[0] - start]):
                both = (
                    inner if several[0] == start else self._restrict(cases, several[0], direction)
                )
                pending.append((both, [*head, direction]))
        return found

    def _vector(self, cases: _Cases, direction: tuple[Direction, ...]) -> Vector:
        distance = [self._distance(cases, loop, each) for loop, each in enumerate(direction)]
        return Vector(tuple(distance), direction, cases.is_exact)

    def _distance(self, cases: _Cases, loop: int, direction: Direction) -> int | None:
        """Return the difference of iterations of one loop, if it is the same in all pairs."""
        if direction is Direction.EQUAL:
            return 0
        known = {diff[loop].constant for _, diff in cases.systems if not diff[loop].terms}
        if len(known) > 1 or direction not in (Direction.LESS, Direction.GREATER):
            return None
        if all(not differences[loop].terms for _, differences in cases.systems):
            return known.pop()
        if not cases.is_exact:
            return None
        sign = 1 if direction is Direction.LESS else -1
        low, high = self._ranges[loop]
        least = self._least(cases, loop, sign, high if sign > 0 else -low)
        if least is None or self._reaches(cases, loop, sign, least + 1):
            return None
        return sign * least

    def _least(self, cases: _Cases, loop: int, sign: int, high: int) -> int | None:
        """Return the least absolute difference; ``None`` where it is not worth the while."""
        low, step = 1, 1
        while low < high:  # a value below low + step is looked for in steps that double
            if self._reaches_at_most(cases, loop, sign, low + step - 1):
                high = min(high, low + step - 1)
                break
            low += step
            step *= 2
            if low > _GREATEST_DISTANCE:
                return None
        while low < high:
            middle = (low + high) // 2
            if self._reaches_at_most(cases, loop, sign, middle):
                high = middle
            else:
                low = middle + 1
        return low

    def _reaches(self, cases: _Cases, loop: int, sign: int, least: int) -> bool:
        """Return whether differences of a sign may be so great."""
        return any(
            self._may_hold(system, differences[loop], sign, Affine(-least, {}))
            for system, differences in cases.systems
        )

    def _reaches_at_most(self, cases: _Cases, loop: int, sign: int, most: int) -> bool:
        """Return whether differences of a sign may be so small."""
        return any(
            self._may_hold(system, differences[loop], -sign, Affine(most, {}))
            for system, differences in cases.systems
        )

    def _may_hold(self, system: System, difference: Row, factor: int, rest: Row) -> bool:
        row = rest.plus(difference, factor)
        return (
            self._patience.is_feasible(_connected(system, difference).having((), [row]))
            is not False
        )

    def _feasible(self, cases: _Cases) -> _Cases:
        """Return the cases that have a solution, or may have one."""
        exact = cases.is_exact
        kept = []
        for case in cases.systems:
            found = self._patience.is_feasible(case[0])
            if found is None:
                exact = False
            if found is not False:
                kept.append(case)
        return _Cases(tuple(kept), exact)


def is_too_deep(access: Access) -> bool:
    """Return whether more is around an access than is looked at."""
    around = access.place.around
    return around is not None and around.depth >= _DEEPEST


def _are_independent(cases: _Cases, loops: Sequence[int]) -> bool:
    """Return whether no inequality connects the differences of ``loops``."""
    if len(cases.systems) != 1:
        return False
    [(system, differences)] = cases.systems
    number: dict[int, int] = {}
    parent: list[int] = []

    def group(var: int) -> int:
        if var not in number:
            number[var] = len(parent)
            parent.append(len(parent))
        return find_root(parent, number[var])

    for row in system.inequalities:
        first, *rest = row.terms or (0,)
        for var in rest:
            parent[group(var)] = group(first)
    seen: set[int] = set()
    for loop in loops:
        own = {group(var) for var in differences[loop].terms}
        if not seen.isdisjoint(own):
            return False
        seen |= own
    return True


def _connected(system: System, difference: Row) -> System:
    """Return the inequalities that a difference depends on; the others have solutions anyway."""
    kept: list[Row] = []
    known = set(difference.terms)
    left = list(system.inequalities)
    while True:
        near = [row for row in left if not known.isdisjoint(row.terms)]
        if not near:
            return System((), kept)
        left = [row for row in left if known.isdisjoint(row.terms)]
        kept += near
        known.update(*[row.terms for row in near])


def _union(directions: Sequence[Direction]) -> Direction:
    found = Direction(0)
    for each in directions:
        found |= each
    return found


_ROWS: Final[dict[Direction, Callable[[Row], list[Row]]]] = {
    Direction.LESS: lambda difference: [difference.shifted(-1)],
    Direction.EQUAL: lambda difference: [difference, difference.times(-1)],
    Direction.GREATER: lambda difference: [difference.times(-1).shifted(-1)],
}
"""What is at least 0 where the difference of iterations says that."""
_EACH: Final = (Direction.LESS, Direction.EQUAL, Direction.GREATER)
_MOST_SPLITS: Final = 64
"""How many vectors are told apart before directions of different loops are told together."""
_DEEPEST: Final = 48
"""How many loops and branches may be around an access, for its iterations to be told apart."""
_GREATEST_DISTANCE: Final = 1 << 40
