from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

LEAST, MOST = -(2**63), 2**63 - 1
X = np.arange(20, dtype=np.float32).reshape(4, 5)


def take(x, start, end, step, axis=0):
    places = [np.array([one], np.int64) for one in (start, end, axis, step)]
    return run_kernel("Slice", x, *places, version=13)[0]


@each("size", [0, 1, 4])
@each("start", [LEAST, -5, -4, -1, 0, 2, 3, 4, MOST])
@each("end", [LEAST, -5, -4, -1, 0, 2, 3, 4, MOST])
@each("step", [-3, -1, 1, 2, MOST])
def test_bounds_are_clamped_as_onnx_says(size, start, end, step):
    first = start + size if start < 0 else start
    last = end + size if end < 0 else end
    if step > 0:
        places = range(min(max(first, 0), size), min(max(last, 0), size), step)
    else:
        places = range(min(max(first, 0), size - 1), min(max(last, -1), size - 1), step)
    x = np.arange(size)
    assert take(x, start, end, step).tolist() == (list(places) if size else [])


def test_slices_of_axes_are_independent_of_their_order():
    starts, ends = np.array([1, -3]), np.array([3, MOST])
    found = run_kernel("Slice", X, starts, ends, np.array([-1, 0]), version=11)[0]
    assert found.tolist() == X[1:, 1:3].tolist()
    found = run_kernel("Slice", X, version=1, starts=(1, -3), ends=(3, 99), axes=(1, 0))[0]
    assert found.tolist() == X[1:, 1:3].tolist()


def test_slices_without_axes_are_those_of_the_first():
    found = run_kernel("Slice", X, np.array([1]), np.array([3]), version=10)[0]
    assert found.tolist() == X[1:3].tolist()
    found = run_kernel("Slice", X, version=1, starts=(1, 2), ends=(3, 4))[0]
    assert found.tolist() == X[1:3, 2:4].tolist()


def test_slices_that_contradict_are_an_error():
    one, two = np.array([1]), np.array([1, 2])
    with pytest.raises(EvaluationError, match="Slice has 1 starts, 2 ends"):
        run_kernel("Slice", X, one, two, version=13)
    with pytest.raises(EvaluationError, match="expected none that is 0"):
        run_kernel("Slice", X, one, one, one, np.array([0]), version=13)
    with pytest.raises(EvaluationError, match="axis 2 is not one of 2 axes"):
        run_kernel("Slice", X, one, one, np.array([2]), version=13)
    with pytest.raises(EvaluationError, match="axis 0 is not one of 0 axes"):
        run_kernel("Slice", np.array(1.0), one, one, version=13)


@each("case", [((2, 3), X[1:3, 1:4]), ((3, 4), X[0:3, 0:4]), ((4, 5), X)])
def test_the_middle_is_cut_out(case):
    sizes, expected = case
    (found,) = run_kernel("CenterCropPad", X, np.array(sizes), version=18)
    assert found.tolist() == expected.tolist()


def test_zeros_surround_what_is_too_small():
    (found,) = run_kernel("CenterCropPad", np.int8([[1, 2]]), np.array([4, 5]), version=18)
    assert found.dtype == np.int8
    assert found.tolist() == [[0] * 5, [0, 1, 2, 0, 0], [0] * 5, [0] * 5]
    (found,) = run_kernel("CenterCropPad", np.array(["a"], object), np.array([3]), version=18)
    assert found.tolist() == ["", "a", ""]


def test_some_axes_are_cropped_and_others_padded():
    (found,) = run_kernel("CenterCropPad", X, np.array([7, 2]), version=18, axes=(-1, 0))
    assert found.shape == (2, 7)
    assert found[:, 1:6].tolist() == X[1:3].tolist()
    for sizes in ([7], [-1, 7]):
        with pytest.raises(EvaluationError, match="expected 2 sizes of 0 or more"):
            run_kernel("CenterCropPad", X, np.array(sizes), version=18)
    assert run_kernel("CenterCropPad", X, np.array([0, 7]), version=18)[0].shape == (0, 7)


@each("k", [-9, -2, 0, 1, 9])
@each("upper", [0, 1])
@each("shape", [(3, 4), (2, 4, 3), (0, 3)])
def test_triangles_are_those_of_numpy(k, upper, shape):
    x = np.arange(1, 1 + np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
    (found,) = run_kernel("Trilu", x, np.array(k), version=14, upper=upper)
    assert found.dtype == np.int32
    assert found.tolist() == (np.triu if upper else np.tril)(x, k).tolist()


def test_a_triangle_has_no_vector():
    assert run_kernel("Trilu", np.ones((2, 2)), version=14)[0].tolist() == [[1, 1], [0, 1]]
    with pytest.raises(EvaluationError, match="expected matrices"):
        run_kernel("Trilu", np.ones(3), version=14)


def test_a_condition_selects_slices_or_elements():
    condition = np.array([False, True, True])
    assert (
        run_kernel("Compress", X, condition, version=11, axis=1)[0].tolist() == X[:, 1:3].tolist()
    )
    assert run_kernel("Compress", X, condition, version=11)[0].tolist() == [1, 2]
    assert run_kernel("Compress", X, condition[:0], version=11, axis=0)[0].shape == (0, 5)
    longer = np.array([False] * 4 + [False, True])
    with pytest.raises(EvaluationError, match="place 5 along axis 0"):
        run_kernel("Compress", X, longer, version=11, axis=0)
    with pytest.raises(EvaluationError, match="condition of Compress has shape"):
        run_kernel("Compress", X, condition[None], version=11)


@each("case", [([1, 2], {}), ([1, 2, 9], {}), ([1, 2, -1], {}), ([1, 2, 3], {"time_axis": 1})])
def test_sequences_that_do_not_fit_are_an_error(case):
    lengths, attributes = case
    with pytest.raises(EvaluationError, match=r"sequence_lens|batch_axis"):
        run_kernel("ReverseSequence", X[:, :3], np.array(lengths), version=10, **attributes)


@each("mode", ["linear", "circular"])
@each("axis", [1, 2, -1])
def test_a_cache_is_written_at_a_place_of_each_sequence(mode, axis):
    cache = np.zeros((2, 4, 4), np.float32)
    shape = [2, 4, 4]
    shape[axis] = 2
    update = np.arange(1, 17, dtype=np.float32).reshape(shape)
    first = np.array([3, 1]) if mode == "circular" else np.array([2, 1])
    (found,) = run_kernel("TensorScatter", cache, update, first, version=24, axis=axis, mode=mode)
    for element in range(2):
        places = [(int(first[element]) + step) % 4 for step in range(2)]
        written = np.take(found[element], places, axis=(axis - 1) % 2 if axis > 0 else 1)
        assert written.tolist() == update[element].tolist()
    assert np.count_nonzero(found) == update.size


def test_a_cache_is_written_at_the_beginning_if_nothing_is_told():
    cache, update = np.zeros((1, 3, 1)), np.ones((1, 2, 1))
    assert run_kernel("TensorScatter", cache, update, version=24)[0].ravel().tolist() == [1, 1, 0]
    whole = np.ones((1, 3, 1))
    assert run_kernel("TensorScatter", cache, whole, version=24)[0].ravel().tolist() == [1, 1, 1]
    for inputs, attributes in (
        ((cache, update, np.array([2])), {}),
        ((cache, update, np.array([-1])), {}),
        ((cache, update, np.array([0, 0])), {}),
        ((cache, np.ones((1, 4, 1))), {}),
        ((cache, np.ones((1, 2, 2))), {}),
        ((cache, np.ones((2, 2, 1))), {}),
        ((cache, np.ones((1, 3, 1))), {"axis": 0}),
    ):
        with pytest.raises(EvaluationError, match=r"write_indices|update"):
            run_kernel("TensorScatter", *inputs, version=24, **attributes)
