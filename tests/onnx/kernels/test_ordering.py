from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel


def test_top_of_the_first_versions_is_the_largest():
    x = np.float32([[3, 1, 2]])
    for found in (
        run_kernel("TopK", x, version=1, k=2),
        run_kernel("TopK", x, np.array([2]), version=10),
    ):
        assert [one.tolist() for one in found] == [[[3, 2]], [[0, 2]]]


def test_more_elements_than_there_are_is_an_error():
    for k in (4, -1):
        with pytest.raises(
            EvaluationError, match=rf"{k} elements are asked for .* expected 0 to 3"
        ):
            run_kernel("TopK", np.float32([1, 2, 3]), np.array([k]), version=11)


@each("dtype", [np.float32, np.int8, np.float64, object, ml_dtypes.bfloat16, np.bool_])
def test_distinct_elements_are_sorted_or_in_order_of_appearance(dtype):
    words = np.array(["b", "a", "b", "c", "a", "b"], object)
    x = words if dtype is object else np.array([2, 1, 2, 3, 1, 2]).astype(dtype)
    for is_sorted in (1, 0):
        distinct, first, inverse, counts = run_kernel(
            "Unique", x.reshape(2, 3), version=11, sorted=is_sorted, num_outputs=4
        )
        assert distinct.dtype == x.dtype
        assert first.dtype == inverse.dtype == counts.dtype == np.int64
        listed = list(dict.fromkeys(x.tolist()))
        expected = sorted(listed) if is_sorted else listed
        assert distinct.tolist() == expected
        assert distinct[inverse].tolist() == x.tolist()
        assert first.tolist() == [x.tolist().index(one) for one in expected]
        assert counts.tolist() == [x.tolist().count(one) for one in expected]


@each("is_sorted", [0, 1])
@each("of_type", [np.int32, object])
def test_distinct_slices_are_compared_whole(is_sorted, of_type):
    x = np.array([[[1, 1], [0, 1], [2, 1], [0, 1]], [[1, 1], [0, 1], [2, 1], [0, 1]]])
    x = x.astype(str).astype(object) if of_type is object else x.astype(of_type)
    distinct, first, inverse, counts = run_kernel(
        "Unique", x, version=11, axis=-2, sorted=is_sorted, num_outputs=4
    )
    order = [1, 0, 2] if is_sorted else [0, 1, 2]
    assert distinct.tolist() == x[:, order].tolist()
    assert first.tolist() == order
    assert distinct[:, inverse].tolist() == x.tolist()
    assert counts.tolist() == ([2, 1, 1] if is_sorted else [1, 2, 1])


@each("shape", [((0,), None), ((0, 3), 0), ((3, 0), 0), ((2, 0), 1)])
def test_nothing_has_no_distinct_element(shape):
    size, axis = shape
    attributes = {} if axis is None else {"axis": axis}
    distinct, first, inverse, counts = run_kernel(
        "Unique", np.zeros(size, np.float32), version=11, num_outputs=4, **attributes
    )
    count = int(size == (3, 0))
    assert distinct.shape == ((0,) if axis is None else (count, size[1]) if axis == 0 else (2, 0))
    assert (len(first), len(counts)) == (count, count)
    assert len(inverse) == (3 if count else 0)


def test_places_of_what_is_not_zero_are_columns():
    x = np.array([[1, 0], [0, 2], [3, 0]])
    (found,) = run_kernel("NonZero", x, version=13)
    assert found.dtype == np.int64
    assert found.tolist() == [[0, 1, 2], [0, 1, 0]]
    assert run_kernel("NonZero", np.array(5.0), version=13)[0].shape == (0, 1)
    assert run_kernel("NonZero", np.array(0.0), version=13)[0].shape == (0, 0)
    assert run_kernel("NonZero", np.zeros((2, 0)), version=13)[0].shape == (2, 0)


def test_running_sums_of_nothing_are_nothing():
    (found,) = run_kernel("CumSum", np.zeros((2, 0)), np.array(1), version=14, exclusive=1)
    assert found.shape == (2, 0)
    with pytest.raises(EvaluationError, match="axis 2 is not one of 2 axes"):
        run_kernel("CumSum", np.zeros((2, 0)), np.array(2), version=14)
