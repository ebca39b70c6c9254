"""The values of operators are compared with their types, where that is asked for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import relayish as relay
from relayish.errors import ContradictionError, EvaluationError
from relayish.interpreter.dynamic_types import type_mismatch
from relayish.op import register_op
from relayish.op.declaration import properties

X = relay.var("x", shape=(2,))
DATA = np.ones(2, "float32")


@pytest.fixture(autouse=True)
def grow() -> Iterator[None]:
    """Declare an operator that gives twice as much as it says."""
    with relay.declared_temporarily():
        register_op(
            "grow",
            arguments=("data",),
            rule=lambda _, data: data,
            evaluate=lambda _, data: np.concatenate([data, data]),
        )
        yield


def test_value_of_another_type_is_refused_where_it_is_computed():
    mod = relay.IRModule.from_expr(relay.Function([X], relay.exp(relay.grow(X))))
    function = relay.create_executor(mod=mod, check_types=True).evaluate()
    with pytest.raises(ContradictionError) as caught:
        function(DATA)
    assert str(caught.value) == (
        "evaluate of grow returned float32[4] where its rule says Tensor[(2), float32]; mend the "
        "one that is wrong, then relay.testing.opcheck('grow') tries it"
    )
    assert "while evaluating grow(%x)" in caught.value.__notes__


def test_value_of_another_type_is_refused_in_expressions_and_what_they_call():
    body = relay.If(relay.const(True), relay.grow(X), X)
    call = relay.Call(relay.Function([X], body), [relay.Constant(DATA)])
    for check in (False, True):  # what the library has not written is checked in any case
        with pytest.raises(ContradictionError, match="evaluate of grow"):
            relay.create_executor(check_types=check).evaluate(call)


def test_value_of_another_type_is_refused_of_operators_of_the_library_where_that_is_asked():
    add = relay.op.get("add")

    def grow(_, x, y):
        return np.concatenate([x, y])

    grow.__module__ = "relayish.op.tensor.elementwise"
    properties.evaluate.set(add, grow, replace=True)  # until the declarations go
    mod = relay.IRModule.from_expr(relay.Function([X], relay.add(X, X)))
    assert relay.create_executor(mod=mod).evaluate()(DATA).shape == (4,)
    with pytest.raises(ContradictionError, match="evaluate of add"):
        relay.create_executor(mod=mod, check_types=True).evaluate()(DATA)


def test_values_of_programs_that_are_right_are_the_same():
    y = relay.var("y")
    body = relay.Let(y, relay.split(X, 2), relay.concatenate(y, axis=0) + X)
    mod = relay.IRModule.from_expr(relay.Function([X], body))
    found = relay.create_executor(mod=mod, check_types=True).evaluate()(DATA)
    assert found.tolist() == [2, 2]


def test_graph_executor_says_that_it_does_not_check():
    with pytest.raises(EvaluationError, match="'graph' does not check types; use 'debug'"):
        relay.create_executor("graph", check_types=True)


@pytest.mark.parametrize(
    ("value", "ty", "mismatch"),
    [
        (DATA, relay.TensorType((2,)), None),
        (DATA, relay.TensorType((relay.Any(),)), None),
        (DATA, relay.TensorType((3,)), ("float32[2]", "Tensor[(3), float32]")),
        (DATA, relay.TensorType((2, 1)), ("float32[2]", "Tensor[(2, 1), float32]")),
        (np.int32(1), relay.TensorType(()), ("int32", "float32")),
        ((DATA,), relay.TensorType((2,)), ("a tuple of 1 field", "Tensor[(2), float32]")),
        ((DATA, DATA), relay.TupleType([relay.TensorType((2,)), relay.TensorType((3,))]),
         ("float32[2] in field 1", "Tensor[(3), float32]")),
        (DATA, relay.TupleType([]), ("float32[2]", "()")),
        ([DATA], relay.TupleType([relay.TensorType((2,))]),
         ("a list of 1 field", "(Tensor[(2), float32],)")),
    ],
)  # fmt: skip
def test_mismatch_says_what_was_found_and_what_was_inferred(value, ty, mismatch):
    assert type_mismatch(value, ty) == mismatch


def test_size_that_is_known_is_the_one_it_is_known_to_be():
    n = relay.SizeVar("n")
    assert type_mismatch(DATA, relay.TensorType((n,)), {n: 2}) is None
    assert type_mismatch(DATA, relay.TensorType((n,)), {n: 3}) is not None


def test_sizes_of_one_name_are_one_size():
    n = relay.SizeVar("n")
    square = relay.TensorType((n, n))
    assert type_mismatch(np.ones((2, 2), "float32"), square) is None
    assert type_mismatch(np.ones((2, 3), "float32"), square) is not None
