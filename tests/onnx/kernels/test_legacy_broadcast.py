from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

A = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)

PARTS = [
    ((), None, ()),
    ((1, 1), None, ()),
    ((5,), None, (5,)),
    ((4, 5), None, (4, 5)),
    ((1, 5), None, (1, 5)),
    ((3, 4), 1, (3, 4, 1)),
    ((2,), 0, (2, 1, 1, 1)),
    ((4,), -2, (4, 1)),
    ((2, 3, 4, 5), 0, (2, 3, 4, 5)),
]
"""The shape of the second tensor, the axis it begins at, and its shape as numpy broadcasts it."""

FUNCTIONS = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Pow": lambda a, b: np.power(a.astype(float), b.astype(float)).astype(np.float32),
    "Equal": np.equal,
    "Greater": np.greater,
    "Less": np.less,
}


@pytest.mark.parametrize("op", FUNCTIONS)
@each("part", PARTS)
def test_the_second_tensor_is_a_part_of_the_first(op, part):
    shape, axis, numpy_shape = part
    b = np.random.default_rng(0).integers(0, 3, shape).astype(np.float32)
    attributes = {} if axis is None else {"axis": axis}
    (found,) = run_kernel(op, A, b, version=1, broadcast=1, **attributes)
    expected = FUNCTIONS[op](A, b.reshape(numpy_shape))
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@each("op", ["And", "Or", "Xor"])
def test_logic_aligns_the_second_tensor(op):
    a = np.array([[True, False], [False, True]])
    b = np.array([True, False])
    function = {"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor}[op]
    (found,) = run_kernel(op, a, b, version=1, broadcast=1, axis=0)
    assert found.tolist() == function(a, b[:, None]).tolist()


def test_one_element_of_higher_rank_is_a_scalar():
    one = np.float32([[2]])
    found = run_kernel("Mul", A[0, 0, 0, 1:2].reshape(()), one, version=6, broadcast=1)[0]
    assert (found.shape, found.item()) == ((), 2)


def test_shapes_must_be_equal_without_broadcast():
    assert run_kernel("Add", A, A, version=6)[0].shape == A.shape
    with pytest.raises(EvaluationError, match="expected one shape, or broadcast=1"):
        run_kernel("Add", A, A[0], version=6)


@each(
    "case",
    [
        ((3,), None),
        ((4, 5), 1),
        ((5,), 4),
        ((2, 3, 4, 5, 1), None),
        ((4, 5), 3),
        ((1, 2, 3, 4, 5), None),
    ],
)
def test_a_shape_that_is_no_part_is_an_error(case):
    shape, axis = case
    with pytest.raises(EvaluationError, match="is no part of"):
        run_kernel(
            "Mul",
            A,
            np.ones((*shape[:-1], shape[-1]), np.float32) * 2,
            version=6,
            broadcast=1,
            **({} if axis is None else {"axis": axis}),
        )
