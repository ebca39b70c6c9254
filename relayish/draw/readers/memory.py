"""Edges by way of memory: from what writes a place to what reads it next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from relayish.dataflow.graph.mod_ref import READING, UNALIASED, WRITING, mod_ref_of
from relayish.draw.diagram import Edge, EdgeKind
from relayish.draw.readers.last_writers import LastWriters, Place
from relayish.ir.nodes.node import Node


class _Elsewhere(NamedTuple):
    """Memory that nothing names: what addresses point to, and what calls do."""

    name: str = "memory"


ELSEWHERE: Final = _Elsewhere()


def connect_memory(
    node: Node, box: int, writers: LastWriters, connect: Callable[[Edge], None]
) -> None:
    """Connect the box of a node with what wrote the memory that it reads; note what it writes."""
    told = mod_ref_of(node)
    reads: list[Place] = [*told.reads]
    reads += [ELSEWHERE] if told.effect & READING else []
    for place in reads:
        for writer in writers.read(place, box):
            connect(edge_of_place(place, writer, box))
    for place in (*told.overwrites, *told.clears):
        writers.write(place, (box,))
    changes: list[Place] = [*told.changes]
    changes += [ELSEWHERE] if told.effect & WRITING else []
    for place in changes:
        for writer in writers.of(place):
            connect(edge_of_place(place, writer, box))
        writers.write(place, (box,), keeps=True)


def edge_of_place(place: Place, writer: int, reader: int) -> Edge:
    """Return the edge from what writes a place to what reads it."""
    is_value = isinstance(place, Node) and UNALIASED[type(place)]
    return Edge(writer, reader, kind=EdgeKind.VALUE if is_value else EdgeKind.MEMORY)
