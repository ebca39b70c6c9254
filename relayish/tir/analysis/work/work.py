"""Work of a program, as numbers to read and to compare: totals, loops, accesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from relayish._support.columns import align
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.work.count import Count, sum_of
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.stmt import For, PolyFor
from relayish.tir.ir.tensor import Buffer, Load, Store

NOT_ARITHMETIC: Final = frozenset(("cast", "select"))
"""Operations that are no floating-point arithmetic, though they make floats."""


@dataclass(frozen=True, slots=True)
class Operations:
    """What is computed and moved in all runs of a piece of program, in one run of the function.

    Attributes:
        floats: How many operations on floats, by kind (``add``, ``mul``, ``max``) or name of the
            function that is called (``exp``).
        integers: Those on integers and truth values: of indices, bounds and conditions as well.
        loads: How many elements are read.
        stores: How many are written.
        load_bytes: Their size.
        store_bytes: Their size.
        calls: How often functions are called of whose work nothing is known.
    """

    floats: Mapping[str, Count]
    integers: Mapping[str, Count]
    loads: Count
    stores: Count
    load_bytes: Count
    store_bytes: Count
    calls: Mapping[str, Count]

    @property
    def flops(self) -> Count:
        """Floating-point operations: all but conversions and choices; of a function, one each."""
        held = self.floats.items()
        return sum_of([count for name, count in held if name not in NOT_ARITHMETIC])

    @property
    def integer_operations(self) -> Count:
        """Operations on integers and truth values."""
        return sum_of(self.integers.values())


@dataclass(frozen=True, slots=True)
class Footprint:
    """The distinct elements of a buffer that a piece of program touches.

    Attributes:
        reads: How many it reads.
        writes: How many it writes.
        elements: How many it reads or writes.
        size: Of an element, in bytes.
    """

    buffer: Buffer
    reads: Count
    writes: Count
    elements: Count
    size: int

    @property
    def bytes(self) -> Count:
        """The bytes that are touched."""
        return self.elements * self.size


def bytes_of(footprints: Sequence[Footprint]) -> Count:
    """Return the bytes of all buffers."""
    return sum_of([each.bytes for each in footprints])


@dataclass(frozen=True, slots=True)
class LoopWork:
    """What a loop does, or an axis of a reduction.

    Attributes:
        loop: The loop, or the reduction.
        name: Of its variable.
        kind: ``serial``, ``parallel``, ``vectorize[8]``, ``unroll``, ``thread_bind[threadIdx.x]``,
            ``reduce``, ...
        depth: How many loops are around it.
        extent: How many iterations it has, each time it is run.
        entries: How often it is run.
        iterations: How many iterations there are of it, in one run of the function.
        operations: What all of these do.
        footprints: What it touches each time it is run.
        iteration_footprints: What one iteration touches.
    """

    loop: For | PolyFor | Reduce
    name: str
    kind: str
    depth: int
    extent: Count
    entries: Count
    iterations: Count
    operations: Operations
    footprints: tuple[Footprint, ...]
    iteration_footprints: tuple[Footprint, ...]


@dataclass(frozen=True, slots=True)
class AccessWork:
    """What a load or a store does.

    Attributes:
        access: The load or store.
        buffer: The memory.
        count: How many elements it accesses, in one run of the function.
        lanes: How many at once.
        loop: The innermost loop around it, or reduction; ``None``: there is none.
        strides: By how many elements the place moves from one iteration of a loop to the next, of
            each loop that it hangs on, and of the innermost; ``None``: not told.
        reuse_loop: The innermost loop all iterations of which access the same element.
        reuse_bytes: What is touched in between: the bytes of one iteration of that loop.
    """

    access: Load | Store
    buffer: Buffer
    count: Count
    lanes: int
    loop: Node | None
    strides: Mapping[Node, int | None]
    reuse_loop: Node | None
    reuse_bytes: Count | None

    @property
    def stride(self) -> int | None:
        """That of the innermost loop; ``None``: not told, or there is no loop."""
        return None if self.loop is None else self.strides[self.loop]


@dataclass(frozen=True, slots=True)
class Work:
    """What one run of a function does.

    Printed, it is a table: the loops with what they do, then what the function touches.

    Attributes:
        name: The function.
        operations: What it does in all.
        loops: Its loops, each behind that around it, in order.
        accesses: Its loads and stores, in order.
        footprints: What it touches.
    """

    name: str
    operations: Operations
    loops: tuple[LoopWork, ...]
    accesses: tuple[AccessWork, ...]
    footprints: tuple[Footprint, ...]

    @property
    def flops(self) -> Count:
        """Floating-point operations: see :attr:`Operations.flops`."""
        return self.operations.flops

    @property
    def bytes(self) -> Count:
        """Distinct bytes that are touched: the least that has to be moved."""
        return bytes_of(self.footprints)

    @property
    def accessed_bytes(self) -> Count:
        """Bytes of all loads and stores: the most that may have to be moved."""
        return self.operations.load_bytes + self.operations.store_bytes

    @property
    def intensity(self) -> float:
        """Floating-point operations for each byte that is touched; 0 where none is.

        Raises:
            EvaluationError: If it hangs on sizes that are not known.
        """
        touched = int(self.bytes)
        return int(self.flops) / touched if touched else 0.0

    def loops_of_kind(self, kind: str) -> tuple[LoopWork, ...]:
        """Return the loops of a kind: ``parallel``, ``vectorize``, ``unroll``, ``thread_bind``."""
        return tuple([each for each in self.loops if each.kind.partition("[")[0] == kind])

    def __str__(self) -> str:
        rows = [_HEAD, *[_row_of_loop(each) for each in self.loops]]
        rows.append((self.name, "function", "", "", *_cells(self.operations, self.footprints)))
        lines = align(rows, right=range(2, len(_HEAD)))
        calls = [f"{name} ({count} times)" for name, count in self.operations.calls.items()]
        if calls:
            lines.append(f"not counted: what is done by {', '.join(calls)}")
        return "\n".join(lines)


_HEAD: Final = ("LOOP", "KIND", "EXTENT", "ITERATIONS", "FLOPS", "LOADS", "STORES", "BYTES TOUCHED")


def _row_of_loop(loop: LoopWork) -> tuple[str, ...]:
    counts = [digits(loop.extent), digits(loop.iterations)]
    name = f"{'  ' * loop.depth}{loop.name}"
    return (name, loop.kind, *counts, *_cells(loop.operations, loop.footprints))


def _cells(done: Operations, footprints: Sequence[Footprint]) -> list[str]:
    counts = [done.flops, done.loads, done.stores, bytes_of(footprints)]
    return [digits(each) for each in counts]


def digits(count: Count) -> str:
    """Return a count as tables show it."""
    value = count.number
    return str(count) if value is None else f"{'' if count.is_exact else '<='}{value:,}"
