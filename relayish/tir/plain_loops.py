"""Plain loops: what passes and schedules ask of statements before they look at dependences."""

from __future__ import annotations

from typing import Final

from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.facts.effects import effect_of
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Block, For, IfThenElse, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.substitution import substitute


def statements(stmt: Stmt) -> tuple[Stmt, ...]:
    """Return what a statement runs, blocks in blocks taken apart."""
    if not isinstance(stmt, Block):
        return (stmt,)
    pending, found = [*reversed(stmt.stmts)], []
    while pending:
        each = pending.pop()
        if isinstance(each, Block):
            pending += reversed(each.stmts)
        else:
            found.append(each)
    return tuple(found)


def without_blocks(root: Stmt) -> Stmt:
    """Return a statement with what blocks run in their place, as to read, not to run."""
    images: dict[Node, Node] = {}
    for each in STATEMENTS.pre_order(root):
        if isinstance(each, ScheduleBlockRealize):
            block = each.schedule_block
            images[each] = block.body
            images.update(zip(block.iter_vars, each.iter_values, strict=True))
    return substitute(root, images)


def accessed_buffers(root: Stmt, kind: type[Load | Store]) -> set[Buffer]:
    """Return the buffers that a statement loads from, or stores to, element by element."""
    accesses = [each for each in PROGRAM.pre_order(root) if isinstance(each, kind)]
    tensors = [each.tensor for each in accesses if isinstance(each.tensor, Tensor)]
    return {each.buffer for each in tensors if isinstance(each.buffer, Buffer)}


def only_stores(*stmts: Stmt) -> bool:
    """Return whether statements are stores, loops and branches alone; calls only compute values."""
    return all(
        isinstance(each, _PLAIN) or (isinstance(each, Call) and not effect_of(each) & ~Effect.READS)
        for each in PROGRAM.pre_order(list(stmts))
        if isinstance(each, Stmt)
    )


_PLAIN: Final = (For, Store, Block, IfThenElse)


def is_fixed(loop: For) -> bool:
    """Return whether a loop runs from 0 on, a number of times that is known."""
    is_plain = loop.for_type == ForType.SERIAL and constant(loop.min) == 0
    return is_plain and (constant(loop.extent) or 0) > 0


def place_of(access: Load | Store) -> tuple[object, ...] | None:
    """Return what tells an element from others of its memory, of the plainest kind only."""
    if not is_whole(access.tensor):
        return None
    indices = [each if isinstance(each, Var) else constant(each) for each in access.indices]
    return None if None in indices else (access.tensor.buffer, *indices)


def is_whole(tensor: Expr) -> bool:
    """Return whether indices of a tensor are those of its memory, of sizes that are known."""
    if not isinstance(tensor, Tensor) or not isinstance(tensor.buffer, Buffer):
        return False
    if tensor.buffer.strides or tensor.buffer.elem_offset is not None:
        return False
    sizes = [constant(size) for size in (*tensor.shape, *tensor.buffer.shape)]
    return None not in sizes and sizes[: len(tensor.shape)] == sizes[len(tensor.shape) :]
