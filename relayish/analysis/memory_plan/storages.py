"""Storage assignment: buffers whose lives do not overlap share storage, best fit first.

Buffers are taken in the order in which they come to be. One that an operator may write over an
operand, which nobody needs any more, takes that operand's storage; another takes the smallest free
one that is large enough and not far too large; where there is none, the largest that is free grows.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from typing import Final

from relayish.analysis.memory_plan.buffers import Buffer, Origin, Value
from relayish.analysis.memory_plan.live_ranges import LiveRanges
from relayish.ir.relay.expr import Call
from relayish.op.declaration import properties
from relayish.op.declaration.properties import OpPattern

WASTE: Final = 16
"""How many times as large as a buffer a free storage may be that it takes."""

_ELEMENT_BY_ELEMENT: Final = (OpPattern.ELEMWISE, OpPattern.BROADCAST)


class Room:
    """A storage while it is being filled."""

    __slots__ = ("buffers", "number", "origin", "size")

    def __init__(self, number: int, origin: Origin, size: int) -> None:
        self.number = number
        self.origin = origin
        self.size = size
        self.buffers: list[Buffer] = []


def assign_storages(ranges: LiveRanges) -> list[Room]:
    """Return storages for all buffers of known size.

    Constants and parameters have storages of their own, which nothing else lives in but variables
    that the program itself lets share the memory of a parameter. Nothing comes after a result; it
    takes no storage but that of an operand it is written over, of the same size.

    Complexity:
        n log n in buffers and operands, with a search in as many distinct sizes as are free.
    """
    _replace_operands(ranges)
    rooms: list[Room] = []
    room_of: dict[Buffer, Room] = {}
    free = _FreeRooms()
    dying: list[list[Buffer]] = [[] for _ in range(len(ranges.steps) + 1)]
    swept = 0
    for buffer in ranges.buffers:
        size = buffer.size
        if size is None:
            continue
        while swept < buffer.born:
            for dead in dying[swept]:
                if room_of[dead].buffers[-1] is dead:  # nothing has taken its place
                    free.add(room_of[dead])
            swept += 1
        room: Room | None = None
        if buffer.replaces is not None:
            room = room_of[buffer.replaces]
            if buffer.origin is Origin.RESULT and room.size > size:
                room = buffer.replaces = None  # the rest would be lost to all that comes later
            elif buffer.origin is Origin.RESULT:
                room.origin = Origin.RESULT
        elif buffer.origin is Origin.LOCAL:
            room = free.take(size)
        if room is None:
            room = Room(len(rooms), buffer.origin, size)
            rooms.append(room)
        room.size = max(room.size, size)
        room.buffers.append(buffer)
        room_of[buffer] = room
        if buffer.origin is Origin.LOCAL and room.origin is Origin.LOCAL:
            dying[buffer.last].append(buffer)
    return rooms


class _FreeRooms:
    """The storages that nothing lives in, by size."""

    def __init__(self) -> None:
        self._by_size: dict[int, list[Room]] = {}
        self._sizes: list[int] = []  # those there are, in order

    def add(self, room: Room) -> None:
        found = self._by_size.setdefault(room.size, [])
        if not found:
            insort(self._sizes, room.size)
        found.append(room)

    def take(self, size: int) -> Room | None:
        """Remove and return the storage that fits ``size`` best; ``None`` where none does."""
        sizes = self._sizes
        at = bisect_left(sizes, size)
        if at == len(sizes):
            at -= 1  # the largest, which is to grow
        if at < 0 or sizes[at] > WASTE * size:
            return None
        found = self._by_size[sizes[at]]
        room = found.pop()
        if not found:
            del sizes[at]
        return room


def _replace_operands(ranges: LiveRanges) -> None:
    """Note which buffers take the storage of another, as the program or an operator permits."""
    taken: set[Buffer] = set()
    for buffer, place in ranges.sharing:
        is_own = place.origin is Origin.LOCAL
        if is_own or (place.origin is Origin.PARAMETER and ranges.owns_parameters):
            _replace(buffer, place, taken)
    for buffer in ranges.buffers:
        if buffer.born < 0 or buffer.replaces or type(buffer.expr) is not Call:
            continue
        args = [ranges.value_of[arg] for arg in buffer.expr.args]
        for place in _find_operands_written_over(buffer, buffer.expr, args):
            if place.origin is Origin.LOCAL:
                _replace(buffer, place, taken)


def _replace(buffer: Buffer, place: Buffer, taken: set[Buffer]) -> None:
    """Let ``buffer`` take over the storage of ``place`` if that fits, and is not needed later."""
    if buffer.replaces is not None or place in taken:
        return
    if place.last <= buffer.born and place.size is not None and place.size == buffer.size:
        place.last = max(place.last, buffer.born)  # until then nothing else takes it
        buffer.replaces = place
        taken.add(place)


def _find_operands_written_over(
    buffer: Buffer, call: Call, args: Sequence[Value]
) -> Iterable[Buffer]:
    """Return the operands over which the operator that makes ``buffer`` may write it."""
    pairs = properties.in_place.get(call.op)
    if pairs is not None:
        places = [args[arg] for arg, result in pairs if result == buffer.field and arg < len(args)]
        found = [place for place in places if sum(arg is place for arg in args) == 1]
    elif properties.pattern.get(call.op) in _ELEMENT_BY_ELEMENT:
        found = list(args)
    else:
        found = []
    if buffer.field == 0:
        found += [args[arg] for arg in properties.overwritable.get(call.op, ()) if arg < len(args)]
    if not all(isinstance(arg, Buffer) for arg in args):
        return []  # part of another operand may be what is written over
    return [
        place
        for place in found
        if isinstance(place, Buffer)
        and place.type.shape == buffer.type.shape
        and place.type.dtype == buffer.type.dtype
    ]
