from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

X = np.arange(42, dtype=np.float32).reshape(7, 6)


@each("axis", [0, 1, -1, -2])
def test_parts_put_together_are_the_whole(axis):
    size = X.shape[axis]
    sizes = (1, 0, 2, size - 3)
    for parts in (
        run_kernel("Split", X, np.array(sizes), version=13, axis=axis, num_outputs=4),
        run_kernel("Split", X, np.array(sizes), version=18, axis=axis, num_outputs=4),
        run_kernel("Split", X, version=11, axis=axis, split=sizes, num_outputs=4),
        run_kernel("Split", X, version=1, axis=axis, split=sizes, num_outputs=4),
        run_kernel("Split", X, np.array(sizes), version=1, axis=axis, num_outputs=4),
    ):
        assert [part.shape[axis] for part in parts] == list(sizes)
        assert run_kernel("Concat", *parts, version=13, axis=axis)[0].tolist() == X.tolist()


def test_first_split_takes_sizes_of_the_type_of_the_data():
    sizes = np.array([3, 4], np.float32)
    parts = run_kernel("Split", X, sizes, version=1, axis=0, num_outputs=2)
    assert [part.shape for part in parts] == [(3, 6), (4, 6)]
    with pytest.raises(EvaluationError, match="expected integers"):
        run_kernel("Split", X, sizes + np.float32(0.5), version=1, axis=0, num_outputs=2)


@each("version", [1, 2, 11, 13, 18])
def test_parts_are_equal_if_nothing_is_told(version):
    parts = run_kernel("Split", X, version=version, axis=1, num_outputs=3)
    assert [part.shape for part in parts] == [(7, 2)] * 3
    assert parts[1].tolist() == X[:, 2:4].tolist()


@each(
    "case",
    [(2, [4, 3]), (3, [3, 3, 1]), (4, [2, 2, 2, 1]), (1, [7]), (7, [1] * 7), (8, [1] * 7 + [0])],
)
def test_the_last_part_is_smaller_since_version_18(case):
    count, sizes = case
    parts = run_kernel("Split", X, version=18, num_outputs=count)
    assert [len(part) for part in parts] == sizes


def test_parts_that_are_not_the_whole_are_an_error():
    for sizes in ([3, 3], [5, 5, -3]):
        with pytest.raises(EvaluationError, match=r"sizes that make up 7"):
            run_kernel("Split", X, np.array(sizes), version=13, num_outputs=len(sizes))
    with pytest.raises(EvaluationError, match="to be cut into 2 equal parts"):
        run_kernel("Split", X, version=13, num_outputs=2)
    with pytest.raises(EvaluationError, match="to be cut into 5 parts"):
        run_kernel("Split", X, version=18, num_outputs=5)
    with pytest.raises(EvaluationError, match="neither sizes nor a number of parts"):
        run_kernel("Split", X, version=18, num_outputs=0)
    with pytest.raises(EvaluationError, match="axis 2 is not one of 2 axes"):
        run_kernel("Split", X, version=13, axis=2, num_outputs=1)


def test_the_first_concatenation_is_that_of_channels():
    found = run_kernel("Concat", X, X, version=1)[0]
    assert found.shape == (7, 12)
    assert run_kernel("Concat", X, X, version=1, axis=0)[0].shape == (14, 6)


def test_strings_are_concatenated():
    a, b = np.array(["a"], object), np.array(["bc", ""], object)
    assert run_kernel("Concat", a, b, version=13, axis=0)[0].tolist() == ["a", "bc", ""]


@each("other", [X[:, :3].T, X.ravel(), X[None]])
def test_shapes_that_differ_elsewhere_are_an_error(other):
    with pytest.raises(EvaluationError, match=r"cannot concatenate shapes \(7, 6\) and"):
        run_kernel("Concat", X, other, version=13, axis=1)


def test_nothing_is_not_concatenated():
    with pytest.raises(EvaluationError, match="no tensor is given"):
        run_kernel("Concat", version=13, axis=0)
    with pytest.raises(EvaluationError, match="axis 0 is not one of 0 axes"):
        run_kernel("Concat", np.array(1.0), version=13, axis=0)
