"""Order within layers, so that few edges cross: by the mean place of neighbours, down and up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from relayish.draw.layout.level import Level

SWEEPS: Final = 8


def order_layers(level: Level, port: Mapping[int, float]) -> None:
    """Order each layer of a level by the mean place of what is above, then below, and so on.

    Args:
        level: The level, of which the order within layers is changed.
        port: Of an edge, how far to the right in its target it ends: from 0 up to 1.

    Complexity:
        Linear in items and routes, but for sorting.
    """
    place = [0.0] * level.count
    above, below = level.neighbours()
    shift = _shifts(level, port)
    for layer in level.layers:
        _number(layer, place)
    best, fewest = [list(layer) for layer in level.layers], _crossings(level, below, place, shift)
    for sweep in range(SWEEPS):
        if not fewest:
            break
        downwards = sweep % 2 == 0
        hang_on = above if downwards else below
        for layer in level.layers if downwards else reversed(level.layers):
            layer.sort(key=lambda each: _mean(place, hang_on[each], each, shift))
            _number(layer, place)
        found = _crossings(level, below, place, shift)
        if found < fewest:
            best, fewest = [list(layer) for layer in level.layers], found
    level.layers = best


def _number(layer: Sequence[int], place: list[float]) -> None:
    for number, each in enumerate(layer):
        place[each] = float(number)


def _shifts(level: Level, port: Mapping[int, float]) -> Mapping[tuple[int, int], float]:
    """Return of two neighbours how far to the right in the lower one their edge ends."""
    found: dict[tuple[int, int], float] = {}
    for route in level.routes:
        if not route.is_reversed and len(route.items) > 1 and port.get(route.edge):
            found[route.items[-2], route.items[-1]] = port[route.edge]
    return found


def _mean(
    place: Sequence[float],
    others: Sequence[int],
    item: int,
    shift: Mapping[tuple[int, int], float],
) -> float:
    if not others:
        return place[item]
    total = sum([place[other] + shift.get((item, other), 0.0) for other in others])
    return total / len(others)


def _crossings(
    level: Level,
    below: Sequence[Sequence[int]],
    place: Sequence[float],
    shift: Mapping[tuple[int, int], float],
) -> int:
    """Return how many pairs of edges between neighbouring layers cross."""
    total = 0
    for layer in level.layers[:-1]:
        if len(layer) == 1:
            continue
        order = sorted(layer, key=place.__getitem__)
        ends: list[float] = []
        for each in order:
            ends += sorted([place[other] + shift.get((each, other), 0.0) for other in below[each]])
        total += _inversions(ends)
    return total


def _inversions(values: list[float]) -> int:
    """Return how many pairs stand in the wrong order, by merging sorted halves."""
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
