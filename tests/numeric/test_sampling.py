"""Samples between elements against torch, and deformable convolution against its definition."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.numeric.deformable import deform_convolve
from relayish.numeric.precision import Array
from relayish.numeric.sampling import affine_grid, sample_grid, sample_linear
from relayish.numeric.windows import Windows
from tests.support.each import each


def draw(*shape: int, low: float = -1, high: float = 1) -> Array:
    return np.random.default_rng(0).uniform(low, high, shape).astype(np.float32)


@pytest.mark.references
@each("padding", ["zeros", "border", "reflection"])
@each("aligned", [True, False])
@each(
    ("method", "rank"),
    [("nearest", 2), ("linear", 2), ("cubic", 2), ("nearest", 3), ("linear", 3)],
)
def test_samples_are_those_of_torch(method: str, rank: int, padding: str, aligned: bool) -> None:
    torch = pytest.importorskip("torch")
    data, points = draw(2, 3, *(4, 5, 3)[:rank]), draw(2, rank, *(6, 3, 4)[:rank], low=-3, high=3)
    expected = torch.nn.functional.grid_sample(
        torch.tensor(data),
        torch.tensor(np.moveaxis(points, 1, -1).copy()),
        mode={"linear": "bilinear", "cubic": "bicubic"}.get(method, method),
        padding_mode=padding,
        align_corners=aligned,
    )
    found = sample_grid(data, points.reshape(2, rank, -1), method, padding, aligned)
    np.testing.assert_allclose(found.reshape(expected.shape), expected, rtol=1e-3, atol=1e-4)


@pytest.mark.references
@each("rank", [2, 3])
def test_affine_grid_is_that_of_torch(rank: int) -> None:
    torch = pytest.importorskip("torch")
    maps, size = draw(3, rank, rank + 1), (2, 5, 3)[:rank]
    expected = torch.nn.functional.affine_grid(torch.tensor(maps), (3, 1, *size), True)
    found = affine_grid(maps, [np.linspace(-1, 1, count) for count in size])
    np.testing.assert_allclose(np.moveaxis(found, 1, -1), expected, atol=1e-5)


def test_samples_of_a_single_element_with_aligned_corners_are_that_element() -> None:
    grid = np.array([[[-1, 0, 1, 9], [0, 0, 0, 9]]], np.float32)
    for padding in ("border", "reflection", "zeros"):
        for method in ("nearest", "linear"):
            found = sample_grid(np.full((1, 1, 1, 1), 5), grid, method, padding, aligned=True)
            assert found.ravel().tolist() == [5, 5, 5, 5]


@each("method", ["nearest", "linear", "cubic"])
def test_samples_at_points_far_outside_or_nowhere_are_zero(method: str) -> None:
    grid = np.array([[[np.nan, np.inf, 1e30], [0, 0, -1e30]]], np.float32)
    assert not sample_grid(draw(1, 1, 3, 3), grid, method, "zeros", aligned=True).any()
    at_edge = sample_grid(np.array([[[1.0, 2.0]]]), grid[:, :1, 2:], method, "border", aligned=True)
    assert at_edge.ravel().tolist() == [2]


def test_whole_numbers_are_sampled_exactly() -> None:
    data, grid = np.array([[[2**62 + 1, 5]]]), np.array([[[-1, 1]]])
    assert sample_grid(data, grid, "nearest", "zeros", aligned=True).tolist() == data.tolist()
    found = sample_grid(np.array([[[1, 4]]], np.int8), np.zeros((1, 1, 1)), "linear", "zeros", True)
    assert found.tolist() == [[[2.5]]]


def test_what_weighs_nothing_adds_nothing() -> None:
    data = np.array([[[np.inf, 1, np.nan]]], np.float32)
    assert sample_linear(data, [np.array([[1.0, 7.0]])]).tolist() == [[[1, 0]]]


@each(("method", "padding"), [("odd", "zeros"), ("linear", "odd")])
def test_ways_to_sample_there_are_not_are_refused(method: str, padding: str) -> None:
    with pytest.raises(EvaluationError, match=r"mode is 'odd'; expected one of (nearest|zeros)"):
        sample_grid(draw(1, 1, 2), draw(1, 1, 2), method, padding, aligned=True)


def value_at(image: Array, y: float, x: float, only_within: bool) -> float:
    """Return an image between its elements, with zeros around it."""
    height, width = image.shape
    if only_within and (y < 0 or x < 0):
        return 0.0
    top, left = int(np.floor(y)), int(np.floor(x))
    return sum(
        float(image[row, column]) * (1 - abs(y - row)) * (1 - abs(x - column))
        for row in (top, top + 1)
        for column in (left, left + 1)
        if 0 <= row < height and 0 <= column < width
    )


@each("parts", [1, 2])
@each("only_within", [True, False])
def test_every_element_of_a_window_looks_where_it_is_told(parts: int, only_within: bool) -> None:
    windows, before = Windows((0, 1), (2, 3), (2, 1), (1, 2), (3, 4)), (1, 2)
    data, kernel = draw(2, 4, 5, 6).astype("f8"), draw(2, 2, 2, 3).astype("f8")
    moves, factors = draw(2, parts, 6, 2, 3, 4, low=-2, high=2), draw(2, parts, 6, 3, 4)
    found = deform_convolve(
        data, kernel, moves, windows, before=before, groups=2, work=data.dtype, factors=factors,
        only_within=only_within,
    )  # fmt: skip
    expected = np.zeros((2, 2, 3, 4))
    for n, out, y, x in np.ndindex(*expected.shape):
        for c, v, u in np.ndindex(2, 2, 3):
            channel, tap = out * 2 + c, v * 3 + u
            move = moves[n, channel // (4 // parts), tap, :, y, x].astype(float)
            at = y * 2 - 1 + v + move[0], x - 2 + 2 * u + move[1]
            seen = value_at(data[n, channel], *at, only_within)
            factor = factors[n, channel // (4 // parts), tap, y, x]
            expected[n, out, y, x] += kernel[out, c, v, u] * seen * factor
    np.testing.assert_allclose(found, expected, atol=1e-6)
