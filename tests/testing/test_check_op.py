"""An operator is checked on one call: text, type, value and gradient agree."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import relayish as relay
from relayish.errors import CheckError, EvaluationError
from relayish.op import register_gradient, register_op
from relayish.op.types.type_rules import tensor
from relayish.testing import check_op

DATA = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.fixture(autouse=True)
def declarations() -> Iterator[None]:
    with relay.declared_temporarily():
        yield


def test_operator_that_is_right_gives_its_value():
    assert check_op("cumsum", DATA, axis=0).tolist() == [[1, 2], [4, 6]]


def test_numbers_and_tuples_of_arrays_are_taken():
    assert check_op("add", 1.0, np.float32(2)) == 3
    assert check_op("concatenate", (DATA, DATA), axis=1).shape == (2, 4)


@pytest.mark.parametrize("op", ["tanh", "nn.softmax", "transpose", "split"])
def test_operators_of_the_library_agree_with_themselves(op):
    attributes = {"indices_or_sections": 2} if op == "split" else {}
    check_op(op, DATA, **attributes)


def test_value_of_another_shape_than_its_type_is_found():
    register_op(
        "grow",
        arguments=("data",),
        rule=lambda _, data: data,
        evaluate=lambda _, data: np.concatenate([data, data]),
    )
    with pytest.raises(CheckError) as caught:
        check_op("grow", DATA)
    assert str(caught.value) == (
        "operator grow contradicts itself:\n"
        "  its evaluation gave float64[4, 2] where Tensor[(2, 2), float64] was inferred"
    )


def test_value_of_another_element_type_is_found():
    register_op("whole", arguments=("data",), rule=lambda _, d: d, evaluate=lambda _, d: d > 0)
    with pytest.raises(CheckError, match=r"gave bool\[2, 2\] where Tensor\[\(2, 2\), float64\]"):
        check_op("whole", DATA)


def test_type_that_is_too_narrow_where_sizes_are_unknown_is_found():
    def rule(_: object, data: relay.Type) -> relay.Type:
        shape = tensor(data, "data").shape
        return data if all(isinstance(size, int) for size in shape) else relay.TensorType((7,))

    register_op("narrow", arguments=("data",), rule=rule, evaluate=lambda _, data: data)
    with pytest.raises(CheckError, match=r"unknown sizes it gives .*Tensor\[\(7\), float32\]"):
        check_op("narrow", DATA)


def test_operator_with_another_value_each_time_is_found():
    values = iter(range(10))
    register_op(
        "count",
        arguments=("data",),
        rule=lambda _, data: data,
        evaluate=lambda _, data: data + next(values),
    )
    with pytest.raises(CheckError, match="another value the second time; stateful=True"):
        check_op("count", DATA)


def test_gradient_that_is_wrong_is_found():
    register_op("same", arguments=("data",), rule=lambda _, d: d, evaluate=lambda _, d: +d)
    register_gradient("same", lambda call, grad: [grad + grad])
    with pytest.raises(CheckError, match="its gradient: Not equal to tolerance"):
        check_op("same", DATA)


def test_evaluation_that_writes_to_its_argument_fails():
    def evaluate(_: object, data: np.ndarray) -> np.ndarray:
        data[...] = 0
        return data

    register_op("clear", arguments=("data",), rule=lambda _, d: d, evaluate=evaluate)
    with pytest.raises(EvaluationError, match=r"operator clear .* read-only"):
        check_op("clear", DATA)
