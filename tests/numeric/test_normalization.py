from __future__ import annotations

import numpy as np
import pytest

from relayish.numeric.normalization import (
    centre,
    normalise_channels,
    normalise_locally,
    scale_and_shift,
    standardise,
)


def test_what_is_standardised_has_mean_0_and_variance_1() -> None:
    x = np.random.default_rng(0).normal(5, 3, (4, 5, 6))
    y, mean, inverse = standardise(x, (0, 2), 1e-3)
    np.testing.assert_allclose(y, (x - x.mean((0, 2), keepdims=True)) * inverse)
    np.testing.assert_allclose(mean, x.mean((0, 2), keepdims=True))
    np.testing.assert_allclose(inverse, 1 / np.sqrt(x.var((0, 2), keepdims=True) + 1e-3))


def test_the_variance_far_from_zero_is_exact() -> None:
    centred, _, variance = centre(np.array([1e8 - 1, 1e8 + 1]), (0,))
    assert centred.tolist() == [-1, 1]
    assert variance.tolist() == [1]


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("scale", [None, np.array([2.0, 3.0])])
@pytest.mark.parametrize("shift", [None, np.array([5.0, 7.0])])
def test_channels_are_normalised_in_memory_that_is_given(
    scale: np.ndarray | None, shift: np.ndarray | None, at_once: bool
) -> None:
    x, mean, variance = np.arange(6.0).reshape(3, 2), np.array([1.0, 2.0]), np.array([4.0, 9.0])
    expected = (x - mean) / np.sqrt(variance + 0.5)
    expected = expected * (1 if scale is None else scale) + (0 if shift is None else shift)
    given = (mean, variance, scale, shift, 0.5)
    np.testing.assert_allclose(normalise_channels(x, *given, at_once=at_once), expected)
    assert x.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert normalise_channels(x, *given, x, at_once=at_once) is x
    np.testing.assert_allclose(x, expected)


def test_what_is_scaled_is_written_over_where_its_type_allows() -> None:
    x, two = np.ones(3, np.float32), np.float32(2)
    assert scale_and_shift(x, two, two) is x
    assert x.tolist() == [4, 4, 4]
    assert scale_and_shift(x, np.float64(0.5), None).dtype == np.float64
    assert scale_and_shift(x, None, None) is x


def test_neighbours_are_as_many_before_as_behind_or_one_less() -> None:
    x = np.array([[1.0, 2, 3, 4]])
    found = normalise_locally(x, 1, 3, alpha=3, beta=1, bias=0)
    np.testing.assert_allclose(found, [[1 / 5, 2 / 14, 3 / 29, 4 / 25]])
    found = normalise_locally(x, 1, 2, alpha=2, beta=1, bias=1)
    np.testing.assert_allclose(found, [[1 / 6, 2 / 14, 3 / 26, 4 / 17]])


def test_neighbours_of_nothing_are_none() -> None:
    for shape in ((0, 3), (3, 0)):
        found = normalise_locally(np.zeros(shape), 1, 3, alpha=1, beta=1, bias=1)
        assert found.shape == shape


def test_integers_are_standardised_by_floats() -> None:
    y, mean, inverse = standardise(np.array([[0, 2, 4]], "int32"), (1,), 0)
    assert y.dtype == inverse.dtype
    assert mean.tolist() == [[2]]
    np.testing.assert_allclose(y, np.array([[-2, 0, 2]]) * inverse)
