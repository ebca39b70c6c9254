from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
SCALAR = np.array(5.0)


def test_identity_gives_any_value_itself():
    for value in (X, [X], {1: 2.0}, None, np.array(["a"], object)):
        assert run_kernel("Identity", value, version=25)[0] is value


@each(
    "case",
    [
        ({}, [2, 3, 4]),
        ({"start": 1}, [3, 4]),
        ({"end": -1}, [2, 3]),
        ({"start": -2, "end": 9}, [3, 4]),
        ({"start": -9, "end": 1}, [2]),
        ({"start": 2, "end": 1}, []),
    ],
)
def test_shape_is_cut_to_what_there_is(case):
    attributes, expected = case
    (found,) = run_kernel("Shape", X, version=15, **attributes)
    assert found.dtype == np.int64
    assert found.tolist() == expected


def test_a_scalar_has_no_sizes_and_one_element():
    assert run_kernel("Shape", SCALAR, version=13)[0].shape == (0,)
    (size,) = run_kernel("Size", SCALAR, version=13)
    assert (size.dtype, size.shape, size.item()) == (np.int64, (), 1)
    assert run_kernel("Size", X[:0], version=13)[0] == 0


@each(
    "case",
    [
        ([4, 3, 2], (4, 3, 2)),
        ([-1], (24,)),
        ([0, -1], (2, 12)),
        ([0, 0, 2, 2], (2, 3, 2, 2)),
        ([2, -1, 0], (2, 3, 4)),
        ([24, 1, -1], (24, 1, 1)),
    ],
)
def test_reshape_keeps_and_finds_sizes(case):
    sizes, expected = case
    for found in (
        run_kernel("Reshape", X, np.array(sizes), version=13)[0],
        run_kernel("Reshape", X, np.array(sizes), version=14)[0],
        run_kernel("Reshape", X, version=1, shape=tuple(sizes))[0],
    ):
        assert found.shape == expected
        assert found.ravel().tolist() == X.ravel().tolist()


def test_reshape_to_no_size_is_a_scalar():
    assert run_kernel("Reshape", X[0, 0, :1], np.zeros(0, np.int64), version=13)[0].shape == ()
    assert run_kernel("Reshape", SCALAR, np.array([-1]), version=13)[0].shape == (1,)


def test_zero_may_mean_no_element():
    empty = X[:0]
    assert run_kernel("Reshape", empty, np.array([3, 0]), version=14, allowzero=1)[0].shape == (
        3,
        0,
    )
    assert run_kernel("Reshape", empty, np.array([0, 5]), version=14)[0].shape == (0, 5)
    with pytest.raises(EvaluationError, match=r"cannot reshape \(0, 3, 4\) to \[3, 0\]"):
        run_kernel("Reshape", empty, np.array([3, 0]), version=14)


@each("case", [[5], [-1, -1], [5, -1], [-2, 12], [-2, -12], [2, 3, 4, 0], [0, -1, 5]])
def test_a_shape_that_does_not_fit_is_an_error(case):
    with pytest.raises(EvaluationError, match="shape"):
        run_kernel("Reshape", X, np.array(case), version=13)


def test_a_size_of_nothing_is_not_found():
    with pytest.raises(EvaluationError, match="which the others determine"):
        run_kernel("Reshape", X[:0], np.array([0, -1]), version=14)


@each("case", [(0, (1, 24)), (1, (2, 12)), (2, (6, 4)), (3, (24, 1)), (-1, (6, 4)), (-3, (1, 24))])
def test_flatten_makes_a_matrix(case):
    axis, expected = case
    assert run_kernel("Flatten", X, version=13, axis=axis)[0].shape == expected


def test_flatten_of_a_scalar_and_of_nothing():
    assert run_kernel("Flatten", SCALAR, version=13, axis=0)[0].shape == (1, 1)
    assert run_kernel("Flatten", X[:, :0], version=13)[0].shape == (2, 0)
    with pytest.raises(EvaluationError, match="axis 4 of Flatten; expected -3 to 3"):
        run_kernel("Flatten", X, version=13, axis=4)
    with pytest.raises(EvaluationError, match="axis -4 of Flatten"):
        run_kernel("Flatten", X, version=13, axis=-4)


def test_axes_of_one_are_squeezed():
    x = X.reshape(1, 2, 1, 12)
    assert run_kernel("Squeeze", x, version=13)[0].shape == (2, 12)
    assert run_kernel("Squeeze", x, version=1)[0].shape == (2, 12)
    assert run_kernel("Squeeze", x, np.array([-2]), version=13)[0].shape == (1, 2, 12)
    assert run_kernel("Squeeze", x, version=11, axes=(0, -2))[0].shape == (2, 12)
    with pytest.raises(EvaluationError, match=r"axis 1 of shape .* is to be squeezed"):
        run_kernel("Squeeze", x, np.array([1]), version=13)
    with pytest.raises(EvaluationError, match="axis 4 is not one of 4 axes"):
        run_kernel("Squeeze", x, np.array([4]), version=13)
    with pytest.raises(EvaluationError, match="axis 0 is not one of 0 axes"):
        run_kernel("Squeeze", SCALAR, np.array([0]), version=13)


@each(
    "case",
    [
        ((0,), (1, 2, 3, 4)),
        ((-1,), (2, 3, 4, 1)),
        ((3, 0), (1, 2, 3, 1, 4)),
        ((0, -1), (1, 2, 3, 4, 1)),
    ],
)
def test_axes_of_the_result_are_added(case):
    axes, expected = case
    assert run_kernel("Unsqueeze", X, np.array(axes), version=13)[0].shape == expected
    assert run_kernel("Unsqueeze", X, version=11, axes=axes)[0].shape == expected


def test_axes_are_added_to_a_scalar_by_a_scalar():
    assert run_kernel("Unsqueeze", SCALAR, np.array(0), version=13)[0].shape == (1,)
    with pytest.raises(EvaluationError, match="twice"):
        run_kernel("Unsqueeze", X, np.array([0, -5]), version=13)
    with pytest.raises(EvaluationError, match="axis 2 is not one of 1 axes"):
        run_kernel("Unsqueeze", SCALAR, np.array([2]), version=13)


def test_axes_are_put_into_another_order():
    assert run_kernel("Transpose", X, version=13)[0].shape == (4, 3, 2)
    found = run_kernel("Transpose", X, version=13, perm=(1, 2, 0))[0]
    assert found.tolist() == X.transpose(1, 2, 0).tolist()
    for perm in ((0, 1), (0, 1, 1), (0, 1, 3)):
        with pytest.raises(EvaluationError):
            run_kernel("Transpose", X, version=13, perm=perm)


@each(
    "case",
    [
        ((3, 1), (3, 4), (3, 4)),
        ((3, 1), (2, 1, 6), (2, 3, 6)),
        ((2, 3), (1,), (2, 3)),
        ((), (2, 2), (2, 2)),
        ((2, 1), (), (2, 1)),
        ((2, 1), (0,), (2, 0)),
    ],
)
def test_expand_broadcasts_both_ways(case):
    shape, sizes, expected = case
    x = np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)
    (found,) = run_kernel("Expand", x, np.array(sizes, np.int64), version=13)
    np.testing.assert_array_equal(found, x + np.zeros(sizes, np.float32))
    assert found.shape == expected


def test_expand_that_does_not_fit_is_an_error():
    with pytest.raises(EvaluationError, match=r"\(2, 3, 4\) and \(3,\)"):
        run_kernel("Expand", X, np.array([3]), version=13)
    with pytest.raises(EvaluationError, match="expected sizes of 0 or more"):
        run_kernel("Expand", X, np.array([-1]), version=13)


def test_elements_are_repeated():
    x = np.array([[1, 2], [3, 4]])
    assert run_kernel("Tile", x, np.array([1, 2]), version=13)[0].tolist() == [
        [1, 2, 1, 2],
        [3, 4, 3, 4],
    ]
    assert run_kernel("Tile", x, np.array([0, 2]), version=6)[0].shape == (0, 4)
    first = run_kernel("Tile", x, np.array([2.0]), np.array([0.0]), version=1)[0]
    assert first.tolist() == [[1, 2], [3, 4], [1, 2], [3, 4]]
    for repeats in ([2], [1, -1]):
        with pytest.raises(EvaluationError, match="repeats"):
            run_kernel("Tile", x, np.array(repeats), version=13)


def test_sizes_must_be_integers_in_a_vector():
    for sizes in (np.array([[24]]), np.array([24.0])):
        with pytest.raises(EvaluationError, match=r"shape of Reshape is .*; expected integers"):
            run_kernel("Reshape", X, sizes, version=13)
