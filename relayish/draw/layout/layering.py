"""Layers: each item below all it hangs on, and points where edges go through layers between."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import Final, NamedTuple

from relayish.draw.layout.level import JUMP, Level, Route

SPARE_POINTS: Final = 2_000
POINTS_PER_ITEM: Final = 8
"""How many layers all edges of a level may go through; where it were more, the longest jump."""


class Link(NamedTuple):
    """A part of an edge, from item to item of a level."""

    edge: int
    start: int
    end: int


def make_layers(
    children: Sequence[int],
    links: Sequence[Link],
    entries: Mapping[tuple[int, int], int],
    exits: Mapping[tuple[int, int], int],
    anchors: Sequence[int] = (),
) -> Level:
    """Return a level with its layers; within each the items are in order of number.

    Args:
        children: The boxes of the level.
        links: The edges; there may be cycles, of which those edges are reversed that lead back to
            the box that comes first.
        entries: The points that belong above all else, by what enters there.
        exits: Those that belong below all else.
        anchors: The boxes that computations begin with. What hangs neither on these nor on an entry
            is drawn as near as may be to what uses it.
    """
    count = len(children) + len(entries) + len(exits)
    top, bottom = set(entries.values()), set(exits.values())
    place = _topological(count, links)
    forward = []
    for edge, start, end in links:
        is_reversed = place[start] > place[end] and start != end
        forward.append((edge, end, start, True) if is_reversed else (edge, start, end, False))
    layer = _layers(count, forward, place, top, bottom, [*anchors, *top])
    level = Level(list(children), count, [[] for _ in range(max(layer, default=-1) + 1)])
    for item, number in enumerate(layer):
        level.layers[number].append(item)
    longest = _longest_span(forward, layer)
    shared: dict[int, list[int]] = {}  # of an item, the points below it, layer by layer
    for edge, start, end, is_reversed in forward:
        items = (start, *_between(level, layer, longest, shared, start, end), end)
        level.routes.append(Route(edge, items, is_reversed))
    return level


def _between(
    level: Level,
    layer: Sequence[int],
    longest: int,
    shared: dict[int, list[int]],
    start: int,
    end: int,
) -> Iterator[int]:
    """Yield the points between two items; edges that begin at one item share theirs."""
    span = layer[end] - layer[start] - 1
    if span > longest:
        yield JUMP
        return
    points = shared.setdefault(start, [])
    while len(points) < span:
        level.layers[layer[start] + 1 + len(points)].append(level.count)
        points.append(level.count)
        level.count += 1
    yield from points[: max(span, 0)]


def _longest_span(links: Sequence[tuple[int, int, int, bool]], layer: Sequence[int]) -> int:
    """Return how many layers an edge may go through, so that not all together go through many."""
    spans = sorted([layer[end] - layer[start] - 1 for _, start, end, _ in links])
    left = SPARE_POINTS + POINTS_PER_ITEM * len(layer)
    longest = 0
    for span in spans:
        left -= max(span, 0)
        if left < 0:
            return longest
        longest = span
    return longest


def _topological(count: int, links: Sequence[Link]) -> list[int]:
    """Return the place of each item in an order in which edges lead on, but for those of cycles.

    Of the items that wait for none the first comes next; where all wait, the first of all.
    """
    below: list[list[int]] = [[] for _ in range(count)]
    waits = [0] * count
    for _, start, end in links:
        if start != end:
            below[start].append(end)
            waits[end] += 1
    ready = [item for item in range(count) if not waits[item]]
    heapify(ready)
    place = [-1] * count
    first = 0  # none before it is without a place
    for number in range(count):
        while ready and place[ready[0]] >= 0:
            heappop(ready)
        if ready:
            item = heappop(ready)
        else:
            while place[first] >= 0:
                first += 1
            item = first
        place[item] = number
        for other in below[item]:
            waits[other] -= 1
            if not waits[other] and place[other] < 0:
                heappush(ready, other)
    return place


def _layers(
    count: int,
    links: Sequence[tuple[int, int, int, bool]],
    place: Sequence[int],
    top: set[int],
    bottom: set[int],
    anchors: Sequence[int],
) -> list[int]:
    """Return the layer of each item: below all it hangs on; one that hangs on none, just above."""
    below: list[list[int]] = [[] for _ in range(count)]
    has_above = [False] * count
    for _, start, end, _ in links:
        if start != end:
            below[start].append(end)
            has_above[end] = True
    order = sorted(range(count), key=place.__getitem__)
    layer = [0 if not top or item in top else 1 for item in range(count)]
    for item in order:
        for other in below[item]:
            layer[other] = max(layer[other], layer[item] + 1)
    is_held = [not anchors] * count  # by what computations begin with
    for item in anchors:
        is_held[item] = True
    for item in order:
        if is_held[item]:
            for other in below[item]:
                is_held[other] = True
    for item in reversed(order):
        if below[item] and item not in top and not (has_above[item] and is_held[item]):
            layer[item] = min([layer[other] for other in below[item]]) - 1
    last = max([layer[item] for item in range(count) if item not in bottom], default=-1)
    for item in bottom:
        layer[item] = max(last + 1, layer[item])
    return layer
