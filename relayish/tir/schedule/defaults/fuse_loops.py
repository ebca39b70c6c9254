"""The schedule ``fuse_loops``: neighbouring loops that run equally often become one."""

from __future__ import annotations

from collections.abc import Collection

from relayish.ir.nodes.node import Node
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.stmt import Block, For
from relayish.tir.ir.tensor import Load, Store
from relayish.tir.plain_loops import accessed_buffers, is_fixed
from relayish.tir.schedule.defaults.constant_memory import constant_memory
from relayish.tir.schedule.rules import register_schedule
from relayish.tir.schedule.schedule import Schedule


@register_schedule("fuse_loops", targets=("c",))
def fuse_loops(schedule: Schedule) -> None:
    """Run loops together of which one reads what the other stores.

    Of neighbours that run equally often, one becomes part of the other, and so do, within, the
    loops that become neighbours, if each iteration only needs what this and former iterations
    made. So an element is used while it is near. What is computed of constants alone stays apart.

    Args:
        schedule: Of any function.

    Source:
        Kennedy and McKinley, "Maximizing loop parallelism and improving data locality via loop
        fusion and distribution"; CINN ``Fuse`` of neighbours, Halide ``compute_with``.
    """
    known = constant_memory(schedule.func)
    handles = {each.ref: each for each in schedule.get_loops()}
    state = schedule.state
    pending = [state.body]
    while pending:
        ref = pending.pop()
        at = 1
        while isinstance(ref.stmt, Block) and at < len(ref.stmt.stmts):
            first, second = ref.stmt.stmts[at - 1], ref.stmt.stmts[at]
            before = schedule.func
            if _is_wanted(first, second, known):
                with schedule.attempt():
                    schedule.compute_with(handles[state.ref(first)], handles[state.ref(second)])
            # what became one may need what stands before
            at = at + 1 if schedule.func is before else max(at - 1, 1)
        pending += state.held(ref)[::-1]


def _is_wanted(first: Stmt, second: Stmt, known: Collection[Node]) -> bool:
    """Return whether one loop reads what another stores, and may be part of it."""
    if not isinstance(first, For) or not isinstance(second, For):
        return False
    if not is_fixed(first) or not is_fixed(second):
        return False
    if constant(first.extent) != constant(second.extent):
        return False
    if accessed_buffers(first, Load).issubset(known):
        return False  # it can be computed beforehand
    return not accessed_buffers(first, Store).isdisjoint(accessed_buffers(second, Load))
