from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

X, Y = np.float32([1, 2, 3, np.nan]), np.float32([2, 2, 2, np.nan])


@each(
    "case",
    [
        ("Equal", 13, [False, True, False, False]),
        ("Less", 13, [True, False, False, False]),
        ("Greater", 13, [False, False, True, False]),
        ("LessOrEqual", 16, [True, True, False, False]),
        ("GreaterOrEqual", 16, [False, True, True, False]),
    ],
)
def test_comparison_is_false_of_what_is_no_number(case):
    op, version, expected = case
    (found,) = run_kernel(op, X, Y, version=version)
    assert found.dtype == np.bool_
    assert found.tolist() == expected


def test_comparison_of_large_integers_is_exact():
    a, b = np.array(2**63 + 1, np.uint64), np.array(2**63, np.uint64)
    assert run_kernel("Greater", a, b, version=13)[0].item() is True
    assert run_kernel("Equal", a, b, version=13)[0].item() is False


def test_strings_are_equal_by_their_characters():
    a, b = np.array([["a"], ["b"]], object), np.array(["a", "c"], object)
    (found,) = run_kernel("Equal", a, b, version=19)
    assert found.dtype == np.bool_
    assert found.tolist() == [[True, False], [False, False]]


def test_not_of_a_scalar_is_an_array():
    (found,) = run_kernel("Not", np.array(True), version=1)
    assert isinstance(found, np.ndarray)
    assert found.tolist() is False


def test_bits_are_combined_and_inverted():
    a, b = np.array([0b1100, -1], np.int16), np.array([0b1010, 5], np.int16)
    assert run_kernel("BitwiseAnd", a, b, version=18)[0].tolist() == [8, 5]
    assert run_kernel("BitwiseOr", a, b, version=18)[0].tolist() == [14, -1]
    assert run_kernel("BitwiseXor", a, b, version=18)[0].tolist() == [6, -6]
    assert run_kernel("BitwiseNot", a, version=18)[0].tolist() == [-13, 0]


@each("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_shifts_by_all_bits_leave_the_sign_or_nothing(dtype):
    bits = 8 * np.dtype(dtype).itemsize
    x = np.array([-8, 8, -8, 8, -8], dtype)
    y = np.array([1, 1, bits, bits, -1], dtype)
    right = run_kernel("BitShift", x, y, version=28, direction="RIGHT")[0]
    assert right.tolist() == [-4, 4, -1, 0, -1]
    left = run_kernel("BitShift", x, y, version=28, direction="LEFT")[0]
    assert left.tolist() == [-16, 16, 0, 0, 0]
    assert right.dtype == left.dtype == dtype


def test_a_shift_in_no_direction_is_an_error():
    with pytest.raises(EvaluationError, match="direction is 'UP'; expected one of LEFT, RIGHT"):
        run_kernel("BitShift", np.uint8([1]), np.uint8([1]), version=11, direction="UP")


def test_where_broadcasts_all_three():
    (found,) = run_kernel(
        "Where", np.array([[True], [False]]), np.int8([1, 2]), np.array(9, np.int8), version=16
    )
    assert found.dtype == np.int8
    assert found.tolist() == [[1, 2], [9, 9]]


def test_where_selects_strings():
    x, y = np.array(["a", "bc"], object), np.array("", object)
    (found,) = run_kernel("Where", np.array([True, False]), x, y, version=9)
    assert found.dtype == object
    assert found.tolist() == ["a", ""]
