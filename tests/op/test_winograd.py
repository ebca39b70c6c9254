"""Winograd's algorithm against plain convolution."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.op.nn.winograd import transform_matrices
from tests.support.checking import (
    assert_same,
    evaluated,
    evaluated_in,
    random_values,
    reference,
)
from tests.support.each import each

TWO = "nn.contrib_conv2d_winograd_weight_transform"
TWO_WITHOUT = "nn.contrib_conv2d_winograd_without_weight_transform"
THREE = "nn.contrib_conv3d_winograd_weight_transform"
THREE_WITHOUT = "nn.contrib_conv3d_winograd_without_weight_transform"


@reference("formula", TWO)
def test_the_matrix_of_the_smallest_tile_is_the_known_one():
    _, _, g = transform_matrices(2, 3)
    assert g.tolist() == [[1, 0, 0], [0.5, -0.5, 0.5], [0.5, 0.5, 0.5], [0, 0, 1]]


@each("tile", range(2, 9))
@pytest.mark.parametrize("kernel", [1, 2, 3, 4, 5])
def test_matrices_convolve_one_tile(tile, kernel):
    if not 3 <= tile + kernel <= 11:
        with pytest.raises(EvaluationError, match="between 3 and 11"):
            transform_matrices(tile, kernel)
        return
    a, b, g = transform_matrices(tile, kernel)
    weight = random_values(kernel, dtype="float64")
    data = random_values(tile + kernel - 1, dtype="float64", seed=9)
    found = a.T @ ((g @ weight) * (b.T @ data))
    np.testing.assert_allclose(found, np.correlate(data, weight, "valid"), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("tile", [2, 4, 6])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@reference("formula", TWO, TWO_WITHOUT)
def test_winograd_convolution_is_a_convolution(tile, dtype):
    data = random_values(2, 3, 9, 8, dtype=dtype)
    weight = random_values(4, 3, 3, 3, dtype=dtype, seed=9)
    options = {"padding": (1, 0, 1, 2), "channels": 4, "kernel_size": (3, 3)}
    packed = evaluated(TWO, weight, tile_size=tile)
    assert packed.shape == (tile + 2, tile + 2, 4, 3)
    found = evaluated(TWO_WITHOUT, data, packed, tile_size=tile, **options)
    tolerance = 2e-4 if dtype == "float32" else 1e-9
    assert_same(found, evaluated("nn.conv2d", data, weight, **options), tolerance)
    last = evaluated(
        TWO_WITHOUT, np.moveaxis(data, 1, 3), packed, tile_size=tile, data_layout="NHWC", **options
    )
    assert_same(np.moveaxis(last, 3, 1), found)


@pytest.mark.parametrize("depth", [1, 2, 3])
@reference("formula", THREE, THREE_WITHOUT)
def test_winograd_convolution_of_three_axes(depth):
    data = random_values(1, 2, 7, 6, 5, dtype="float64")
    weight = random_values(3, 2, depth, 3, 3, dtype="float64", seed=9)
    stride = 1 if depth == 3 else 2
    options = {
        "padding": (1, 0, 1, 1, 0, 1),
        "strides": (stride, 1, 1),
        "channels": 3,
        "kernel_size": (depth, 3, 3),
    }
    packed = evaluated(THREE, weight, tile_size=2)
    assert packed.shape == ((4, 4, 4, 3, 2) if depth == 3 else (4, 4, depth, 3, 2))
    found = evaluated(THREE_WITHOUT, data, packed, tile_size=2, **options)
    assert_same(found, evaluated("nn.conv3d", data, weight, **options), 1e-9)


def test_every_evaluated_transform_is_tested():
    assert evaluated_in("relayish.op.nn.winograd") == {TWO, TWO_WITHOUT, THREE, THREE_WITHOUT}
