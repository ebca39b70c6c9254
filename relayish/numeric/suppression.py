"""Non-maximum suppression: of boxes that overlap, the one with the better score stands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from relayish.numeric.precision import Array, weighing_dtype

_BLOCK: Final = 128

Falls: TypeAlias = Callable[[Array], Array]
"""Which boxes fall, from the intersection of each with the one that stands, of their union."""


def select_best(
    boxes: Array, scores: Array, falls: Falls, *, candidates: Array, limit: int
) -> Array:
    """Return which of some boxes stand, those with the best scores first.

    Args:
        boxes: (n, 4), see :func:`select_standing`.
        scores: (n,); of equal ones the first is the better.
        falls: See there.
        candidates: The numbers of the boxes that may stand.
        limit: How many may; a negative number means all.
    """
    order = candidates[np.argsort(-scores[candidates], kind="stable")]
    return order[np.array(select_standing(boxes[order], falls, limit=limit), np.intp)]


def select_standing(
    boxes: Array,
    falls: Falls,
    *,
    limit: int,
    related: Callable[[Array, Array], Array] | None = None,
    border: float = 0,
) -> list[int]:
    """Return which of ``boxes: (n, 4)``, the best first, no better one that stands overlaps.

    Args:
        boxes: Two opposite corners of each, the best box first; which corners, and in which order,
            does not matter.
        falls: Which boxes fall to one that stands. The share is 0 where neither has an area.
        limit: How many may stand; a negative number means all.
        related: ``related(standing, others)``: which of others, by number, may fall to those that
            stand; the numbers are broadcast.
        border: What a side is longer than the difference of its ends: 1 where these are the first
            and the last pixel.

    Complexity:
        O(n * standing), as vectors: boxes are compared with all that stand some hundred at a time,
        and none that comes after the last that may stand.
    """
    wide = boxes.astype(weighing_dtype(boxes.dtype), copy=False).T
    lows, highs = np.minimum(wide[:2], wide[2:]), np.maximum(wide[:2], wide[2:])
    areas = (highs - lows + border).prod(axis=0)

    def fall_to(standing: Array, others: Array) -> Array:
        """Return which of others fall, ``(standing, others)``."""
        ends = np.minimum(highs[:, standing, None], highs[:, None, others])
        sides = ends - np.maximum(lows[:, standing, None], lows[:, None, others]) + border
        common = np.maximum(sides, 0).prod(axis=0)
        union = areas[standing, None] + areas[others] - common
        fallen: Array = falls(np.divide(common, union, out=np.zeros_like(common), where=union > 0))
        if related is not None:
            fallen &= related(standing[:, None], others)
        return fallen

    kept: list[int] = []
    for first in range(0, len(boxes), _BLOCK):
        left = np.arange(first, min(first + _BLOCK, len(boxes)))
        for start in range(0, len(kept), _BLOCK):
            better = np.array(kept[start : start + _BLOCK])
            left = left[~fall_to(better, left).any(axis=0)]
        stands = np.ones(len(left), np.bool_)
        for number, fallen in enumerate(fall_to(left, left)):
            if len(kept) == limit:
                return kept
            if stands[number]:
                kept.append(int(left[number]))
                stands &= ~fallen
    return kept
