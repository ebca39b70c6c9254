from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError, OutOfBoundsError
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
WORDS = np.array([["a", "b"], ["c", "d"]], object)


@each("axis", [0, 1, 2, -1])
@each("places", [1, [0, -1], [[1], [0]], []])
@each("of_type", [np.int32, np.int64])
def test_slices_are_gathered(axis, places, of_type):
    (found,) = run_kernel("Gather", X, np.array(places, of_type), version=13, axis=axis)
    assert found.tolist() == np.take(X, np.array(places, int), axis=axis).tolist()
    assert found.dtype == X.dtype


def test_one_element_is_gathered_as_an_array():
    (found,) = run_kernel("Gather", WORDS[0], np.array(-1), version=13)
    assert isinstance(found, np.ndarray)
    assert (found.dtype, found.shape, found.item()) == (object, (), "b")


def test_places_before_the_first_or_behind_the_last_are_an_error():
    for place in (2, -3):
        for op in ("Gather", "GatherElements"):
            places = np.full((1, 1, 1), place)
            with pytest.raises(OutOfBoundsError, match=rf"holds {place}; expected -2 to 1"):
                run_kernel(op, X, places, version=13)
        with pytest.raises(OutOfBoundsError, match=rf"axis 0 holds {place}; expected -2 to 1"):
            run_kernel("GatherND", X, np.array([[place]]), version=13)
    with pytest.raises(EvaluationError, match="expected integers"):
        run_kernel("Gather", X, np.float32([0]), version=13)
    with pytest.raises(OutOfBoundsError):
        run_kernel("Gather", X[:0], np.array([0]), version=13)


def test_slices_are_gathered_by_rows_of_places():
    rows = np.array([[1, -1], [0, 2]])
    assert run_kernel("GatherND", X, rows, version=11)[0].tolist() == [
        X[1, 2].tolist(),
        X[0, 2].tolist(),
    ]
    assert run_kernel("GatherND", X, np.array([1, 2, 3]), version=13)[0].tolist() == 23
    assert run_kernel("GatherND", WORDS, np.array([1, 0]), version=13)[0].tolist() == "c"
    assert run_kernel("GatherND", X, np.zeros((0, 2), int), version=13)[0].shape == (0, 4)


def test_rows_of_places_stay_in_their_batch():
    rows = np.array([[[1]], [[2]]])
    found = run_kernel("GatherND", X, rows, version=12, batch_dims=1)[0]
    assert found.tolist() == [[X[0, 1].tolist()], [X[1, 2].tolist()]]
    rows = np.arange(6).reshape(2, 3, 1) % 4
    found = run_kernel("GatherND", X, rows, version=13, batch_dims=2)[0]
    assert found.tolist() == np.take_along_axis(X, rows, 2)[:, :, 0].tolist()


@each("case", [((2, 4), 0), ((2, 0), 0), ((), 0), ((3, 1, 1), 1), ((2, 1), 2), ((2, 1, 1), -1)])
def test_rows_of_places_that_do_not_fit_are_an_error(case):
    shape, batch_dims = case
    with pytest.raises(EvaluationError, match=r"indices of .* expected"):
        run_kernel("GatherND", X, np.zeros(shape, int), version=13, batch_dims=batch_dims)


REDUCTIONS = {
    "none": lambda old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "max": max,
    "min": min,
}


def test_older_names_scatter_without_a_reduction():
    places, updates = np.array([[1, 0]]), np.float32([[7, 8]])
    x = np.zeros((2, 2), np.float32)
    for op, version in (("Scatter", 9), ("Scatter", 11), ("ScatterElements", 11)):
        (found,) = run_kernel(op, x, places, updates, version=version)
        assert found.tolist() == [[0, 8], [7, 0]]
    words = run_kernel("ScatterElements", WORDS, places, np.array([["x", "y"]], object), version=13)
    assert words[0].tolist() == [["a", "y"], ["x", "d"]]


@each("reduction", REDUCTIONS)
def test_slices_are_scattered_by_rows_of_places(reduction):
    rows = np.array([[1, -1], [0, 0]]) if reduction == "none" else np.array([[1, 0], [1, -3]])
    updates = np.float32([[5, 1, 5, 1], [2, 30, 2, 30]])
    (found,) = run_kernel("ScatterND", X, rows, updates, version=18, reduction=reduction)
    expected = X.copy()
    for row, update in zip(rows, updates, strict=True):
        expected[tuple(row)] = [
            REDUCTIONS[reduction](old, new)
            for old, new in zip(expected[tuple(row)].tolist(), update.tolist(), strict=True)
        ]
    assert found.tolist() == expected.tolist()
    if reduction == "none":
        assert run_kernel("ScatterND", X, rows, updates, version=11)[0].tolist() == found.tolist()


def test_updates_that_do_not_fit_are_an_error():
    zeros = np.zeros((1, 2), int)
    with pytest.raises(EvaluationError, match=r"updates have shape \(2,\); expected that of"):
        run_kernel("ScatterElements", X[0], zeros, np.zeros(2, np.float32), version=18)
    with pytest.raises(EvaluationError, match=r"updates have shape \(2,\); expected \(1, 4\)"):
        run_kernel("ScatterND", X, zeros, np.zeros(2, np.float32), version=18)
    with pytest.raises(EvaluationError, match="reduction is 'mean'"):
        run_kernel(
            "ScatterND", X, zeros, np.zeros((1, 4), np.float32), version=18, reduction="mean"
        )


def test_an_index_out_of_range_is_off_everywhere():
    (found,) = run_kernel(
        "OneHot",
        np.float32([1.9, 3, -4, -3]),
        np.float32([3]),
        np.array(["", "x"], object),
        version=9,
    )
    assert found.dtype == object
    assert found.tolist() == [["", "x", ""], [""] * 3, [""] * 3, ["x", "", ""]]


def test_one_hot_needs_two_values_and_one_depth():
    two = np.float32([0, 1])
    for depth, values in ((np.array(3), two[:1]), (np.array([3, 3]), two), (np.array(-1), two)):
        with pytest.raises(EvaluationError, match="OneHot"):
            run_kernel("OneHot", np.array([0]), depth, values, version=11)
    with pytest.raises(EvaluationError, match="axis 2 is not one of 2 axes"):
        run_kernel("OneHot", np.array([0]), np.array(3), two, version=11, axis=2)
