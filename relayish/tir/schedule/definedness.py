"""Definedness: whether each element of memory is stored to before some place."""

from __future__ import annotations

import math
from collections.abc import Iterator

from relayish.tir.analysis.dependence.dependence import DependenceKind
from relayish.tir.analysis.dependence.dependences import dependences
from relayish.tir.analysis.regions.filled import fills_whole
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import integer_of
from relayish.tir.ir.stmt import Alloc, Block, For, Free, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Store, Tensor
from relayish.tir.schedule.state import Ref, held
from relayish.tir.schedule.views import has_shape


def is_stored_before(place: Ref, buffer: Buffer) -> bool:
    """Return whether statements before a place have stored each element of a buffer.

    What is not found so may be so as well.
    """
    inner = place
    for ref in place.ancestors():
        if isinstance(ref.stmt, Block):
            before = ref.stmt.stmts[: ref.stmt.stmts.index(inner.stmt)]
            for stmt in reversed(before):
                if isinstance(stmt, (Alloc, Free)) and stmt.destination is buffer:
                    return False
                if stores_all(stmt, buffer, place.state.context(ref)):
                    return True
        inner = ref
    return False


def is_used_before(place: Ref | None, buffer: Buffer) -> bool:
    """Return whether a statement before a place, in none of the loops around it, uses a buffer."""
    inner = place
    for ref in () if place is None else place.ancestors():
        assert inner is not None
        if isinstance(ref.stmt, Block):
            before = ref.stmt.stmts[: ref.stmt.stmts.index(inner.stmt)]
            if any(buffer in nodes_reached(stmt) for stmt in before):
                return True
        inner = ref
    return False


def stores_all(root: Stmt, buffer: Buffer, context: Context) -> bool:
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
    stores = {store for store, runs in _runs(root) if runs == count and _is_of(store, buffer)}
    if not stores:
        return False
    for each in dependences(root, context):
        if each.kind is DependenceKind.OUTPUT and each.source.node is each.sink.node:
            stores.discard(each.source.node)
    return bool(stores)


def _is_of(store: Store, buffer: Buffer) -> bool:
    tensor = store.tensor
    is_view = isinstance(tensor, Tensor) and tensor.buffer is buffer
    return is_view and has_shape(store, buffer.shape)


def _runs(root: Stmt) -> Iterator[tuple[Store, int]]:
    """Yield stores, each with how often it is run, where loops tell by numbers."""
    pending: list[tuple[Stmt, int]] = [(root, 1)]
    while pending:
        stmt, runs = pending.pop()
        if isinstance(stmt, Store):
            yield stmt, runs
        elif isinstance(stmt, For):
            extent = integer_of(stmt.extent)
            if extent is not None and extent > 0:
                pending.append((stmt.body, runs * extent))
        elif isinstance(stmt, (Block, ScheduleBlockRealize)):
            pending += [(each, runs) for each in held(stmt)]
