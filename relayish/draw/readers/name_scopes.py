"""Boxes for the parts of a model that exporters tell: around nodes, within the block of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from relayish.draw.diagram import Box, BoxKind, Diagram
from relayish.draw.readers.blocks import Blocks
from relayish.draw.readers.exporters import ExporterNotes
from relayish.draw.readers.texts import join_key, node_name
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call


class NameScopes:
    """Makes the boxes of parts of a model, each when the first node in it is.

    A part with one node has no box; one in which there is but another part shares the box of that.

    Args:
        diagram: What they are added to.
        parts: Of each node the parts it lies in, from the outermost in.

    Complexity:
        Linear in the parts that are told.
    """

    def __init__(self, diagram: Diagram, parts: Mapping[Node, Sequence[str]]) -> None:
        self._diagram = diagram
        self._made: dict[tuple[int | None, tuple[str, ...]], int] = {}
        counts: Counter[tuple[str, ...]] = Counter()
        for names in parts.values():
            counts.update(tuple(names[:end]) for end in range(1, len(names) + 1))
        self._parts = {node: _shown(names, counts) for node, names in parts.items()}

    def holder_of(self, node: Node, holder: int | None, path: str) -> int | None:
        """Return the box that a node lies in, given that of its block."""
        found = holder
        for told, title in self._parts.get(node, ()):
            key = (holder, told)
            if key not in self._made:
                box = Box(BoxKind.SCOPE, title, join_key(path, "/".join(told)), found)
                self._made[key] = self._diagram.add(box)
            found = self._made[key]
        return found


def parts_of_nodes(blocks: Blocks, notes: ExporterNotes) -> dict[Node, Sequence[str]]:
    """Return of each node in which parts of a model it lies, as exporters tell it."""
    return {
        node: names
        for members in blocks.members.values()
        for node in members
        if isinstance(node, Call)
        and (names := notes.scopes_of(node_name(node), blocks.name.get(node, "")))
    }


def _shown(
    names: Sequence[str], counts: Counter[tuple[str, ...]]
) -> list[tuple[tuple[str, ...], str]]:
    """Return the parts that have boxes: the names up to there, and what the box is called."""
    found, title = [], ""
    for end in range(1, len(names) + 1):
        told = tuple(names[:end])
        if counts[told] == 1:
            break
        title = f"{title}/{names[end - 1]}" if title else names[end - 1]
        if end < len(names) and counts[tuple(names[: end + 1])] == counts[told]:
            continue
        found.append((told, title))
        title = ""
    return found
