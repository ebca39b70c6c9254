"""Regions that schedule blocks declare: they cover what the blocks access."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from relayish.ir.node import Node
from relayish.ir.one_line import one_line
from relayish.ir.one_line import one_line_at as at
from relayish.ir.scoping import PROGRAM
from relayish.tir.analysis.linear_form import LinearForm
from relayish.tir.analysis.loop_ranges import LoopRanges
from relayish.tir.analysis.regions import accesses, buffer_of, index_ends, sees_whole_buffer
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import IfThenElse, ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Store, Tensor
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.violation import Report, Rule


def check_regions(nodes: ProgramNodes, ranges: LoopRanges, report: Report) -> None:
    """Report accesses of a schedule block that are outside of what it says it reads and writes.

    What a block inside of it declares stands for what that block accesses.

    Complexity:
        Linear in distinct nodes; no recursion.
    """
    declaring = [b for b in nodes.of(ScheduleBlock) if b.read_buffers or b.write_buffers]
    if not declaring:
        return
    branches = nodes.of(IfThenElse)
    arms = [branch.true_case for branch in branches]
    arms += [branch.false_case for branch in branches if branch.false_case is not None]
    guarded = frozenset(PROGRAM.pre_order(arms))
    for block in declaring:
        if block.read_buffers:
            _check_declared(block, _Reads, guarded, ranges, report)
        if block.write_buffers:
            _check_declared(block, _Writes, guarded, ranges, report)


class _Touched(NamedTuple):
    """A part of a buffer that is accessed: the least and the greatest index of each dimension."""

    node: Node
    buffer: Buffer
    ends: tuple[tuple[Expr, Expr], ...] | None
    """``None`` where indices are not those of the buffer. Both are included."""


class _Reads:
    """What a block declares to read, and what is read in it."""

    verb = "reads"
    field = "read_buffers"

    @staticmethod
    def declared(block: ScheduleBlock) -> Sequence[BufferRange]:
        """Return what ``block`` declares of this sort."""
        return block.read_buffers

    @staticmethod
    def is_of_this_sort(access: Load | Store) -> bool:
        """Return whether an access is of this sort."""
        return isinstance(access, Load)


class _Writes(_Reads):
    """What a block declares to write, and what is written in it."""

    verb = "writes"
    field = "write_buffers"

    @staticmethod
    def declared(block: ScheduleBlock) -> Sequence[BufferRange]:
        return block.write_buffers

    @staticmethod
    def is_of_this_sort(access: Load | Store) -> bool:
        return isinstance(access, Store)


def _check_declared(
    block: ScheduleBlock,
    sort: type[_Reads],
    guarded: Collection[Node],
    ranges: LoopRanges,
    report: Report,
) -> None:
    """Report what is accessed and not declared; of what need not happen only the buffer counts."""
    declared: dict[Expr, list[BufferRange]] = {}
    for part in sort.declared(block):
        declared.setdefault(part.buffer, []).append(part)
    lacking: set[Buffer] = set()
    for touched in _touched(block, sort):
        buffer = touched.buffer
        parts = declared.get(buffer)
        if parts is None:
            if buffer not in lacking:
                lacking.add(buffer)
                report(
                    Rule.REGION,
                    block,
                    f"schedule block {block.name!r} {sort.verb} {one_line(buffer)} in "
                    f"{at(touched.node)}, which {sort.field} does not say; add it, or say nothing",
                )
        elif len(parts) == 1 and touched.node not in guarded:
            _check_part(block, sort, touched, parts[0], ranges, report)


def _touched(block: ScheduleBlock, sort: type[_Reads]) -> Iterator[_Touched]:
    """Yield what is accessed in a block, in order of the tree."""

    def enter(realize: ScheduleBlockRealize) -> bool:
        return not sort.declared(realize.schedule_block)

    for found in accesses(block.body, enter):
        if isinstance(found, ScheduleBlockRealize):
            for part in sort.declared(found.schedule_block):
                if isinstance(part.buffer, Buffer):
                    yield _Touched(found, part.buffer, None)
        elif sort.is_of_this_sort(found):
            yield _Touched(found, buffer_of(found), _ends(found))


def _ends(access: Load | Store) -> tuple[tuple[Expr, Expr], ...] | None:
    tensor = access.tensor
    assert isinstance(tensor, Tensor)
    if not sees_whole_buffer(tensor):
        return None
    found = [index_ends(index) for index in access.indices]
    if any(ends is None for ends in found):
        return None
    return tuple([(ends[0], ends[-1]) for ends in found if ends is not None])


def _check_part(
    block: ScheduleBlock,
    sort: type[_Reads],
    touched: _Touched,
    part: BufferRange,
    ranges: LoopRanges,
    report: Report,
) -> None:
    """Report an access that is certain to leave the part of its buffer that is declared."""
    if touched.ends is None or len(touched.ends) != len(part.ranges):
        return  # of some dimensions, or of none, nothing is said
    for dimension, (ends, declared) in enumerate(zip(touched.ends, part.ranges, strict=True)):
        for end in ends:
            below = _difference(end, declared.lower_bound, ranges)
            above = _difference(end, declared.upper_bound, ranges)
            if (below is not None and below[0] < 0) or (above is not None and above[1] >= 0):
                report(
                    Rule.REGION,
                    touched.node,
                    f"schedule block {block.name!r} {sort.verb} {one_line(touched.node)}, whose "
                    f"index "
                    f"{one_line(end)} leaves dimension {dimension} of what {sort.field} says of "
                    f"{one_line(touched.buffer)}: {_spell(declared.lower_bound)} to "
                    f"{_spell(declared.upper_bound)}; make that larger, or say nothing",
                )
                return


def _difference(index: Expr, bound: Expr | None, ranges: LoopRanges) -> tuple[int, int] | None:
    """Return the least and greatest difference that is certain to come up; ``None``: not known."""
    if bound is None or not (index.type.is_integer and bound.type.is_integer):
        return None
    one, other = ranges.form(index), ranges.form(bound)
    if one is None or other is None:
        return None
    difference: LinearForm = one.plus(other, -1)
    return ranges.extremes(difference)


def _spell(bound: Expr | None) -> str:
    return "undefined" if bound is None else one_line(bound)
