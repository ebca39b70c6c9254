"""Aligned regions against samples that are taken one by one."""

from __future__ import annotations

from math import ceil, floor, inf

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.numeric.precision import Array
from relayish.numeric.regions import align_regions
from tests.support.each import each
from tests.support.seeds import seeds


def parts_at(image: Array, row: float, column: float) -> list[float]:
    """Return the weighted elements around a place, none well outside of the image."""
    height, width = image.shape
    if not (-1 <= row <= height and -1 <= column <= width):
        return [0.0]
    row, column = min(max(row, 0), height - 1), min(max(column, 0), width - 1)
    top, left = floor(row), floor(column)
    return [
        v * h * image[y, x]
        for y, v in ((top, top + 1 - row), (min(top + 1, height - 1), row - top))
        for x, h in ((left, left + 1 - column), (min(left + 1, width - 1), column - left))
        if v and h
    ]


@each("seed", seeds(18))
def test_bins_hold_what_their_samples_have_in_common(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = rng.standard_normal((2, 2, 6, 40 if seed % 6 == 0 else 7))
    if seed % 5 == 0:
        data[:, 0, 0, 0] = inf
    first = rng.uniform(-2, 4, (3, 2))
    corners = np.concatenate([first, first + rng.uniform(0.1, [9, 30], (3, 2))[:, ::-1]], 1)
    images, ratio = rng.integers(0, 2, 3), int(rng.integers(0, 3))
    mode, least = str(rng.choice(["avg", "max", "max_part"])), (-inf, 1.0)[seed % 2]
    found = align_regions(data, images, corners, (2, 3), ratio=ratio, mode=mode, least=least)
    for n, (image, (x1, y1, x2, y2)) in enumerate(zip(images, corners, strict=True)):
        height, width = max(y2 - y1, least), max(x2 - x1, least)
        rows, columns = ratio or ceil(height / 2), ratio or ceil(width / 3)
        for channel, row, column in np.ndindex(2, 2, 3):
            samples = [
                parts_at(
                    data[image, channel],
                    y1 + (row + (i + 0.5) / rows) * height / 2,
                    x1 + (column + (j + 0.5) / columns) * width / 3,
                )
                for i in range(rows)
                for j in range(columns)
            ]
            if mode == "max_part":  # parts that weigh nothing count as 0
                expected = max(max([*part, 0.0] if len(part) < 4 else part) for part in samples)
            else:
                expected = (np.mean if mode == "avg" else max)([sum(part) for part in samples])
            assert found[n, channel, row, column] == pytest.approx(expected, abs=1e-9)


def test_a_region_that_ends_before_it_begins_has_no_samples_but_those_asked_for() -> None:
    data, corners, image = np.ones((1, 1, 4, 4)), np.array([[3.0, 3, 1, 1]]), np.array([0])
    assert align_regions(data, image, corners, (1, 1), ratio=0, mode="avg").tolist() == [[[[0]]]]
    assert align_regions(data, image, corners, (1, 1), ratio=2, mode="avg").tolist() == [[[[1]]]]


@each("end", [float("nan"), inf, 1e9])
def test_regions_out_of_all_proportion_are_refused(end: float) -> None:
    data, corners = np.ones((1, 1, 4, 4)), np.array([[0, 0, end, 1]])
    with pytest.raises(EvaluationError, match="samples a bin"):
        align_regions(data, np.array([0]), corners, (1, 1), ratio=0, mode="avg")


def test_what_cannot_be_aligned_is_refused() -> None:
    data, corners = np.ones((1, 1, 4, 4)), np.array([[0.0, 0, 1, 1]])
    with pytest.raises(EvaluationError, match="mode is 'odd'; expected avg or max"):
        align_regions(data, np.array([0]), corners, (1, 1), ratio=1, mode="odd")
    with pytest.raises(EvaluationError, match="region 0 lies in image 1; expected one of 0 to 0"):
        align_regions(data, np.array([1]), corners, (1, 1), ratio=1, mode="avg")
