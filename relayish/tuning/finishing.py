"""Scheduled functions as they are compiled: without blocks, with no more memory than needed."""

from __future__ import annotations

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.passes.loops.schedule.contract_arrays import contract_arrays
from relayish.passes.loops.schedule.partition_loops import partition_loops
from relayish.passes.loops.simplify.simplify import simplify
from relayish.passes.loops.simplify.simplify_for_loops import simplify_for_loops
from relayish.passes.loops.structure.remove_schedule_block import remove_schedule_block
from relayish.tir.analysis.regions.filled import stores_before_it_reads
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import Alloc, Block
from relayish.tir.ir.tensor import Buffer
from relayish.tir.substitution import substitute


def finished(func: LoweredFunc) -> LoweredFunc:
    """Return a function that was scheduled, as it is compiled."""
    plain = simplify(simplify_for_loops(remove_schedule_block(func)))
    cut = simplify(simplify_for_loops(partition_loops(_without_allocations(plain))))
    return simplify(contract_arrays(cut))


def _without_allocations(func: LoweredFunc) -> LoweredFunc:
    """Return a function whose temporaries of a known size have one memory for all iterations.

    Each iteration stores what it reads of them, so that it sees nothing of others.
    """
    images: dict[Node, Node] = {}
    for block in PROGRAM.pre_order(func.body):
        if not isinstance(block, Block):
            continue
        kept = [each for at, each in enumerate(block.stmts) if not _is_needless(block, at)]
        if len(kept) < len(block.stmts):
            images[block] = block.with_fields(stmts=tuple(kept))
    return func.with_fields(body=substitute(func.body, images)) if images else func


def _is_needless(block: Block, at: int) -> bool:
    alloc = block.stmts[at]
    if not isinstance(alloc, Alloc) or alloc.condition is not None or alloc.body is not None:
        return False
    buffer = alloc.destination
    sizes = [constant(size) for size in alloc.extents]
    if not isinstance(buffer, Buffer) or None in sizes:
        return False
    if sizes and sizes != [constant(size) for size in buffer.shape]:
        return False
    return stores_before_it_reads(Block(block.stmts[at + 1 :]), buffer)
