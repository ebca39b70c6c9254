"""Definite assignment of memory: buffers whose elements are all stored before one is read.

Of these a function need not note which elements hold something. A statement *fills* a part of a
buffer, told for each dimension: all of it, or where a variable of a loop around is. A store fills
one element; a loop over a dimension fills all of it; a branch fills what both of its arms fill; a
call fills what the function fills that is called. After a statement that fills a part, others of
its block may use that part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from relayish.codegen.c.context import DEEPEST_NEST
from relayish.codegen.c.loops.reached import nodes_reached
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.regions.elements import body_of_element
from relayish.tir.interpreter.access import constant
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Store, Tensor, Var

Part: TypeAlias = "tuple[Var | None, ...]"
"""For each dimension the variable that tells where, ``None``: all of it."""

_Images: TypeAlias = dict[Var, Expr]

Fills: TypeAlias = Callable[[Call, Buffer], bool]
"""Whether a call stores each element of a buffer before it reads one."""


def stored_first(func: LoweredFunc, fills: Fills) -> frozenset[Buffer]:
    """Return the temporaries of a function of which each element is stored before it is read.

    What is not returned may be so as well.

    Args:
        func: The function.
        fills: What is known of the functions that it calls.

    Complexity:
        Linear in the size of the function and the depth of its loops, for each temporary.
    """
    return frozenset(
        [each for each in _plain(func, func.temp_bufs) if _is_full(func.body, each, fills)]
    )


def filled_arguments(func: LoweredFunc, buffers: Iterable[Buffer], fills: Fills) -> set[Buffer]:
    """Return those of some arguments that a function fills before it reads of them.

    Args:
        func: The function.
        buffers: Some of its arguments.
        fills: What is known of the functions that it calls.

    Complexity:
        That of :func:`stored_first`, for these.
    """
    parts = {
        each: _filled(func.body, each, {}, DEEPEST_NEST, fills) for each in _plain(func, buffers)
    }
    return {buffer for buffer, part in parts.items() if part is not None and not any(part)}


def _plain(func: LoweredFunc, buffers: Iterable[Buffer]) -> list[Buffer]:
    """Return those of some buffers that have memory while the function runs, without gaps."""
    moved = {
        each.destination
        for each in PROGRAM.pre_order(func.body)
        if isinstance(each, (stmts.Alloc, stmts.Free))
    }
    return [
        each
        for each in buffers
        if each not in moved and not each.strides and each.elem_offset is None
    ]


def _is_full(root: Node, buffer: Buffer, fills: Fills) -> bool:
    """Return whether each element is stored before it is read where nothing else uses a buffer."""
    pending = [root]
    while pending:
        stmt = pending.pop()
        users = [each for each in PROGRAM.children(stmt) if _uses(each, buffer)]
        is_alone = len(users) == 1 or isinstance(stmt, stmts.IfThenElse)
        if (
            isinstance(stmt, _LOCAL)
            and is_alone
            and all(isinstance(e, (Stmt, Call)) for e in users)
        ):
            pending += users
            continue
        part = _filled(stmt, buffer, {}, DEEPEST_NEST, fills)
        if part is None or any(part):
            return False
    return True


_LOCAL: Final = (stmts.Block, stmts.IfThenElse, stmts.For, stmts.PolyFor)
"""Kinds of statements of which each part may be looked at by itself, if it alone uses memory."""


def _filled(stmt: Node, buffer: Buffer, images: _Images, room: int, fills: Fills) -> Part | None:
    """Return the part of a buffer that a statement fills before it reads of it; ``None``: none."""
    if room == 0:
        return None
    match stmt:
        case stmts.Block():
            users = [each for each in stmt.stmts if _uses(each, buffer)]
            part = _filled(users[0], buffer, images, room - 1, fills) if users else None
            if part is None or not all(
                _is_within(each, buffer, part, images) for each in users[1:]
            ):
                return None
            return part
        case stmts.ScheduleBlockRealize():
            block = stmt.schedule_block
            if any(_uses(value, buffer) for value in stmt.iter_values):
                return None
            images.update(zip(block.iter_vars, stmt.iter_values, strict=True))
            return _filled(block.body, buffer, images, room - 1, fills)
        case stmts.ScheduleBlock():
            return _filled(stmt.body, buffer, images, room - 1, fills)
        case stmts.For():
            if _uses(stmt.min, buffer) or _uses(stmt.extent, buffer):
                return None
            part = _filled(stmt.body, buffer, images, room - 1, fills)
            return None if part is None else _over(stmt, part, buffer)
        case stmts.IfThenElse():
            if _uses(stmt.condition, buffer) or stmt.false_case is None:
                return None
            part = _filled(stmt.true_case, buffer, images, room - 1, fills)
            other = _filled(stmt.false_case, buffer, images, room - 1, fills)
            return part if part == other else None
        case Store():
            return _place(stmt, buffer, images)
        case Call():
            return (None,) * len(buffer.shape) if fills(stmt, buffer) else None
    return None


def _over(loop: stmts.For, part: Part, buffer: Buffer) -> Part | None:
    """Return the part that a loop fills whose body fills ``part``."""
    var = loop.loop_var
    if var not in part:  # it has to run once, and fills the same each time
        return part if (constant(loop.extent) or 0) > 0 else None
    covers = constant(loop.min) == 0 and all(
        _are_same(loop.extent, size)
        for size, at in zip(buffer.shape, part, strict=True)
        if at is var
    )
    if not covers or part.count(var) > 1:
        return None
    return tuple([None if at is var else at for at in part])


def _place(store: Store, buffer: Buffer, images: Mapping[Var, Expr]) -> Part | None:
    """Return the element that a store fills."""
    if not _is_whole_view(store.tensor, buffer) or _uses(store.value, buffer):
        return None
    found: list[Var | None] = []
    for index, size in zip(store.indices, buffer.shape, strict=True):
        at = _resolved(index, images)
        if constant(size) == 1 and constant(at) == 0:
            found.append(None)
        elif isinstance(at, Var):
            found.append(at)
        else:
            return None
    return tuple(found)


def _is_within(stmt: Node, buffer: Buffer, part: Part, images: _Images) -> bool:
    """Return whether a statement uses nothing of a buffer but a part."""
    if not any(part):
        return True  # all of it may be used by anybody
    inner = dict(images)
    for each in PROGRAM.pre_order(stmt):
        if isinstance(each, stmts.ScheduleBlockRealize):
            inner.update(zip(each.schedule_block.iter_vars, each.iter_values, strict=True))
    for each in PROGRAM.pre_order(stmt):
        body = body_of_element(each)
        if body is not None and _uses(body, buffer):
            return False
        held = [child for child in PROGRAM.children(each) if _is_view(child, buffer)]
        if not held or isinstance(each, _DECLARING):
            continue
        if not isinstance(each, (Load, Store)) or not _is_whole_view(each.tensor, buffer):
            return False
        for index, at in zip(each.indices, part, strict=True):
            if at is not None and _resolved(index, inner) is not at:
                return False
    return True


_DECLARING: Final = (BufferRange, stmts.ScheduleBlock, Tensor)


def _uses(root: Node, buffer: Buffer) -> bool:
    return any(each is buffer for each in nodes_reached(root))


def _is_view(node: Node, buffer: Buffer) -> bool:
    return node is buffer or (isinstance(node, Tensor) and node.buffer is buffer)


def _is_whole_view(node: Node, buffer: Buffer) -> bool:
    """Return whether a tensor looks at a buffer in its own shape."""
    return (
        isinstance(node, Tensor)
        and node.buffer is buffer
        and len(node.shape) == len(buffer.shape)
        and all(map(_are_same, node.shape, buffer.shape))
    )


def _resolved(index: Expr, images: Mapping[Var, Expr]) -> Expr:
    """Return what a variable of a schedule block stands for."""
    for _ in range(DEEPEST_NEST):
        if not isinstance(index, Var) or index not in images:
            break
        index = images[index]
    return index


def _are_same(a: Expr, b: Expr) -> bool:
    return a is b or (constant(a) is not None and constant(a) == constant(b))
