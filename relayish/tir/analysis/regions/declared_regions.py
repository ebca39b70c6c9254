"""Declared regions: the parts of buffers that schedule blocks say they access.

They stand in order of the tree: in that in which what is in the block first accesses the buffers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

from relayish.tir.analysis.regions.regions import accesses, buffer_of
from relayish.tir.functor import StmtMutator
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import BufferRange, Load, Store
from relayish.tir.ir.traversal import STATEMENTS


def sort_regions(func: LoweredFunc) -> LoweredFunc:
    """Return ``func`` with the parts that its schedule blocks declare in order of the tree.

    That is the order in which what is in a block first accesses the buffers; parts of others stay
    behind these. For what changes the order of accesses, and with it none of the parts.

    Returns:
        ``func`` itself where all parts are in order, or none are declared.

    Complexity:
        Linear in the number of distinct nodes, for declarations that do not nest; no recursion.
    """
    images: dict[ScheduleBlock, ScheduleBlock] = {}
    for block in STATEMENTS.post_order(func):
        if isinstance(block, ScheduleBlock) and (block.read_buffers or block.write_buffers):
            reads = _in_order(block.read_buffers, buffers_met(block, READS, images))
            writes = _in_order(block.write_buffers, buffers_met(block, WRITES, images))
            images[block] = block.with_fields(read_buffers=reads, write_buffers=writes)
    if all(image is block for block, image in images.items()):
        return func
    return func.with_fields(body=_Sorter(images).visit(func.body))


class _Sorter(StmtMutator):
    """Puts the parts in order, in blocks that may have changed inside."""

    def __init__(self, images: Mapping[ScheduleBlock, ScheduleBlock]) -> None:
        self._sorted = images

    def visit_schedule_block(self, block: ScheduleBlock) -> ScheduleBlock:
        image = super().visit_schedule_block(block)
        assert isinstance(image, ScheduleBlock)
        parts = self._sorted.get(block, block)
        return image.with_fields(read_buffers=parts.read_buffers, write_buffers=parts.write_buffers)


class Sort(NamedTuple):
    """A sort of accesses: what a schedule block declares of it, and which kind of node does it."""

    field: str
    kind: type[Load | Store]
    verb: str

    def declared(self, block: ScheduleBlock) -> tuple[BufferRange, ...]:
        """Return the parts of buffers that ``block`` declares of this sort."""
        parts: tuple[BufferRange, ...] = getattr(block, self.field)
        return parts


READS: Final = Sort("read_buffers", Load, "reads")
WRITES: Final = Sort("write_buffers", Store, "writes")


def accesses_of(block: ScheduleBlock, sort: Sort) -> Iterator[Load | Store | ScheduleBlockRealize]:
    """Yield the accesses of a sort in ``block``, in depth-first order, each distinct one once.

    A schedule block inside that declares parts of the sort stands for what is in it.
    """

    def enter(realize: ScheduleBlockRealize) -> bool:
        return not sort.declared(realize.schedule_block)

    for found in accesses(block.body, enter):
        if isinstance(found, ScheduleBlockRealize | sort.kind):
            yield found


def buffers_met(
    block: ScheduleBlock,
    sort: Sort,
    images: Mapping[ScheduleBlock, ScheduleBlock] = MappingProxyType({}),
) -> tuple[Expr, ...]:
    """Return the buffers that ``block`` accesses, in the order in which it first does.

    Args:
        block: A schedule block.
        sort: Which accesses count.
        images: What stands for schedule blocks inside.
    """
    met: dict[Expr, None] = {}
    for found in accesses_of(block, sort):
        if isinstance(found, ScheduleBlockRealize):
            inner = found.schedule_block
            met.update((part.buffer, None) for part in sort.declared(images.get(inner, inner)))
        else:
            met[buffer_of(found)] = None
    return tuple(met)


def _in_order(parts: tuple[BufferRange, ...], buffers: Sequence[Expr]) -> tuple[BufferRange, ...]:
    place = {buffer: at for at, buffer in enumerate(buffers)}
    return tuple(sorted(parts, key=lambda part: place.get(part.buffer, len(place))))
