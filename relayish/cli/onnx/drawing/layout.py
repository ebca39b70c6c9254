"""Layered layout of a directed acyclic graph, after Sugiyama: layers, order within them, places.

Edges over several layers go through points, one in each layer between, which are placed as boxes
are. Within a layer the order is that of the mean place of what a box hangs on, swept down and up;
places are then the nearest to those means that keep the order and the gaps, which pooling of
adjacent violators finds exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

SWEEPS: Final = 8
GAP: Final = 28.0
"""Between two boxes of a layer."""
THIN: Final = 10.0
"""The width of the place that an edge takes in a layer it goes through."""
DROP: Final = 44.0
"""Between two layers."""

Edge = tuple[int, int]
"""From a box to one below, by their numbers."""


@dataclass(slots=True)
class Layout:
    """Where boxes and edges are.

    Attributes:
        x: The middle of each box, across.
        y: Its upper edge.
        paths: Of each edge the points it goes through, those of its boxes included.
        width: Of the whole.
        height: Of the whole.
    """

    x: list[float]
    y: list[float]
    paths: list[list[tuple[float, float]]]
    width: float
    height: float


@dataclass(slots=True)
class _Grid:
    """Boxes and points in layers; the points come behind the boxes."""

    layers: list[list[int]]
    widths: list[float]
    above: list[list[int]] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)


def lay_out(sizes: Sequence[tuple[float, float]], edges: Sequence[Edge]) -> Layout:
    """Return where to draw boxes, given with width and height, and the edges between them.

    Args:
        sizes: Of each box.
        edges: From the number of a box to that of another; the first is smaller, so that there
            are no cycles.

    Complexity:
        Linear in the points that edges go through, but for sorting them.

    Example:
        >>> lay_out([(10, 5), (10, 5)], [(0, 1)]).y
        [0.0, 49.0]
    """
    layer_of = _layers(len(sizes), edges)
    grid, chains = _with_points(sizes, edges, layer_of)
    _order(grid)
    middle = _places(grid)
    tops, heights, height = _tops(grid, sizes)
    left = min([m - w / 2 for m, w in zip(middle, grid.widths, strict=True)], default=0.0)
    x = [m - left for m in middle]
    width = max([m + w / 2 for m, w in zip(x, grid.widths, strict=True)], default=0.0)
    y = [tops[layer_of[box]] for box in range(len(sizes))]
    paths = []
    for (start, end), chain in zip(edges, chains, strict=True):
        points = [(x[start], y[start] + sizes[start][1])]
        for number, point in enumerate(chain, layer_of[start] + 1):
            points += [(x[point], tops[number]), (x[point], tops[number] + heights[number])]
        paths.append([*points, (x[end], y[end])])
    return Layout(x[: len(sizes)], y, paths, width, height)


def _layers(count: int, edges: Sequence[Edge]) -> list[int]:
    """Return the layer of each box: below all it hangs on; one that hangs on none, just above."""
    below: list[list[int]] = [[] for _ in range(count)]
    has_above = [False] * count
    for start, end in edges:
        below[start].append(end)
        has_above[end] = True
    layer = [0] * count
    for box in range(count):
        for other in below[box]:
            layer[other] = max(layer[other], layer[box] + 1)
    for box in range(count):
        if not has_above[box] and below[box]:
            layer[box] = min(layer[other] for other in below[box]) - 1
    return layer


def _with_points(
    sizes: Sequence[tuple[float, float]], edges: Sequence[Edge], layer_of: Sequence[int]
) -> tuple[_Grid, list[list[int]]]:
    """Return the grid, and of each edge the points it goes through."""
    count = len(sizes)
    grid = _Grid(
        [[] for _ in range(max(layer_of, default=-1) + 1)], [width + GAP for width, _ in sizes]
    )
    neighbours: list[Edge] = []
    chains = []
    for box, layer in enumerate(layer_of):
        grid.layers[layer].append(box)
    for start, end in edges:
        chain = []
        for layer in range(layer_of[start] + 1, layer_of[end]):
            point = count + len(grid.widths) - len(sizes)
            grid.widths.append(THIN)
            grid.layers[layer].append(point)
            chain.append(point)
        chains.append(chain)
        row = [start, *chain, end]
        neighbours += itertools.pairwise(row)
    grid.above = [[] for _ in grid.widths]
    grid.below = [[] for _ in grid.widths]
    for start, end in neighbours:
        grid.below[start].append(end)
        grid.above[end].append(start)
    return grid, chains


def _order(grid: _Grid) -> None:
    """Order each layer by the mean place of what is above, then below, and so on."""
    place = [0.0] * len(grid.widths)
    for layer in grid.layers:
        _number(layer, place)
    best, fewest = [list(layer) for layer in grid.layers], _crossings(grid, place)
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        hang_on = grid.above if downwards else grid.below
        for layer in grid.layers if downwards else reversed(grid.layers):
            layer.sort(key=lambda each: _mean(place, hang_on[each], place[each]))
            _number(layer, place)
        found = _crossings(grid, place)
        if found < fewest:
            best, fewest = [list(layer) for layer in grid.layers], found
    grid.layers = best


def _number(layer: Sequence[int], place: list[float]) -> None:
    for number, each in enumerate(layer):
        place[each] = float(number)


def _mean(place: Sequence[float], others: Sequence[int], otherwise: float) -> float:
    if not others:
        return otherwise
    return sum([place[other] for other in others]) / len(others)


def _crossings(grid: _Grid, place: Sequence[float]) -> int:
    """Return how many pairs of edges between neighbouring layers cross."""
    total = 0
    for layer in grid.layers[:-1]:
        order = sorted(layer, key=place.__getitem__)
        ends = [e for each in order for e in sorted(place[other] for other in grid.below[each])]
        total += _inversions(ends)
    return total


def _inversions(values: list[float]) -> int:
    """Return how many pairs stand in the wrong order, by merging sorted halves."""
    if len(values) < 2:
        return 0
    found, width, row = 0, 1, values
    while width < len(row):
        merged: list[float] = []
        for start in range(0, len(row), 2 * width):
            left, right = row[start : start + width], row[start + width : start + 2 * width]
            taken = 0
            for each in left:
                while taken < len(right) and right[taken] < each:
                    merged.append(right[taken])
                    taken += 1
                merged.append(each)
                found += taken
            merged += right[taken:]
        row, width = merged, 2 * width
    return found


def _places(grid: _Grid) -> list[float]:
    """Return the middle of each box and point: near what it hangs on, in order, not too close."""
    middle = [0.0] * len(grid.widths)
    for layer in grid.layers:
        _settle(grid, layer, [0.0] * len(layer), middle)
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        hang_on = grid.above if downwards else grid.below
        for layer in grid.layers if downwards else reversed(grid.layers):
            wish = [_mean(middle, hang_on[each], middle[each]) for each in layer]
            _settle(grid, layer, wish, middle)
    return middle


def _settle(grid: _Grid, layer: Sequence[int], wish: Sequence[float], middle: list[float]) -> None:
    """Put a layer where the squares of the distances from the wishes are least."""
    offsets, offset = [], 0.0
    for number, each in enumerate(layer):
        if number:
            offset += (grid.widths[layer[number - 1]] + grid.widths[each]) / 2
        offsets.append(offset)
    pools: list[tuple[float, int]] = []  # the mean of each, and how many are in it
    for target, where in zip(wish, offsets, strict=True):
        mean, size = target - where, 1
        while pools and pools[-1][0] > mean:
            other, count = pools.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        pools.append((mean, size))
    settled = [mean for mean, size in pools for _ in range(size)]
    for each, where, mean in zip(layer, offsets, settled, strict=True):
        middle[each] = mean + where


def _tops(
    grid: _Grid, sizes: Sequence[tuple[float, float]]
) -> tuple[list[float], list[float], float]:
    """Return where each layer begins, how high it is, and where the last ends."""
    tops, heights, y = [], [], 0.0
    for layer in grid.layers:
        height = max(sizes[each][1] for each in layer if each < len(sizes))
        tops.append(y)
        heights.append(height)
        y += height + DROP
    return tops, heights, max(y - DROP, 0.0)
