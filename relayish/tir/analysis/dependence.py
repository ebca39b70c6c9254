"""Data dependences: which accesses touch one element, in which order, how many iterations apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import NamedTuple

from relayish.ir.node import Node
from relayish.ir.scoping import PROGRAM, collect_variables
from relayish.tir.analysis.accesses import (
    Access,
    Accesses,
    Around,
    Location,
    arounds,
    collect_accesses,
    common_around,
)
from relayish.tir.analysis.context import Context
from relayish.tir.analysis.iteration_pairs import Direction, IterationPairs, is_too_deep
from relayish.tir.analysis.same_element import Summary, never_meet, summarize
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import For, PolyFor
from relayish.tir.ir.tensor import Var


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
        Quadratic in the number of accesses of each buffer, times what it takes to decide one pair,
        which grows with the number of loops around both.
    """
    found = collect_accesses(root)
    context = _outside(root, found, context)
    return tuple(
        [each for a, b in _pairs(found.all, context) for each in _between(a, b, found, context)]
    )


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
    for source, sink, _ in _carried(loop, context, levels=1, max_distance=max_distance):
        yield source, sink


def parallel_loops(
    root: Stmt | LoweredFunc, context: Context | None = None
) -> frozenset[For | PolyFor]:
    """Return the loops of ``root`` that carry no dependence, as :func:`is_parallel` says of one.

    A loop that stands in several places is among them if it carries none in any.

    Complexity:
        As :func:`dependences`; it does not find distances.
    """
    carrying = {loop for _, _, loop in _carried(root, context)}
    nodes = PROGRAM.pre_order(root)
    return frozenset([n for n in nodes if isinstance(n, (For, PolyFor)) and n not in carrying])


def disturbed_reads(root: Stmt | LoweredFunc, context: Context | None = None) -> frozenset[Node]:
    """Return what reads an element, or a scalar, that ``root`` may write, before or after it.

    Subscripts are compared by their limits and common divisors only, not solved for iterations.

    Complexity:
        Quadratic in the number of accesses of each buffer.
    """
    found = collect_accesses(root)
    pairs = _pairs(found.all, _outside(root, found, context))
    return frozenset([each.node for pair in pairs for each in pair if each.reads])


def _carried(
    root: Stmt | LoweredFunc,
    context: Context | None,
    *,
    levels: int | None = None,
    max_distance: int | None = None,
) -> Iterator[tuple[Access, Access, For | PolyFor]]:
    """Yield source, sink and the loop that carries a dependence, of the outermost ``levels``."""
    found = collect_accesses(root)
    context = _outside(root, found, context)
    for a, b in _pairs_in_loops(found, context):
        loops, private = _common_loops(a, b)[:levels], _private_loops(a, b, found)
        if len(loops) <= private:
            continue
        for source, sink in _orders(a, b):
            pairs = IterationPairs(source, sink, loops, context)
            for level in pairs.carrying(private, max_distance):
                loop = loops[level].loop
                assert loop is not None
                yield source, sink, loop


def _outside(root: Stmt | LoweredFunc, found: Accesses, context: Context | None) -> Context:
    """Return what is known of variables that ``root`` neither binds nor assigns."""
    if context is None:
        return Context(found.assigned)
    if not found.assigned <= context.assigned:
        return Context(context.assigned | found.assigned)
    bound = collect_variables(root, PROGRAM)[1]
    return context.without([var for var in bound if isinstance(var, Var)])


def _pairs_in_loops(found: Accesses, context: Context) -> Iterator[tuple[Access, Access]]:
    """Yield those pairs of accesses, as of :func:`_pairs`, that have a loop around both."""
    outermost: dict[Around | None, Around | None] = {None: None}
    inside: dict[Around, list[Access]] = {}
    for access in found.all:
        passed: list[Around] = []
        around = access.place.around
        while around not in outermost:
            assert around is not None
            passed.append(around)
            around = around.place.around
        for each in reversed(passed):
            outer = outermost[each.place.around]
            outermost[each] = each if outer is None and each.loop is not None else outer
        loop = outermost[access.place.around]
        if loop is not None:
            inside.setdefault(loop, []).append(access)
    for accesses in inside.values():
        yield from _pairs(accesses, context)


def _pairs(found: Sequence[Access], context: Context) -> Iterator[tuple[Access, Access]]:
    """Yield accesses of which one may write what the other accesses, in order of the program."""
    at: dict[Location | None, list[Access]] = {}
    for access in found:
        at.setdefault(access.location, []).append(access)
    anything = at.pop(None, [])
    for same in at.values():
        if not any(access.writes for access in same):
            continue
        summaries = [_summary(access, context) for access in same]
        for i, a in enumerate(same):
            for b, other in zip(same[i:], summaries[i:], strict=True):
                if (a.writes or b.writes) and not _never_meet(a, b, summaries[i], other, context):
                    yield a, b
    for i, a in enumerate(anything):
        yield from ((a, b) for b in anything[i:])
        for b in found:
            if b.location is not None:
                yield (a, b) if a.position < b.position else (b, a)


def _summary(access: Access, context: Context) -> list[Summary] | None:
    if access.indices is None or is_too_deep(access):
        return None
    return summarize(access, context)


def _never_meet(
    a: Access, b: Access, one: list[Summary] | None, other: list[Summary] | None, context: Context
) -> bool:
    if one is None or other is None:
        return False
    return never_meet(a, b, one, other, context)


def _orders(a: Access, b: Access) -> list[tuple[Access, Access]]:
    return [(a, b)] if a is b else [(a, b), (b, a)]


def _between(a: Access, b: Access, found: Accesses, context: Context) -> Iterator[Dependence]:
    """Yield the dependences between two accesses, of which ``a`` is the first in each iteration."""
    around = _common_loops(a, b)
    loops = tuple([each.loop for each in around if each.loop is not None])
    private = _private_loops(a, b, found)
    for source, sink in _orders(a, b):
        kinds = [
            kind
            for kind, found_ in (
                (DependenceKind.FLOW, source.writes and sink.reads),
                (DependenceKind.ANTI, source.reads and sink.writes),
                (DependenceKind.OUTPUT, source.writes and sink.writes),
            )
            if found_
        ]
        first = source is a and a is not b and not _exclude_each_other(a, b)
        pairs = IterationPairs(source, sink, around, context)
        for vector in pairs.vectors(private, in_one_iteration=first):
            for kind in kinds:
                yield Dependence(source, sink, kind, loops, *vector)


def _common_loops(a: Access, b: Access) -> list[Around]:
    common = common_around(a.place, b.place)
    found = [] if common is None else [*arounds(common.place), common]
    return [each for each in found if each.loop is not None]


def _private_loops(a: Access, b: Access, found: Accesses) -> int:
    """Return in how many loops around both accesses each iteration has memory of its own."""
    if a.location is None or b.location is None:
        return 0
    declared = found.declared.get(a.location, ())
    if len(declared) != 1:
        return 0
    [place] = declared
    if place.around is None:
        return 0
    inside = all(common_around(each.place, place) is place.around for each in (a, b))
    return place.around.loop_depth if inside else 0


def _exclude_each_other(a: Access, b: Access) -> bool:
    """Return whether the accesses are in different arms of one branch."""
    common = common_around(a.place, b.place)
    arms = []
    for access in (a, b):
        below = [each for each in arounds(access.place) if each.place.around is common]
        arms.append(below[0] if below else None)
    first, second = arms
    if first is None or second is None or first.execution is None:
        return False
    return first.execution is second.execution and first.holds != second.holds
