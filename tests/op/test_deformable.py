"""Deformable convolution, against plain convolution and against its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from relayish.op.types import layout
from tests.support.checking import (
    assert_same,
    evaluated,
    evaluated_in,
    every_index,
    random_values,
    reference,
)

NAME = "nn.deformable_conv2d"
OPTIONS = {"strides": (2, 1), "padding": (1, 0, 1, 2), "dilation": (1, 2)}


def test_nothing_moved_is_a_convolution():
    data, weight = random_values(2, 4, 7, 8), random_values(6, 2, 3, 2, seed=9)
    expected = evaluated("nn.conv2d", data, weight, groups=2, **OPTIONS)
    offset = np.zeros((2, 2 * 2 * 6, *expected.shape[2:]), np.float32)
    found = evaluated(NAME, data, offset, weight, groups=2, deformable_groups=2, **OPTIONS)
    assert_same(found, expected, 1e-4)
    last = evaluated(
        NAME,
        *(layout.convert_layout(a, "NCHW", "NHWC") for a in (data, offset)),
        layout.convert_layout(weight, "OIHW", "HWIO"),
        groups=2,
        deformable_groups=2,
        data_layout="NHWC",
        kernel_layout="HWIO",
        out_layout="NCHW",
        **OPTIONS,
    )
    assert_same(last, expected, 1e-4)


def value_at(image, y, x):
    """Relay's sample: linear between elements, with zeros behind the last; nothing outside."""
    height, width = image.shape
    if y < 0 or x < 0 or y >= height or x >= width:
        return 0.0
    top, left = math.floor(y), math.floor(x)
    return sum(
        image[row, column] * (1 - abs(y - row)) * (1 - abs(x - column))
        for row in (top, top + 1)
        for column in (left, left + 1)
        if row < height and column < width
    )


@pytest.mark.parametrize("parts", [1, 2])
@reference("formula", NAME)
def test_every_element_of_the_kernel_looks_where_it_is_told(parts):
    data = random_values(2, 4, 5, 6, dtype="float64")
    weight = random_values(3, 4, 2, 3, dtype="float64", seed=9)
    over = evaluated("nn.conv2d", data, weight, **OPTIONS).shape
    offset = random_values(2, parts * 12, *over[2:], dtype="float64", seed=4, low=-2, high=2)
    expected = np.zeros(over)
    for n, o, y, x in every_index(over):
        for c, v, u in every_index((4, 2, 3)):
            first = (c // (4 // parts) * 6 + v * 3 + u) * 2
            row = y * 2 - 1 + v + offset[n, first, y, x]
            column = x - 0 + 2 * u + offset[n, first + 1, y, x]
            expected[n, o, y, x] += weight[o, c, v, u] * value_at(data[n, c], row, column)
    found = evaluated(NAME, data, offset, weight, deformable_groups=parts, **OPTIONS)
    assert_same(found, expected, 1e-9)


def test_what_follows_the_last_column_is_zero():
    data, weight = np.array([[[[1, 2]]]], "float32"), np.ones((1, 1, 1, 1), "float32")
    offset = np.zeros((1, 2, 1, 2), "float32")
    offset[0, 1, 0, 1] = 0.5
    found = evaluated(NAME, data, offset, weight, kernel_size=(1, 1), channels=1)
    assert found.tolist() == [[[[1, 1]]]]


def test_every_evaluated_deformable_operator_is_tested():
    assert evaluated_in("relayish.op.nn.deformable") == {NAME}
