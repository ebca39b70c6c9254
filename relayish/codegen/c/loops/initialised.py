"""Definite assignment of memory: temporaries whose elements are all stored before one is read.

Of these a function need not note which elements hold something. It is told by their first use, in
order of the program: a nest of loops over the whole shape that stores each element, and reads none
but the one that it just stored.
"""

from __future__ import annotations

from relayish.codegen.c.context import DEEPEST_NEST
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.interpreter.access import constant
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Store, Tensor, Var


def stored_first(func: LoweredFunc) -> frozenset[Buffer]:
    """Return the temporaries of a function of which each element is stored before it is read.

    What is not returned may be so as well.

    Complexity:
        Linear in the size of the function, for each temporary.
    """
    return frozenset([buffer for buffer in func.temp_bufs if _is_stored_first(func.body, buffer)])


def _is_stored_first(body: Node, buffer: Buffer) -> bool:
    if any(
        isinstance(each, (stmts.Alloc, stmts.Free)) and each.destination is buffer
        for each in PROGRAM.pre_order(body)
    ):
        return False
    stmt: Node | None = body
    while isinstance(stmt, (stmts.Block, stmts.ScheduleBlockRealize, stmts.ScheduleBlock)):
        if isinstance(stmt, stmts.Block):
            stmt = next((each for each in stmt.stmts if _mentions(each, buffer)), None)
        elif isinstance(stmt, stmts.ScheduleBlockRealize):
            if stmt.iter_values:
                return _fills(stmt, buffer)
            stmt = stmt.schedule_block.body
        else:
            stmt = stmt.body
    return stmt is not None and _fills(stmt, buffer)


def _mentions(stmt: Node, buffer: Buffer) -> bool:
    return any(each is buffer for each in PROGRAM.pre_order(stmt))


def _fills(nest: Node, buffer: Buffer) -> bool:
    """Return whether a nest of loops stores each element of a buffer before reading it."""
    extents: dict[Var, int | Expr] = {}
    images: dict[Var, Expr] = {}
    stmt: Node = nest
    for _ in range(DEEPEST_NEST):
        if isinstance(stmt, stmts.For):
            if constant(stmt.min) != 0:
                return False
            known = constant(stmt.extent)
            extents[stmt.loop_var] = stmt.extent if known is None else known
            stmt = stmt.body
        elif isinstance(stmt, stmts.ScheduleBlockRealize):
            block = stmt.schedule_block
            images.update(zip(block.iter_vars, stmt.iter_values, strict=True))
            stmt = block.body
        elif isinstance(stmt, stmts.Block) and stmt.stmts:
            first, *rest = [each for each in stmt.stmts if _mentions(each, buffer)] or [stmt]
            if rest:
                store = _store_of(first, images)
                return (
                    store is not None
                    and _stores_all(store, buffer, extents, images)
                    and all(_uses_only(each, store, buffer, images) for each in rest)
                )
            if first is stmt:
                return False
            stmt = first
        else:
            return isinstance(stmt, Store) and _stores_all(stmt, buffer, extents, images)
    return False


def _store_of(stmt: Node, images: dict[Var, Expr]) -> Store | None:
    """Return the store that a statement consists of, in schedule blocks or not."""
    for _ in range(DEEPEST_NEST):
        if isinstance(stmt, stmts.ScheduleBlockRealize):
            images.update(zip(stmt.schedule_block.iter_vars, stmt.iter_values, strict=True))
            stmt = stmt.schedule_block.body
        elif isinstance(stmt, stmts.Block) and len(stmt.stmts) == 1:
            stmt = stmt.stmts[0]
        else:
            break
    return stmt if isinstance(stmt, Store) else None


def _stores_all(
    store: Store, buffer: Buffer, extents: dict[Var, int | Expr], images: dict[Var, Expr]
) -> bool:
    """Return whether loops of these extents around a store reach each element, one time each."""
    tensor = store.tensor
    if not isinstance(tensor, Tensor) or tensor.buffer is not buffer:
        return False
    if buffer.strides or buffer.elem_offset is not None:
        return False
    if _mentions(store.value, buffer) or len(tensor.shape) != len(buffer.shape):
        return False
    left = dict(extents)
    for index, size, whole in zip(store.indices, tensor.shape, buffer.shape, strict=True):
        known = constant(size)
        if known != constant(whole) or (known is None and size is not whole):
            return False
        var = _resolved(index, images)
        if known == 1 and constant(var) == 0:
            continue
        extent = left.pop(var, None) if isinstance(var, Var) else None
        if extent is None or extent != (size if known is None else known):
            return False
    # a loop that is no index runs what is below it again, which reads what was stored before
    return all(isinstance(extent, int) and extent > 0 for extent in left.values())


def _uses_only(stmt: Node, store: Store, buffer: Buffer, images: dict[Var, Expr]) -> bool:
    """Return whether a statement uses no element of a buffer but the one that was just stored."""
    inner = dict(images)
    for each in PROGRAM.pre_order(stmt):
        if isinstance(each, stmts.ScheduleBlockRealize):
            inner.update(zip(each.schedule_block.iter_vars, each.iter_values, strict=True))
    wanted = [_resolved(index, images) for index in store.indices]
    used = 0
    for each in PROGRAM.pre_order(stmt):
        if isinstance(each, (Load, Store)) and getattr(each.tensor, "buffer", None) is buffer:
            used += 1
            found = [_resolved(index, inner) for index in each.indices]
            if len(found) != len(wanted) or not all(map(_are_same, found, wanted)):
                return False
            if not _has_shape_of(each.tensor, store.tensor):
                return False
    # what uses the buffer otherwise, as a call does that is given it, may use all of it
    return used == _mentions_of(stmt, buffer)


def _mentions_of(stmt: Node, buffer: Buffer) -> int:
    """Return how many accesses have a tensor over a buffer; -1 where something else has it."""
    tensors, holders = set(), 0
    for each in PROGRAM.pre_order(stmt):
        if isinstance(each, Tensor) and each.buffer is buffer:
            tensors.add(each)
    for each in PROGRAM.pre_order(stmt):
        held = [child for child in PROGRAM.children(each) if child in tensors or child is buffer]
        if isinstance(each, (Load, Store)):
            holders += bool(held)
        elif held and each not in tensors and not isinstance(each, _DECLARING):
            return -1
    return holders


_DECLARING = (BufferRange, stmts.ScheduleBlock)


def _has_shape_of(a: Node, b: Node) -> bool:
    return (
        isinstance(a, Tensor)
        and isinstance(b, Tensor)
        and len(a.shape) == len(b.shape)
        and all(map(_are_same, a.shape, b.shape))
    )


def _resolved(index: Expr, images: dict[Var, Expr]) -> Expr:
    """Return what a variable of a schedule block stands for."""
    for _ in range(DEEPEST_NEST):
        if not isinstance(index, Var) or index not in images:
            break
        index = images[index]
    return index


def _are_same(a: Expr, b: Expr) -> bool:
    return a is b or (constant(a) is not None and constant(a) == constant(b))
