"""``check_grad`` accepts right gradients and finds wrong ones."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import op
from relayish.errors import FieldError, GradientError
from relayish.ir.relay.expr import Function, Var
from relayish.ir.relay.type import Any, TensorType
from relayish.op.declaration.properties import primal_gradient
from relayish.testing import TempOpAttr, check_grad

MATRIX = TensorType((2, 3), "float64")


def function(build, *types):
    params = tuple(Var(f"x{i}", ty) for i, ty in enumerate(types))
    return Function(params, build(*params))


@pytest.mark.parametrize("mode", ["higher_order", "first_order"])
def test_right_gradients_pass(mode):
    func = function(lambda x, y: op.tanh(x * y) + x, MATRIX, TensorType((3,), "float64"))
    check_grad(func, mode=mode)
    check_grad(func, scale=1.0, mean=0.5, mode=mode)


def test_a_wrong_gradient_is_found():
    func = function(op.tanh, MATRIX)
    with TempOpAttr("tanh", primal_gradient, lambda call, grad: [grad]):
        with pytest.raises(AssertionError, match="in the gradient of input 0"):
            check_grad(func, scale=1.0)
        check_grad(func)  # near zero it is right


def test_inputs_that_are_not_smooth_are_left_out():
    func = function(lambda x, at: op.take(x, at, axis=0), MATRIX, TensorType((2,), "int32"))
    inputs = [np.arange(6.0).reshape(2, 3), np.array([1, 1], "int32")]
    check_grad(func, inputs, test_inputs=inputs[:1])
    assert inputs[0].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_inputs_that_cannot_be_tested_are_refused():
    func = function(op.tanh, MATRIX)
    values = np.ones((2, 3))
    for tested in ([], [np.ones((2, 3))]):
        with pytest.raises(FieldError, match="expected one or more of these very arrays"):
            check_grad(func, [values], test_inputs=tested)
    with pytest.raises(FieldError, match="pass inputs="):
        check_grad(function(op.tanh, TensorType((Any(),), "float64")))
    with pytest.raises(GradientError, match="operator floor has no gradient"):
        check_grad(function(op.floor, MATRIX))
