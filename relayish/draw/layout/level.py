"""Levels: what lies side by side in one box, in layers, and the ways of edges through them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

JUMP: Final = -1
"""Between two items of a route: too far to be drawn."""


@dataclass(frozen=True, slots=True)
class Route:
    """The way of an edge through a level.

    Attributes:
        edge: The number of the edge.
        items: What it goes through, from the top down: boxes, points, :data:`JUMP`; one box twice
            for an edge of a box to itself.
        is_reversed: Whether the edge leads from the last item up to the first.
    """

    edge: int
    items: tuple[int, ...]
    is_reversed: bool = False


@dataclass(slots=True)
class Level:
    """What lies in one box.

    Attributes:
        children: The numbers of the boxes; item ``i`` is ``children[i]``, later items are points.
        count: How many items there are.
        layers: The items, layer by layer from the top, in each from left to right.
        routes: Of the edges that begin, end, or go on here.
    """

    children: list[int]
    count: int = 0
    layers: list[list[int]] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)

    def neighbours(self) -> tuple[list[list[int]], list[list[int]]]:
        """Return of each item those directly above it, and those directly below."""
        above: list[list[int]] = [[] for _ in range(self.count)]
        below: list[list[int]] = [[] for _ in range(self.count)]
        seen: set[tuple[int, int]] = set()
        for route in self.routes:
            for upper, lower in zip(route.items, route.items[1:], strict=False):
                pair = (upper, lower)
                if JUMP in pair or upper == lower or pair in seen:
                    continue
                seen.add(pair)
                above[lower].append(upper)
                below[upper].append(lower)
        return above, below
