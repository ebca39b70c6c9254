"""Queries of dependences: which there are, which loops carry them, which loops are parallel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, collect_variables
from relayish.tir.analysis.dependence.accesses import (
    Access,
    Accesses,
    Around,
    collect_accesses,
    tell_of,
)
from relayish.tir.analysis.dependence.dependence import Dependence
from relayish.tir.analysis.dependence.finder import Finder, Wanted
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import For, PolyFor
from relayish.tir.ir.tensor import Store, Var


def dependences(
    root: Stmt | LoweredFunc, context: Context | None = None, *, wanted: Wanted | None = None
) -> tuple[Dependence, ...]:
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
        wanted: Of which accesses, source and sink, dependences are told at least; ``None``: of all.

    Complexity:
        Linear in the number of pairs that it returns; quadratic in the number of access patterns
        of each buffer whose limits overlap, times what it takes to decide one pair, which grows
        with the number of loops around both.
    """
    found = collect_accesses(root)
    finder = Finder(found, _outside(root, found, context), wanted=wanted)
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
    loop: For | PolyFor,
    context: Context | None = None,
    *,
    max_distance: int | None = None,
    wanted: Wanted | None = None,
) -> Iterator[tuple[Access, Access]]:
    """Yield the accesses, source and sink, between which ``loop`` carries a dependence.

    Args:
        loop: A loop of any kind.
        context: What is known of variables that are bound outside.
        max_distance: Leave out those that are never so few iterations apart. Of a ``For``, whose
            iterations are one apart as its variable is.
        wanted: As of :func:`dependences`.

    Complexity:
        As :func:`dependences`; no pair is decided before it is asked for, and no distance found.
    """
    found = collect_accesses(loop)
    finder = Finder(
        found,
        _outside(loop, found, context),
        levels=1,
        max_distance=max_distance,
        wanted=wanted,
    )
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
    finder = Finder(found, _outside(root, found, context))
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
    finder = Finder(found, _outside(root, found, None))
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
    finder = Finder(found, _outside(root, found, context))
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
