"""Regions: which parts of which buffers a schedule block reads and writes.

The bounds are expressions of what is bound around the body, above all of the block's own variables.
Where one cannot be told, the region is the whole dimension; it never is too small.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.facts.loop_ranges import LoopRanges
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.linear_form import LinearForm, expr_of_form
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.ir.operators import Add, Broadcast, Expr, IntImm, Ramp, const
from relayish.tir.ir.stmt import ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Store, Tensor, Var
from relayish.tir.ir.type import Type


class Regions(NamedTuple):
    """What a schedule block does with memory.

    Attributes:
        reads: The parts of buffers that it reads, in the order in which they are met in its body.
        writes: Those that it writes.
    """

    reads: tuple[BufferRange, ...]
    writes: tuple[BufferRange, ...]


def access_regions(block: ScheduleBlock) -> Regions:
    """Return the parts of buffers that ``block`` reads and writes, of each buffer one.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Example:
        >>> from relayish import tir
        >>> v, k = tir.Var("v"), tir.Var("k")
        >>> A, B = tir.placeholder("A", (8, 4)), tir.placeholder("B", (8,))
        >>> body = tir.For(k, 0, 4, tir.Block((tir.Store(B, B[v] + A[v, k], (v,)),)))
        >>> found = access_regions(tir.ScheduleBlock((v,), (), (), "B", body))
        >>> [(part.buffer.name, len(part.ranges)) for part in found.reads]
        [('_B', 1), ('_A', 2)]
        >>> str(found.reads[1].ranges[1].upper_bound.value)
        '4'
    """
    ranges = LoopRanges(PROGRAM.post_order(block.body))
    reads, writes = _Union(ranges), _Union(ranges)
    for access in accesses(block.body):
        (writes if isinstance(access, Store) else reads).add(access)
    return Regions(reads.as_ranges(), writes.as_ranges())


def accesses(
    root: Node, enter: Callable[[ScheduleBlockRealize], bool] | None = None
) -> Iterator[Load | Store | ScheduleBlockRealize]:
    """Yield the accesses to buffers below ``root``, in depth-first order, each distinct one once.

    Args:
        root: A statement.
        enter: Asked of schedule blocks inside; one of which it says no is yielded itself, and what
            is in it left out.
    """

    def follow(node: Node) -> bool:
        return not isinstance(node, ScheduleBlockRealize) or enter is None or enter(node)

    for node in PROGRAM.pre_order(root, follow):
        if isinstance(node, Load | Store):
            if isinstance(node.tensor, Tensor) and isinstance(node.tensor.buffer, Buffer):
                yield node
        elif isinstance(node, ScheduleBlockRealize) and not follow(node):
            yield node


def buffer_of(access: Load | Store) -> Buffer:
    """Return the buffer that :func:`accesses` found an access to."""
    tensor = access.tensor
    assert isinstance(tensor, Tensor)
    assert isinstance(tensor.buffer, Buffer)
    return tensor.buffer


def sees_whole_buffer(tensor: Tensor) -> bool:
    """Return whether indices of ``tensor`` are those of its buffer: both are of one shape."""
    buffer = tensor.buffer
    if not isinstance(buffer, Buffer) or len(buffer.shape) != len(tensor.shape):
        return False
    pairs = zip(tensor.shape, buffer.shape, strict=True)
    return all(
        one is other
        or (isinstance(one, IntImm) and isinstance(other, IntImm) and one.value == other.value)
        for one, other in pairs
    )


def index_ends(index: Expr) -> tuple[Expr, ...] | None:
    """Return scalars, elements of an index, between which all others lie; ``None``: not known."""
    if isinstance(index, Broadcast):
        return (index.value,)
    if isinstance(index, Ramp):
        if not isinstance(index.stride, IntImm) or index.stride.type != index.base.type:
            return None
        distance = (index.lanes - 1) * index.stride.value
        if not type_range(index.base.type).holds(distance):
            return None
        return (index.base, Add(index.base, IntImm(distance, index.base.type)))
    return (index,) if index.type.lanes == 1 else None


_Extent: TypeAlias = tuple[LinearForm, LinearForm, Type]
"""The least and the greatest index, both included, and their type."""


def accessed_part(found: Sequence[Load | Store], root: Node) -> tuple[Var, ...]:
    """Return a variable for each dimension, whose bounds are those of what accesses touch.

    The bounds are expressions of what is bound outside of ``root``.

    Args:
        found: Accesses in ``root`` through tensors of one shape, one or more.
        root: A statement.
    """
    union = _Union(LoopRanges(PROGRAM.post_order(root)))
    tensor = found[0].tensor
    assert isinstance(tensor, Tensor)
    parts: list[Var] = []
    for at, size in enumerate(tensor.shape):
        extent, *others = [union.extent(each.indices[at]) for each in found]
        for other in others:
            extent = _hull(extent, other)
        parts.append(_as_range(f"d{at}", extent, size))
    return tuple(parts)


class _Union:
    """The union of regions, by buffer."""

    def __init__(self, ranges: LoopRanges) -> None:
        self._ranges = ranges
        self._found: dict[Buffer, list[_Extent | None]] = {}

    def add(self, access: Load | Store | ScheduleBlockRealize) -> None:
        """Add the element that an access reads or writes, for all iterations inside."""
        assert not isinstance(access, ScheduleBlockRealize)
        buffer, tensor = buffer_of(access), access.tensor
        assert isinstance(tensor, Tensor)
        extents: list[_Extent | None] = [None] * len(buffer.shape)
        if sees_whole_buffer(tensor) and len(access.indices) == len(extents):
            extents = [self.extent(index) for index in access.indices]
        known = self._found.setdefault(buffer, extents)
        if known is not extents:
            self._found[buffer] = [_hull(*pair) for pair in zip(known, extents, strict=True)]

    def as_ranges(self) -> tuple[BufferRange, ...]:
        """Return what was found, in the order in which buffers were met."""
        found = []
        for buffer, extents in self._found.items():
            pairs = enumerate(zip(extents, buffer.shape, strict=True))
            ranges = [_as_range(f"d{at}", extent, size) for at, (extent, size) in pairs]
            found.append(BufferRange(buffer, tuple(ranges)))
        return tuple(found)

    def extent(self, index: Expr) -> _Extent | None:
        """Return what an index lies between, for all iterations inside; ``None``: not known."""
        ends = index_ends(index)
        if ends is None or not index.type.is_integer:
            return None
        found: _Extent | None = None
        for place, end in enumerate(ends):
            extent = self._relax(end)
            found = extent if place == 0 else _hull(found, extent)
        return found

    def _relax(self, index: Expr) -> _Extent | None:
        """Return what an index lies between, without the variables that are bound inside."""
        ranges = self._ranges
        form = ranges.form_modulo(index)
        low = high = Affine[Expr](form.constant, {})
        for term, factor in form.terms.items():
            if isinstance(term, Var) and term not in ranges.bound:
                alone = Affine[Expr](0, {term: factor})
                low, high = low.plus(alone), high.plus(alone)
                continue
            known = ranges.interval(term)
            ends = [factor * end for end in known]
            low = low._replace(constant=low.constant + min(ends))
            high = high._replace(constant=high.constant + max(ends))
        return low, high, index.type


def _hull(one: _Extent | None, other: _Extent | None) -> _Extent | None:
    """Return what covers both; ``None`` where that cannot be told."""
    if one is None or other is None:
        return None
    below, above = one[0].plus(other[0], -1), one[1].plus(other[1], -1)
    if not (below.is_constant and above.is_constant):
        return None
    return (
        one[0] if below.constant <= 0 else other[0],
        one[1] if above.constant >= 0 else other[1],
        one[2] if below.constant <= 0 else other[2],
    )


def _as_range(name: str, extent: _Extent | None, size: Expr) -> Var:
    """Return a variable whose bounds are those of a dimension that is accessed.

    Forms are valid but for multiples of ``2 ** bits``. An element that is accessed is within the
    dimension, so the bounds cannot be off by these where both are far from the ends of the type.
    """
    lower, upper = const(0, size.type), size
    if extent is None or not isinstance(size, IntImm) or extent[2] != size.type:
        return Var(name, size.type, lower, upper)
    low, high, _ = extent
    spread = high.constant - low.constant
    if low.terms != high.terms or size.value + spread >= type_range(size.type).high:
        return Var(name, size.type, lower, upper)
    first, end = low.constant, high.constant + 1
    if low.is_constant:
        first, end = max(first, 0), min(end, size.value)
    lower = expr_of_form(low._replace(constant=first), size.type)
    upper = expr_of_form(high._replace(constant=end), size.type)
    return Var(name, size.type, lower, upper)
