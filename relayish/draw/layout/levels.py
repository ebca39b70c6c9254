"""The levels of a diagram: which edges each box holds, and where they enter and leave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from relayish.draw.diagram import BoxKind, Diagram
from relayish.draw.layout.layering import Link, make_layers
from relayish.draw.layout.level import Level
from relayish.draw.layout.ordering import order_layers

GIVEN: Final = frozenset({BoxKind.INPUT, BoxKind.CAPTURE})
"""Boxes that computations begin with; what hangs on none of them is drawn where it is used."""


def order_levels(diagram: Diagram) -> dict[int | None, Level]:
    """Return of each box that holds others how they lie in it, and below ``None`` the outermost.

    An edge across borders has a route in each level that it goes through: from its source outwards
    to the innermost box that holds both ends, and from there inwards to its target. Where it leaves
    or enters a box there is a point at the lower or the upper border.

    Complexity:
        Linear in the boxes, the layers that edges go through and the borders they cross, but for
        sorting.
    """
    levels = {holder: _Content(children) for holder, children in diagram.children().items()}
    depth = _depths(diagram)
    port = {
        number: edge.input / max(len(diagram.boxes[edge.target].inputs), edge.input + 1)
        for number, edge in enumerate(diagram.edges)
        if edge.input
    }
    for number, edge in enumerate(diagram.edges):
        _split(diagram, depth, levels, number, (edge.source, edge.output), edge.target)
    found, boxes = {}, diagram.boxes
    for holder, content in levels.items():
        anchors = [content.local[box] for box in content.children if boxes[box].kind in GIVEN]
        level = make_layers(
            content.children, content.links, content.entries, content.exits, anchors
        )
        order_layers(level, port)
        found[holder] = level
    return found


@dataclass(slots=True)
class _Content:
    """What lies in a box, before it has layers; points are behind the boxes.

    Attributes:
        children: The boxes.
        links: Of edges, from item to item.
        local: The item that each box is.
        entries: The point at which a result enters, by box and number of the result.
        exits: The point at which it leaves.
    """

    children: list[int]
    links: list[Link] = field(default_factory=list)
    local: dict[int, int] = field(default_factory=dict)
    entries: dict[tuple[int, int], int] = field(default_factory=dict)
    exits: dict[tuple[int, int], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.local = {box: item for item, box in enumerate(self.children)}

    def entry(self, result: tuple[int, int]) -> int:
        return self._point(self.entries, result)

    def exit(self, result: tuple[int, int]) -> int:
        return self._point(self.exits, result)

    def _point(self, points: dict[tuple[int, int], int], result: tuple[int, int]) -> int:
        if result not in points:
            points[result] = len(self.children) + len(self.entries) + len(self.exits)
        return points[result]


def _depths(diagram: Diagram) -> list[int]:
    depth: list[int] = []
    for box in diagram.boxes:
        depth.append(0 if box.parent is None else depth[box.parent] + 1)
    return depth


def _split(
    diagram: Diagram,
    depth: list[int],
    levels: Mapping[int | None, _Content],
    edge: int,
    result: tuple[int, int],
    target: int,
) -> None:
    """Give each level that an edge goes through its part of it."""
    boxes = diagram.boxes
    source = result[0]
    below, above = source, target  # the boxes of both ends in the level they have in common
    outwards, inwards = [], []
    while depth[below] > depth[above]:
        outwards.append(below)
        below = _holder(diagram, below)
    while depth[above] > depth[below]:
        inwards.append(above)
        above = _holder(diagram, above)
    if below == above and source != target:  # one end lies in the other
        for box in inwards:
            content = levels[boxes[box].parent]
            content.links.append(Link(edge, content.entry(result), content.local[box]))
        for box in outwards:
            content = levels[boxes[box].parent]
            content.links.append(Link(edge, content.local[box], content.exit(result)))
        return
    while boxes[below].parent != boxes[above].parent:
        outwards.append(below)
        inwards.append(above)
        below, above = _holder(diagram, below), _holder(diagram, above)
    for box in outwards:
        content = levels[boxes[box].parent]
        content.links.append(Link(edge, content.local[box], content.exit(result)))
    common = levels[boxes[below].parent]
    common.links.append(Link(edge, common.local[below], common.local[above]))
    for box in inwards:
        content = levels[boxes[box].parent]
        content.links.append(Link(edge, content.entry(result), content.local[box]))


def _holder(diagram: Diagram, box: int) -> int:
    parent = diagram.boxes[box].parent
    assert parent is not None, "the outermost boxes have the same depth"
    return parent
