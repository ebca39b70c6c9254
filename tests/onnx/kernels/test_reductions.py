from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.onnx.kernels import find_kernel
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

REDUCTIONS = {
    "ReduceSum": np.sum,
    "ReduceMean": np.mean,
    "ReduceProd": np.prod,
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceL1": lambda x, **how: np.sum(np.abs(x), **how),
    "ReduceL2": lambda x, **how: np.sqrt(np.sum(x * x, **how)),
    "ReduceSumSquare": lambda x, **how: np.sum(x * x, **how),
    "ReduceLogSum": lambda x, **how: np.log(np.sum(x, **how)),
    "ReduceLogSumExp": lambda x, **how: np.log(np.sum(np.exp(x), **how)),
}
AXES = [None, (0,), (1, -1), (2, 0), (0, 1, 2), (-2,)]
TYPES = {np.float32: 1e-5, np.float64: 1e-12, np.float16: 5e-3, ml_dtypes.bfloat16: 2e-2}


def data(dtype=np.float64):
    return (np.random.default_rng(0).uniform(0.5, 2, (2, 3, 4))).astype(dtype)


@pytest.mark.parametrize("op", REDUCTIONS)
@each("axes", AXES)
@each("keepdims", [0, 1])
@each("dtype", TYPES)
def test_reduction_is_that_of_numpy_in_each_version(op, axes, keepdims, dtype):
    x = data(dtype)
    expected = REDUCTIONS[op](x.astype(np.float64), axis=axes, keepdims=bool(keepdims))
    attributes = {} if axes is None else {"axes": axes}
    inputs = [] if axes is None else [np.array(axes)]
    input_version = 13 if op == "ReduceSum" else 18
    for found in (
        run_kernel(op, x, version=11, keepdims=keepdims, **attributes)[0],
        run_kernel(op, x, *inputs, version=input_version, keepdims=keepdims)[0],
    ):
        assert isinstance(found, np.ndarray)
        assert (found.dtype, found.shape) == (dtype, np.shape(expected))
        np.testing.assert_allclose(found.astype(float), expected, rtol=TYPES[dtype])


@pytest.mark.parametrize("op", REDUCTIONS)
def test_no_axes_are_all_or_none_as_told(op):
    x = data()
    for axes in ((), (np.array([], np.int64),)):
        every = run_kernel(op, x, *axes, version=13 if op == "ReduceSum" else 18)[0]
        assert every.shape == (1, 1, 1)
        none = run_kernel(
            op, x, *axes, version=13 if op == "ReduceSum" else 18, noop_with_empty_axes=1
        )[0]
        np.testing.assert_allclose(none, REDUCTIONS[op](x, axis=()))


@pytest.mark.parametrize("op", REDUCTIONS)
def test_a_scalar_is_reduced_along_no_axis(op):
    x = np.array(2.0)
    version = 13 if op == "ReduceSum" else 18
    expected = pytest.approx(REDUCTIONS[op](x))
    assert run_kernel(op, x, version=version)[0] == expected
    assert run_kernel(op, x, np.array([0]), version=version)[0] == expected


EMPTY = {
    "ReduceSum": 0, "ReduceProd": 1, "ReduceMax": -np.inf, "ReduceMin": np.inf, "ReduceL1": 0,
    "ReduceL2": 0, "ReduceSumSquare": 0, "ReduceLogSum": -np.inf, "ReduceLogSumExp": -np.inf,
}  # fmt: skip


@each("op", EMPTY)
@each("keepdims", [0, 1])
def test_nothing_is_reduced_to_what_changes_nothing(op, keepdims):
    found = find_kernel("", op, 13 if op == "ReduceSum" else 18)(
        np.zeros((2, 0, 3), np.float32), np.array([1]), keepdims=keepdims
    )
    assert found.shape == ((2, 1, 3) if keepdims else (2, 3))
    assert np.unique(found).tolist() == [EMPTY[op]]


def test_bounds_of_no_integers_are_those_of_the_type():
    x = np.zeros(0, np.int8)
    assert run_kernel("ReduceMax", x, version=20)[0].tolist() == [-128]
    assert run_kernel("ReduceMin", x, version=20)[0].tolist() == [127]
    assert run_kernel("ReduceMax", np.zeros(0, bool), version=20)[0].tolist() == [False]
    assert run_kernel("ReduceMin", np.zeros(0, bool), version=20)[0].tolist() == [True]
    with pytest.raises(EvaluationError, match="the mean of no int8"):
        run_kernel("ReduceMean", x, version=18)


def test_norms_and_logarithms_of_integers_are_integers():
    x = np.int32([3, 4])
    assert run_kernel("ReduceL2", x, version=18)[0].tolist() == [5]
    assert run_kernel("ReduceLogSum", np.int32([10, 11]), version=18)[0].tolist() == [3]
    assert run_kernel("ReduceLogSumExp", x, version=18)[0].tolist() == [4]


def test_booleans_have_a_largest():
    x = np.array([[True, False], [False, False]])
    assert run_kernel("ReduceMax", x, np.array([1]), version=20, keepdims=0)[0].tolist() == [1, 0]
    assert run_kernel("ReduceMin", x, np.array([1]), version=20, keepdims=0)[0].tolist() == [0, 0]


def test_exponentials_of_a_sum_do_not_overflow():
    x = np.float32([[1000, 1000], [-1000, -np.inf], [-np.inf, -np.inf], [np.inf, 1]])
    found = find_kernel("", "ReduceLogSumExp", 18)(x, np.array([1]), keepdims=0)
    np.testing.assert_allclose(found, [1000 + np.log(2), -1000, -np.inf, np.inf], rtol=1e-6)


def test_axes_that_do_not_exist_or_come_twice_are_an_error():
    for axes in ((3,), (-4,), (0, 0), (1, -2)):
        with pytest.raises(EvaluationError, match=r"ax[ei]s"):
            run_kernel("ReduceSum", data(), np.array(axes), version=13)
        with pytest.raises(EvaluationError, match=r"ax[ei]s"):
            run_kernel("ReduceMax", data(), version=13, axes=axes)
