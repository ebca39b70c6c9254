"""Kernels of one thread, for what no schedule has bound.

Before::

    serial for (i, 0, 4) { A[(i + 1)] = (A[i] + 1) }

After::

    thread_bind[blockIdx.x] for (once, 0, 1)
      serial for (i, 0, 4) { A[(i + 1)] = (A[i] + 1) }
"""

from __future__ import annotations

from relayish.codegen.cuda.nests import axis_of
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.builders.stmt import for_
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.tensor import Store
from relayish.tir.schedule.defaults.bind_loops import is_for_host, stores_memory


def bind_rest(func: LoweredFunc) -> LoweredFunc:
    """Return a function of which a device runs what accesses memory, be it bound or not.

    What has bound loops inside, or calls functions, stays on the host, which launches a kernel in
    each turn.

    Complexity:
        Linear in the size of the function and the depth of its statements.
    """
    return func.with_fields(body=_on_host(func.body))


def _on_host(stmt: Stmt) -> Stmt:
    """Return a statement of the host with what is not bound put into kernels of one thread."""
    inside = [*PROGRAM.pre_order(stmt)]
    if axis_of(stmt) or not any(map(stores_memory, inside)):
        return stmt
    match stmt:
        case stmts.Block() if _has_host(inside) or not _leaves_scalars(stmt):
            return stmt.with_fields(stmts=tuple([_on_host(each) for each in stmt.stmts]))
        case stmts.ScheduleBlockRealize() if not stmt.iter_values or _has_host(inside):
            block = stmt.schedule_block
            return stmt.with_fields(schedule_block=block.with_fields(body=_on_host(block.body)))
        case stmts.For() | stmts.PolyFor() if _has_host(inside):
            return stmt.with_fields(body=_on_host(stmt.body))
        case stmts.IfThenElse() if _has_host(inside):
            other = stmt.false_case
            return stmt.with_fields(
                true_case=_on_host(stmt.true_case),
                false_case=None if other is None else _on_host(other),
            )
    return for_("once", 1, stmt, thread="blockIdx.x")


def _leaves_scalars(block: stmts.Block) -> bool:
    """Return whether a kernel would store to a variable that a block declares for others."""
    declared = {each.symbol for each in block.stmts if isinstance(each, stmts.Let)}
    parts = [[*PROGRAM.pre_order(each)] for each in block.stmts]
    return any(
        isinstance(each, Store) and each.tensor in declared
        for part in parts
        if any(map(stores_memory, part))
        for each in part
    )


def _has_host(nodes: list[Node]) -> bool:
    """Return whether the host has to do some of these: a launch, or the call of a function."""
    return any(axis_of(each) or is_for_host(each) for each in nodes)
