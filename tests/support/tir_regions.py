"""Schedule blocks that declare the regions they read and write."""

from __future__ import annotations

from relayish import tir
from relayish.ir.nodes.node import Node


class _Declare(tir.StmtMutator):
    """Gives each schedule block the regions that are computed of it."""

    def visit_schedule_block(self, block: tir.ScheduleBlock) -> Node:
        block = super().visit_schedule_block(block)
        regions = tir.access_regions(block)
        return block.with_fields(read_buffers=regions.reads, write_buffers=regions.writes)


def with_regions(func: tir.LoweredFunc) -> tir.LoweredFunc:
    """Return ``func`` with the regions declared that each of its schedule blocks accesses."""
    return func.with_fields(body=_Declare().visit(func.body))
