"""Regions that schedule blocks declare: they cover what the blocks access, in order of the tree."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from relayish.ir.kinds.one_line import one_line
from relayish.ir.kinds.one_line import one_line_at as at
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.ir.verification.rules import Report
from relayish.tir.analysis.facts.loop_ranges import LoopRanges
from relayish.tir.analysis.regions.declared_regions import READS, WRITES, Sort, accesses_of
from relayish.tir.analysis.regions.regions import buffer_of, index_ends, sees_whole_buffer
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import IfThenElse, ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Store, Tensor
from relayish.tir.verifier.nodes import ProgramNodes
from relayish.tir.verifier.violation import Rule


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
            _check_declared(block, READS, guarded, ranges, report)
        if block.write_buffers:
            _check_declared(block, WRITES, guarded, ranges, report)


class _Touched(NamedTuple):
    """A part of a buffer that is accessed: the least and the greatest index of each dimension."""

    node: Node
    buffer: Buffer
    ends: tuple[tuple[Expr, Expr], ...] | None
    """``None`` where indices are not those of the buffer. Both are included."""


def _check_declared(
    block: ScheduleBlock,
    sort: Sort,
    guarded: Collection[Node],
    ranges: LoopRanges,
    report: Report,
) -> None:
    """Report what is accessed and not declared; of what need not happen only the buffer counts."""
    declared: dict[Expr, list[BufferRange]] = {}
    for part in sort.declared(block):
        declared.setdefault(part.buffer, []).append(part)
    first: dict[Buffer, None] = {}
    lacking: set[Buffer] = set()
    for touched in _touched(block, sort):
        buffer = touched.buffer
        first.setdefault(buffer)
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
    _check_order(block, sort, [b for b in first if b in declared], report)


def _touched(block: ScheduleBlock, sort: Sort) -> Iterator[_Touched]:
    """Yield what is accessed in a block, in order of the tree."""
    for found in accesses_of(block, sort):
        if isinstance(found, ScheduleBlockRealize):
            for part in sort.declared(found.schedule_block):
                if isinstance(part.buffer, Buffer):
                    yield _Touched(found, part.buffer, None)
        else:
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
    sort: Sort,
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
    difference = one.plus(other, -1)
    return ranges.extremes(difference)


def _check_order(block: ScheduleBlock, sort: Sort, met: Sequence[Buffer], report: Report) -> None:
    """Report parts that are declared in another order than that in which they are met."""
    place = {buffer: number for number, buffer in enumerate(met)}
    said = [part.buffer for part in sort.declared(block) if part.buffer in place]
    said = list(dict.fromkeys(said))
    if said == list(met):
        return
    names = ", ".join([one_line(buffer) for buffer in met])
    report(
        Rule.REGION,
        block,
        f"{sort.field} of schedule block {block.name!r} names "
        f"{', '.join([one_line(buffer) for buffer in said])}, which the block {sort.verb} in the "
        f"order {names}; name them in this order",
    )


def _spell(bound: Expr | None) -> str:
    return "undefined" if bound is None else one_line(bound)
