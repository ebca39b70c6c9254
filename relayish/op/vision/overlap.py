"""Intersection over union of boxes, and suppression of those that overlap a better one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from relayish.op.values.evaluation import Array


def shares(box: Array, others: Array, *, border: float = 0) -> Array:
    """Return ``(n,)``: the intersection of ``box`` with each of ``others``, of their union.

    Args:
        box: (4,), two opposite corners; which ones, and in which order, does not matter.
        others: (n, 4), corners along the same axes.
        border: What a side is longer than the difference of its ends: 1 where these are the first
            and the last pixel.

    Returns:
        0 where neither has an area.
    """
    low, high = _corners(box)
    lows, highs = _corners(others)
    sides = np.minimum(high, highs) - np.maximum(low, lows) + border
    common = np.maximum(sides, 0).prod(axis=-1)
    union = _area(low, high, border) + _area(lows, highs, border) - common
    return np.where(union > 0, common / np.where(union > 0, union, 1), 0)


def select_standing(
    boxes: Array,
    falls: Callable[[Array], Array],
    *,
    limit: int,
    related: Callable[[int, Array], Array] | None = None,
    border: float = 0,
) -> list[int]:
    """Return which of ``boxes: (n, 4)``, the best first, no better one that stands overlaps.

    Args:
        boxes: Two opposite corners of each, the best box first.
        falls: Whether a box falls, from its shares of those before it, see :func:`shares`.
        limit: How many may stand; a negative number means all.
        related: ``related(box, others)``: which of others, by number, a box may fall to.
        border: See :func:`shares`.

    Complexity:
        One operation on all boxes that stand for each box: O(n * standing).
    """
    kept: list[int] = []
    for number, box in enumerate(boxes):
        if len(kept) == limit:
            break
        others = np.array(kept, np.intp)
        if related is not None:
            others = others[related(number, others)]
        if not falls(shares(box, boxes[others], border=border)).any():
            kept.append(number)
    return kept


def _corners(boxes: Array) -> tuple[Array, Array]:
    one, other = boxes[..., :2], boxes[..., 2:]
    return np.minimum(one, other), np.maximum(one, other)


def _area(low: Array, high: Array, border: float) -> Array:
    return (high - low + border).prod(axis=-1)
