"""Definedness: whether each element of memory is stored to before some place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from relayish.ir.nodes.node import Node
from relayish.tir.analysis.dependence.accesses import collect_accesses
from relayish.tir.analysis.dependence.dependence import DependenceKind
from relayish.tir.analysis.dependence.dependences import dependences
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.analysis.regions.filled import fills_whole
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import LT, Expr, conjuncts, integer_of
from relayish.tir.ir.stmt import Alloc, Block, For, Free, IfThenElse, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Store, Tensor
from relayish.tir.schedule.holding import held
from relayish.tir.schedule.instances import Span, covers
from relayish.tir.schedule.state import Ref
from relayish.tir.schedule.views import Part, has_shape


def is_stored_before(place: Ref, buffer: Buffer, part: Part) -> bool:
    """Return whether a statement before a place has stored each element of a part of a buffer.

    What is not found so may be so as well.
    """
    context = place.state.context(place)
    inner = place
    for ref in place.ancestors():
        if isinstance(ref.stmt, Block):
            for stmt in _users_before(ref, inner, buffer)[::-1]:
                if isinstance(stmt, (Alloc, Free)) and stmt.destination is buffer:
                    return False
                if stores_all(stmt, buffer) or _stores_part(stmt, buffer, part, context):
                    return True
        inner = ref
    return False


def _stores_part(root: Stmt, buffer: Buffer, part: Part, context: Context) -> bool:
    """Return whether the indices of a store become all those of a part."""
    box = []
    for first, size in zip(part.first, part.shape, strict=True):
        low = linear_form(first, context)
        last = low.plus(linear_form(size, context)).shifted(-1)
        box.append(Span((low,), (last,)))
    return any(
        isinstance(each.node, Store)
        and each.location is buffer
        and has_shape(each.node, buffer.shape)
        and covers(each, each.node.indices, box, context)
        for each in collect_accesses(root).all
    )


def is_used_before(place: Ref | None, buffer: Buffer) -> bool:
    """Return whether a statement before a place, in none of the loops around it, uses a buffer."""
    inner = place
    for ref in () if place is None else place.ancestors():
        assert inner is not None
        if isinstance(ref.stmt, Block) and _users_before(ref, inner, buffer):
            return True
        inner = ref
    return False


def _users_before(outer: Ref, inner: Ref, buffer: Buffer) -> list[Stmt]:
    """Return the statements of a block before one of them that may use a buffer, in order."""
    assert isinstance(outer.stmt, Block)
    stmts = outer.stmt.stmts
    end = stmts.index(inner.stmt)
    found = outer.state.parts_using(outer, buffer)
    return [each for each in found if stmts.index(each) < end]


def stores_all(root: Stmt, buffer: Buffer) -> bool:
    """Return whether a statement stores to each element of a buffer, in whatever order.

    So does a store that is run as often as there are elements, none of which it stores to twice.
    What is not found so may be so as well.
    """
    if fills_whole(root, buffer):
        return True
    sizes = [integer_of(each) for each in buffer.shape]
    count = math.prod([each for each in sizes if each is not None])
    if None in sizes:
        return False
    return any(
        _runs(path) == count and _stores_none_twice(path)
        for whole in _paths(root, buffer)
        for path in _run_once_or_more(whole)
    )


def _paths(root: Stmt, buffer: Buffer) -> Iterator[list[Stmt]]:
    """Yield the statements from ``root`` down to each store to a buffer."""
    pending: list[list[Stmt]] = [[root]]
    while pending:
        path = pending.pop()
        stmt = path[-1]
        if isinstance(stmt, Store):
            tensor = stmt.tensor
            is_view = isinstance(tensor, Tensor) and tensor.buffer is buffer
            if is_view and has_shape(stmt, buffer.shape):
                yield path
        elif isinstance(stmt, (Block, For, ScheduleBlockRealize)):
            pending += [[*path, each] for each in held(stmt)]
        elif isinstance(stmt, IfThenElse):
            pending.append([*path, stmt.true_case])


def _run_once_or_more(path: list[Stmt]) -> Iterator[list[Stmt]]:
    """Yield the path from each of its loops on that is run at least once."""
    for at, stmt in enumerate(path):
        if isinstance(stmt, For):
            yield path[at:]
            if (integer_of(stmt.extent) or 0) < 1:
                return
        elif isinstance(stmt, IfThenElse):
            return
    yield path[-1:]


def _runs(path: list[Stmt]) -> int | None:
    """Return how often the last of a path is run, where loops and conditions tell by numbers."""
    places: dict[Node, npt.NDArray[np.int64]] = {}
    loops = [each for each in path if isinstance(each, For)]
    sizes = [integer_of(each.extent) for each in loops]
    known = [max(each, 0) for each in sizes if each is not None]
    conditions = [
        part for stmt in path if isinstance(stmt, IfThenElse) for part in conjuncts(stmt.condition)
    ]
    if len(known) < len(loops):
        return None
    if not conditions:
        return math.prod(known)
    if math.prod(known) > _MOST_COUNTED:
        return None
    for at, (loop, size) in enumerate(zip(loops, known, strict=True)):
        first = integer_of(loop.min)
        if first is None:
            return None
        shape = [1] * len(loops)
        shape[at] = size
        places[loop.loop_var] = np.arange(first, first + size).reshape(shape)
    holds: npt.NDArray[np.bool_] = np.ones(known, bool)
    for condition in conditions:
        found = _where(condition, places)
        if found is None:
            return None
        holds = holds & found
    return int(holds.sum())


_MOST_COUNTED: Final = 1 << 20
"""Of how many iterations those are counted for which conditions hold."""


def _where(
    condition: Expr, places: Mapping[Node, npt.NDArray[np.int64]]
) -> npt.NDArray[np.bool_] | None:
    """Return where a comparison of sums of variables holds; ``None`` if it is something else."""
    if not isinstance(condition, LT) or not condition.a.type.is_integer:
        return None
    form = linear_form(condition.a).plus(linear_form(condition.b), -1)
    if not all(term in places for term in form.terms):
        return None
    value: Any = form.constant  # a number, or an array of them
    for term, factor in form.terms.items():
        value = value + places[term] * factor
    return np.asarray(value < 0)


def _stores_none_twice(path: list[Stmt]) -> bool:
    """Return whether the store at the end of a path stores to no element twice."""
    store = path[-1]
    return not any(
        each.kind is DependenceKind.OUTPUT and each.source.node is each.sink.node is store
        for each in dependences(path[0])
    )
