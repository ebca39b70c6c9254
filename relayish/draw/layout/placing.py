"""Places in a level: near what an item hangs on, in the order of its layer, not too close.

The interactive page does the same when boxes are folded: ``relayish/draw/page/place.js``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from relayish.draw.layout.level import Level

SWEEPS: Final = 8
GAP: Final = 28.0
"""Between two boxes of a layer."""
THIN: Final = 10.0
"""The width of the place that an edge takes in a layer it goes through."""
DROP: Final = 44.0
"""Between two layers."""
HEAVY: Final = 500.0
"""How much more a box counts than a point or a box at an end, which give way to chains."""
_STRAIGHT: Final = 16.0
"""An edge that goes less to the side may be said to go straight down."""
BARE_DROP: Final = 14.0
"""Below a layer without boxes, through which edges enter the box around it."""


@dataclass(slots=True)
class Places:
    """Where the items of a level are, from its upper left corner.

    Attributes:
        x: The middle of each item, across.
        y: Its upper edge.
        bottom: The lower edge of the layer it is in.
        width: Of the whole.
        height: Of the whole.
    """

    x: list[float]
    y: list[float]
    bottom: list[float]
    width: float
    height: float


def place_level(level: Level, sizes: Sequence[tuple[float, float]]) -> Places:
    """Return where the items of a level are.

    Args:
        level: The level, with its layers in order.
        sizes: Width and height of each of its boxes.

    Complexity:
        Linear in its items and routes.

    Example:
        >>> from relayish.draw.layout.level import Route
        >>> level = Level([7, 8], 2, [[0], [1]], [Route(0, (0, 1))])
        >>> place_level(level, [(10, 5), (20, 5)]).y
        [0.0, 49.0]
    """
    count = len(level.children)
    widths = [width + GAP for width, _ in sizes] + [THIN] * (level.count - count)
    middle = _middles(level, widths)
    left = min([x - width / 2 for x, width in zip(middle, widths, strict=True)], default=0.0)
    right = max([x + width / 2 for x, width in zip(middle, widths, strict=True)], default=0.0)
    y, bottom, top, drop = [0.0] * level.count, [0.0] * level.count, 0.0, 0.0
    for layer in level.layers:
        height = max([sizes[each][1] for each in layer if each < count], default=0.0)
        for each in layer:
            y[each], bottom[each] = top, top + height
        drop = DROP if height else BARE_DROP
        top += height + drop
    return Places([x - left for x in middle], y, bottom, right - left, max(top - drop, 0.0))


def _middles(level: Level, widths: Sequence[float]) -> list[float]:
    """Return the middle of each item."""
    above, below = level.neighbours()
    count = len(level.children)
    weights = [
        HEAVY if item < count and above[item] and below[item] else 1.0
        for item in range(level.count)
    ]
    middle = [0.0] * level.count
    for layer in level.layers:
        _settle(layer, [0.0] * len(layer), widths, weights, middle)
    for sweep in range(SWEEPS):
        downwards = sweep % 2 == 0
        hang_on = above if downwards else below
        for layer in level.layers if downwards else reversed(level.layers):
            wish = [_mean(middle, weights, hang_on[each], middle[each]) for each in layer]
            _settle(layer, wish, widths, weights, middle)
    _straighten(level, above, widths, weights, middle)
    return middle


def _straighten(
    level: Level,
    above: Sequence[Sequence[int]],
    widths: Sequence[float],
    weights: Sequence[float],
    middle: list[float],
) -> None:
    """Move pieces that stand out of the column of the widest one into it.

    What hangs on two of three branches is a little aside of what all three hang on, and so on down:
    else a long program leans. A piece is layers that an edge between boxes goes straight through.
    """

    def is_straight(upper: int, lower: int) -> bool:
        is_heavy = weights[upper] == weights[lower] == HEAVY
        return is_heavy and abs(middle[upper] - middle[lower]) < _STRAIGHT

    pieces: list[list[int]] = []
    for layer in level.layers:
        held = any(is_straight(upper, lower) for lower in layer for upper in above[lower])
        if held and pieces:
            pieces[-1] += layer
        elif layer:
            pieces.append(list(layer))
    columns = [
        (
            min([middle[each] - widths[each] / 2 for each in piece]),
            max([middle[each] + widths[each] / 2 for each in piece]),
        )
        for piece in pieces
    ]
    left, right = max(columns, key=lambda column: column[1] - column[0], default=(0.0, 0.0))
    aside = 0.0  # as far as the piece above
    for piece, (first, last) in zip(pieces, columns, strict=True):
        aside = min(max(aside, left - first), right - last)
        for each in piece:
            middle[each] += aside


def _mean(
    middle: Sequence[float], weights: Sequence[float], others: Sequence[int], otherwise: float
) -> float:
    if not others:
        return otherwise
    total = sum([middle[other] * weights[other] for other in others])
    return total / sum([weights[other] for other in others])


def _settle(
    layer: Sequence[int],
    wish: Sequence[float],
    widths: Sequence[float],
    weights: Sequence[float],
    middle: list[float],
) -> None:
    """Put a layer where the squares of the distances from wishes are least, by their weights."""
    if len(layer) == 1:
        middle[layer[0]] = wish[0]
        return
    offsets, offset = [], 0.0
    for number, each in enumerate(layer):
        if number:
            offset += (widths[layer[number - 1]] + widths[each]) / 2
        offsets.append(offset)
    pools: list[tuple[float, float, int]] = []  # the mean of each, its weight, how many are in it
    for each, target, where in zip(layer, wish, offsets, strict=True):
        mean, weight, size = target - where, weights[each], 1
        while pools and pools[-1][0] > mean:
            other, heavy, count = pools.pop()
            mean = (mean * weight + other * heavy) / (weight + heavy)
            weight, size = weight + heavy, size + count
        pools.append((mean, weight, size))
    settled = [mean for mean, _, size in pools for _ in range(size)]
    for each, where, mean in zip(layer, offsets, settled, strict=True):
        middle[each] = mean + where
