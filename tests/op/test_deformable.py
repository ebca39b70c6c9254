"""Deformable convolution, against plain convolution and against its definition."""

from __future__ import annotations

import numpy as np

from relayish.op.types import layout
from tests.support.checking import assert_same, evaluated, evaluated_in, random_values, reference

NAME = "nn.deformable_conv2d"
OPTIONS = {"strides": (2, 1), "padding": (1, 0, 1, 2), "dilation": (1, 2)}


@reference("formula", NAME)
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


def test_parts_of_the_channels_are_moved_each_for_itself():
    data, weight = random_values(1, 4, 5, 6), random_values(3, 4, 2, 3, seed=9)
    moved = np.zeros_like(data)
    moved[:, :2, :-1], moved[:, 2:, :, 2:] = data[:, :2, 1:], data[:, 2:, :, :-2]
    expected = evaluated("nn.conv2d", moved, weight)
    offset = np.zeros((1, 2, 6, 2, *expected.shape[2:]), np.float32)
    offset[:, 0, :, 0], offset[:, 1, :, 1] = 1, -2  # down, and to the left
    offset = offset.reshape(1, 24, *expected.shape[2:])
    assert_same(evaluated(NAME, data, offset, weight, deformable_groups=2), expected, 1e-4)


def test_an_empty_batch_stays_one():
    data, weight = random_values(0, 4, 5, 6), random_values(3, 4, 2, 3, seed=9)
    offset = np.zeros((0, 12, 4, 4), np.float32)
    assert evaluated(NAME, data, offset, weight).shape == (0, 3, 4, 4)


def test_every_evaluated_deformable_operator_is_tested():
    assert evaluated_in("relayish.op.nn.deformable") == {NAME}
