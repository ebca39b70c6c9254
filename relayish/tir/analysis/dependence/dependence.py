"""Data dependences: which accesses touch one element, in which order, how many iterations apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import NamedTuple, TypeAlias

from relayish.ir.node import Node
from relayish.ir.scoping import PROGRAM, collect_variables
from relayish.tir.analysis.dependence.access_patterns import (
    Pattern,
    PatternTable,
    pairs_in_order,
)
from relayish.tir.analysis.dependence.accesses import (
    Access,
    Accesses,
    Around,
    Location,
    arounds,
    collect_accesses,
    common_around,
    tell_of,
)
from relayish.tir.analysis.dependence.iteration_pairs import Direction, IterationPairs
from relayish.tir.analysis.dependence.same_element import depends_on_outside
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import For, PolyFor
from relayish.tir.ir.tensor import Store, Var


class DependenceKind(Enum):
    """What the source and the sink of a dependence do."""

    FLOW = "flow"  # the sink reads what the source wrote
    ANTI = "anti"  # the sink writes what the source read
    OUTPUT = "output"  # both write


class Dependence(NamedTuple):
    """An access, the sink, touches what another, the source, touched before.

    Attributes:
        source: The access that is made first.
        sink: The access that is made later, perhaps in a later iteration.
        kind: What they do.
        loops: The loops around both, outermost first.
        distance: For each loop, by how much its variable is greater at the sink, where that is one
            number; of a ``PolyFor``, how many iterations later the sink is.
        direction: For each loop, whether the iteration of the source is before that of the sink
            (``<``), the same, or after it (``>``): all that may be, whatever the others are.
        is_exact: Whether there are such iterations; else it is not known, and taken to be so. Of
            variables that are bound outside: whether there are for some of their values.
    """

    source: Access
    sink: Access
    kind: DependenceKind
    loops: tuple[For | PolyFor, ...]
    distance: tuple[int | None, ...]
    direction: tuple[Direction, ...]
    is_exact: bool

    @property
    def carrier(self) -> For | PolyFor | None:
        """The outermost loop of which source and sink may be in different iterations."""
        found = zip(self.loops, self.direction, strict=True)
        return next((loop for loop, each in found if each != Direction.EQUAL), None)


def dependences(root: Stmt | LoweredFunc, context: Context | None = None) -> tuple[Dependence, ...]:
    """Return the dependences between the accesses of ``root`` to memory, and to its scalars.

    None is left out. Indices, bounds and conditions that are affine are decided exactly, quotients
    and remainders by constants, minima, maxima and selections of such included; symbols may have
    any value of their types. Loads in indices, products of variables and calls of unknown effect
    are taken for what they may be at worst.

    For a program that makes no error: indices are in range. Accesses of one element by the lanes of
    one vector are in order of the lanes, and are not reported.

    Args:
        root: A statement or a function.
        context: What is known of variables that are bound outside.

    Complexity:
        Linear in the number of pairs that it returns; quadratic in the number of access patterns
        of each buffer, times what it takes to decide one pair, which grows with the number of loops
        around both.
    """
    found = collect_accesses(root)
    finder = _Finder(found, _outside(root, found, context))
    return tuple([each for pair in finder.pairs(found.all) for each in finder.between(*pair)])


def is_parallel(loop: For | PolyFor, context: Context | None = None) -> bool:
    """Return whether the iterations of ``loop`` may run in any order: none depends on another.

    Memory that is allocated, and scalars that are declared, in its body are its iterations' own.
    Of several loops of one program ask :func:`parallel_loops`.

    Args:
        loop: A loop of any kind.
        context: What is known of variables that are bound outside.

    Complexity:
        As :func:`dependences`, until the first that is carried is found.
    """
    return next(loop_carried(loop, context), None) is None


def loop_carried(
    loop: For | PolyFor, context: Context | None = None, *, max_distance: int | None = None
) -> Iterator[tuple[Access, Access]]:
    """Yield the accesses, source and sink, between which ``loop`` carries a dependence.

    Args:
        loop: A loop of any kind.
        context: What is known of variables that are bound outside.
        max_distance: Leave out those that are never so few iterations apart. Of a ``For``, whose
            iterations are one apart as its variable is.

    Complexity:
        As :func:`dependences`; no pair is decided before it is asked for, and no distance found.
    """
    found = collect_accesses(loop)
    finder = _Finder(found, _outside(loop, found, context), levels=1, max_distance=max_distance)
    for part in _in_loops(found):
        yield from finder.carried(part)


def parallel_loops(
    root: Stmt | LoweredFunc, context: Context | None = None
) -> frozenset[For | PolyFor]:
    """Return the loops of ``root`` that carry no dependence, as :func:`is_parallel` says of one.

    A loop that stands in several places is among them if it carries none in any.

    Complexity:
        Quadratic in the number of access patterns of each buffer, times what it takes to decide one
        pair; linear in all else.
    """
    found = collect_accesses(root)
    finder = _Finder(found, _outside(root, found, context))
    carrying = {loop for part in _in_loops(found) for loop in finder.carrying(part)}
    nodes = PROGRAM.pre_order(root)
    return frozenset([n for n in nodes if isinstance(n, (For, PolyFor)) and n not in carrying])


def surely_carried(
    root: Stmt | LoweredFunc, loops: Mapping[For | PolyFor, int | None]
) -> Iterator[tuple[For | PolyFor, Access, Access]]:
    """Yield loops that carry a dependence for certain, with a source and a sink.

    That is where all is affine, and variables from outside decide how often loops run, not which
    elements are accessed. Of accesses that are alike, the last is the source, the first the sink.

    Args:
        root: A program.
        loops: Those that are asked about, and how many iterations apart what counts is at most.

    Complexity:
        As :func:`parallel_loops`, of the accesses in these loops.
    """
    found = collect_accesses(root)
    finder = _Finder(found, _outside(root, found, None))
    inside: dict[Around | None, bool] = {None: False}

    def is_inside(around: Around, outside: bool) -> bool:
        return outside or around.loop in loops

    accesses = [each for each in found.all if tell_of(each.place.around, inside, is_inside)]
    for a, b in finder.pattern_pairs(accesses):
        if finder.may_meet(a, b):
            for source, sink in [(a, b)] if a is b else [(a, b), (b, a)]:
                yield from finder.surely_carried(source, sink, loops)


def is_kept_in_order(source: Access, sink: Access) -> bool:
    """Return whether ``sink`` comes after ``source`` where lanes make one access after the other.

    An access is made for all lanes before the next one; those of a store are stored in order.
    """
    if source is sink:
        return isinstance(source.node, Store)
    return source.position < sink.position


def disturbed_reads(root: Stmt | LoweredFunc, context: Context | None = None) -> frozenset[Node]:
    """Return what reads an element, or a scalar, that ``root`` may write, before or after it.

    Subscripts are compared by their limits and common divisors only, not solved for iterations.

    Complexity:
        Quadratic in the number of access patterns of each buffer.
    """
    found = collect_accesses(root)
    finder = _Finder(found, _outside(root, found, context))
    pairs = finder.pattern_pairs(found.all)
    near = {each for a, b in pairs if finder.may_meet(a, b) for each in (a, b) if each.reads}
    return frozenset([access.node for each in near for access in each.accesses])


def _outside(root: Stmt | LoweredFunc, found: Accesses, context: Context | None) -> Context:
    """Return what is known of variables that ``root`` neither binds nor assigns."""
    if context is None:
        return Context(found.assigned)
    if not found.assigned <= context.assigned:
        return Context(context.assigned | found.assigned)
    bound = collect_variables(root, PROGRAM)[1]
    return context.without([var for var in bound if isinstance(var, Var)])


def _in_loops(found: Accesses) -> Iterable[list[Access]]:
    """Return the accesses within each loop that is within no other, in order."""
    outermost: dict[Around | None, Around | None] = {None: None}

    def of_loop(around: Around, outer: Around | None) -> Around | None:
        return around if outer is None and around.loop is not None else outer

    inside: dict[Around, list[Access]] = {}
    for access in found.all:
        loop = tell_of(access.place.around, outermost, of_loop)
        if loop is not None:
            inside.setdefault(loop, []).append(access)
    return inside.values()


class _Finder:
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
    ) -> None:
        self._table = PatternTable(found, context)
        self._context = context
        self._levels = levels
        self._max_distance = max_distance
        self._meet: dict[tuple[Pattern, Pattern], bool] = {}
        self._carry: dict[tuple[Pattern, Pattern], list[For | PolyFor]] = {}
        self._told: dict[tuple[Pattern, Pattern, bool], list[_Told]] = {}

    def pairs(self, accesses: Sequence[Access]) -> Iterator[_Pair]:
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
        around = _common_loops(source.first, sink.first)
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
        anything, located = _by_location(accesses)
        everywhere = self._table.patterns(anything)
        for same in located:
            patterns = self._table.patterns(same)
            for i, a in enumerate(patterns):
                yield from ((a, b) for b in patterns[i:])
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
    ) -> Iterator[_Pair]:
        anything, located = _by_location(accesses)
        for same in located:
            if any(access.writes for access in same):
                yield from pairs_in_order(self._table.patterns(same), holds)
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

    def _told_of(self, source: Pattern, sink: Pattern, *, in_one_iteration: bool) -> list[_Told]:
        key = (source, sink, in_one_iteration)
        if key not in self._told:
            around = _common_loops(source.first, sink.first)
            loops = tuple([each.loop for each in around if each.loop is not None])
            pairs = IterationPairs(source.first, sink.first, around, self._context)
            private = min(source.private, sink.private)
            vectors = pairs.vectors(private, in_one_iteration=in_one_iteration)
            kinds = _kinds(source, sink)
            self._told[key] = [(kind, loops, *vector) for vector in vectors for kind in kinds]
        return self._told[key]

    def _carriers(self, source: Pattern, sink: Pattern) -> list[For | PolyFor]:
        """Return the loops that carry a dependence of ``sink`` on ``source``, outermost first."""
        key = (source, sink)
        if key not in self._carry:
            around = _common_loops(source.first, sink.first)[: self._levels]
            private = min(source.private, sink.private)
            levels: Iterable[int] = ()
            if len(around) > private:
                pairs = IterationPairs(source.first, sink.first, around, self._context)
                levels = pairs.carrying(private, self._max_distance)
            loops = [each.loop for each in around]
            self._carry[key] = [loop for level in levels if (loop := loops[level]) is not None]
        return self._carry[key]


_Pair: TypeAlias = tuple[Access, Pattern, Access, Pattern]
"""Two accesses, the earlier one first, each with its pattern."""

_Told: TypeAlias = tuple[
    DependenceKind,
    tuple[For | PolyFor, ...],
    tuple[int | None, ...],
    tuple[Direction, ...],
    bool,
]
"""The fields of a dependence but source and sink, as they are for all accesses of two patterns."""


def _by_location(accesses: Iterable[Access]) -> tuple[list[Access], Iterable[list[Access]]]:
    """Return the accesses of anything, and those of each location."""
    at: dict[Location | None, list[Access]] = {}
    for access in accesses:
        at.setdefault(access.location, []).append(access)
    anything = at.pop(None, [])
    return anything, at.values()


def _orders(a: Access, one: Pattern, b: Access, other: Pattern) -> list[_Pair]:
    return [(a, one, b, other)] if a is b else [(a, one, b, other), (b, other, a, one)]


def _kinds(source: Pattern, sink: Pattern) -> list[DependenceKind]:
    found = (
        (DependenceKind.FLOW, source.writes and sink.reads),
        (DependenceKind.ANTI, source.reads and sink.writes),
        (DependenceKind.OUTPUT, source.writes and sink.writes),
    )
    return [kind for kind, is_such in found if is_such]


def _common_loops(a: Access, b: Access) -> list[Around]:
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
