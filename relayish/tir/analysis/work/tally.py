"""Tallies: what has been counted so far of a loop, and what it touches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from relayish.tir.analysis.work.count import ZERO, Count
from relayish.tir.analysis.work.footprint import Box, count_of_boxes, merged
from relayish.tir.analysis.work.indices import Counter
from relayish.tir.analysis.work.work import Footprint, Operations
from relayish.tir.ir.tensor import Buffer


class Touch(NamedTuple):
    """An access of which it is not known yet which loop makes it again.

    Attributes:
        number: Which of the accesses it is.
        counters: What its place in memory hangs on; ``None``: each loop around it.
    """

    number: int
    counters: frozenset[Counter] | None


class Tally:
    """What was counted in a loop, or in the function.

    Args:
        shapes: Of the buffers that are touched.

    Attributes:
        touches: Accesses that no loop inside makes again.
    """

    def __init__(self, shapes: Mapping[Buffer, tuple[Count, ...]]) -> None:
        self._shapes: Final = shapes
        self._counts: dict[tuple[str, str], Count] = {}
        self._reads: dict[Buffer, tuple[Box, ...]] = {}
        self._writes: dict[Buffer, tuple[Box, ...]] = {}
        self.touches: list[Touch] = []

    def add(self, what: str, name: str, count: Count) -> None:
        """Count something: a ``float``, ``integer``, ``call``, ``load``, ``store``, ..."""
        known = self._counts.get((what, name))
        self._counts[what, name] = count if known is None else known + count

    def touch(self, buffer: Buffer, box: Box, *, writes: bool) -> None:
        """Note that elements are read, or written."""
        held = self._writes if writes else self._reads
        held[buffer] = merged((*held.get(buffer, ()), box), self._shapes[buffer])

    def widened(self, counter: Counter) -> Tally:
        """Return this, as all iterations of a loop touch memory."""
        made = Tally(self._shapes)
        made._counts = self._counts
        for buffer, box, writes in self._boxes():
            made.touch(buffer, box.widened(counter), writes=writes)
        return made

    def add_all(self, other: Tally) -> None:
        """Add what another has counted."""
        for (what, name), count in other._counts.items():
            self.add(what, name, count)
        for buffer, box, writes in other._boxes():
            self.touch(buffer, box, writes=writes)

    def _boxes(self) -> Iterator[tuple[Buffer, Box, bool]]:
        for writes, held in ((False, self._reads), (True, self._writes)):
            for buffer, boxes in held.items():
                for box in boxes:
                    yield buffer, box, writes

    def operations(self) -> Operations:
        """Return what was counted."""
        return Operations(
            self._named("float"),
            self._named("integer"),
            self._counts.get(("load", ""), ZERO),
            self._counts.get(("store", ""), ZERO),
            self._counts.get(("load bytes", ""), ZERO),
            self._counts.get(("store bytes", ""), ZERO),
            self._named("call"),
        )

    def _named(self, what: str) -> dict[str, Count]:
        return {name: count for (kind, name), count in self._counts.items() if kind == what}

    def footprints(self) -> tuple[Footprint, ...]:
        """Return what is touched, in the order in which it first is."""
        found = []
        for buffer in dict.fromkeys((*self._reads, *self._writes)):
            shape = self._shapes[buffer]
            read, written = self._reads.get(buffer, ()), self._writes.get(buffer, ())
            both = merged((*read, *written), shape)
            reads, writes, elements = [
                count_of_boxes(boxes, shape) for boxes in (read, written, both)
            ]
            found.append(Footprint(buffer, reads, writes, elements, size_of(buffer)))
        return tuple(found)


def size_of(buffer: Buffer) -> int:
    """Return the bytes of an element."""
    return -(-buffer.dtype.bits // 8)
