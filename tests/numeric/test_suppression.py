"""Suppression against a loop over pairs of boxes."""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.numeric.precision import Array
from relayish.numeric.suppression import select_best, select_standing
from tests.support.each import each
from tests.support.seeds import seeds


def draw_boxes(rng: np.random.Generator, count: int) -> Array:
    """Boxes from a corner to the opposite one, some of them pointing the other way."""
    corner = rng.uniform(0, 20, (count, 2))
    boxes = np.concatenate((corner, corner + rng.uniform(-2, 9, (count, 2))), -1)
    return np.rint(boxes) if rng.integers(2) else boxes.astype(np.float32)


def share(one: Any, other: Any, border: float) -> float:
    """Return the intersection of two boxes, of their union, number by number."""
    common, areas = 1.0, [1.0, 1.0]
    for axis in (0, 1):
        ends = [sorted((float(box[axis]), float(box[axis + 2]))) for box in (one, other)]
        common *= max(min(e[1] for e in ends) - max(e[0] for e in ends) + border, 0.0)
        areas = [a * (e[1] - e[0] + border) for a, e in zip(areas, ends, strict=True)]
    union = sum(areas) - common
    return common / union if union > 0 else 0.0


@each("seed", seeds(30))
def test_box_that_overlaps_no_better_one_stands(seed: int) -> None:
    rng = np.random.default_rng(seed)
    boxes, labels = draw_boxes(rng, 150 if seed % 10 == 0 else 30), rng.integers(0, 3, 150)
    border, limit, threshold = seed % 2, int(rng.choice([-1, 0, 4])), float(rng.uniform(0, 0.5))
    one_by_one = seed % 3 == 0
    expected: list[int] = []
    for number, box in enumerate(boxes):
        rivals = [k for k in expected if not one_by_one or labels[k] == labels[number]]
        if len(expected) != limit and all(
            share(boxes[k], box, border) <= threshold for k in rivals
        ):
            expected.append(number)
    found = select_standing(
        boxes,
        lambda shares: shares > threshold,
        limit=limit,
        related=(lambda one, other: labels[one] == labels[other]) if one_by_one else None,
        border=border,
    )
    assert found == expected


def test_boxes_without_an_area_share_nothing() -> None:
    points = np.zeros((3, 4))
    assert select_standing(points, lambda shares: shares > 0, limit=-1) == [0, 1, 2]
    assert select_standing(points, lambda shares: shares >= 0, limit=-1) == [0]


def test_large_boxes_of_half_precision_are_compared() -> None:
    boxes = np.array([[0, 0, 300, 300], [0, 0, 300, 290]], np.float16)  # of areas beyond its range
    assert select_standing(boxes, lambda shares: shares > 0.5, limit=-1) == [0]


def test_the_best_candidates_come_first_and_of_equal_ones_the_first() -> None:
    boxes = np.array([[0, 0, 1, 1], [5, 5, 6, 6], [0, 0, 1, 1.1], [8, 8, 9, 9], [3, 3, 4, 4]])
    scores, good = np.array([0.5, 0.9, 0.5, 0.1, 1.0]), np.array([0, 1, 2, 3])
    found = select_best(boxes, scores, lambda shares: shares > 0.5, candidates=good, limit=-1)
    assert found.tolist() == [1, 0, 3]
