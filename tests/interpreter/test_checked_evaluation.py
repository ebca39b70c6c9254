"""Evaluations that other packages bring are held against the rules of their operators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import relayish as relay
from relayish.errors import ContradictionError
from relayish.interpreter.checked_evaluation import evaluation_of
from relayish.ir.nodes.node import declared_temporarily
from relayish.op.declaration import properties
from relayish.transform import FoldConstant, InferType

PAIR = relay.TensorType((2,), "float32")
ZEROS = np.zeros(2, "float32")


def declare(result: Any, expected: relay.Type = PAIR) -> Any:
    """Declare an operator that gives ``result`` where ``expected`` is what its rule says."""
    relay.op.register_op(
        "other.made",
        arguments=("x",),
        rule=lambda _attrs, _x: expected,
        evaluate=lambda _attrs, _x: result,
        description="Gives something.",
    )
    return relay.other.made


def evaluate(kind: str, made: Any) -> Any:
    x = relay.var("x", PAIR)
    mod = relay.IRModule.from_expr(relay.Function([x], made(x)))
    return relay.create_executor(kind, mod).evaluate()(ZEROS)


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (np.zeros(7, "float32"), r"float32\[7\]"),
        (np.zeros(2, "int64"), r"int64\[2\]"),
        (np.zeros((2, 1), "float32"), r"float32\[2, 1\]"),
        ([1.0, 2.0], "a list of 2 fields"),
        (None, "None"),
        ((ZEROS,), "a tuple of 1 field"),
        (1.0, "a value of class float"),
    ],
)
def test_what_contradicts_the_rule_is_told_of_the_operator(result: Any, shown: str) -> None:
    told = rf"evaluate of other\.made returned {shown} where its rule says Tensor\[\(2\)"
    with declared_temporarily():
        made = declare(result)
        for kind in ("debug", "graph"):
            with pytest.raises(ContradictionError, match=told):
                evaluate(kind, made)
        folded = relay.Function([], relay.add(made(relay.const(ZEROS)), relay.const(ZEROS)))
        mod = InferType()(relay.IRModule.from_expr(folded))
        with pytest.raises(ContradictionError, match=told):
            FoldConstant()(mod)


def test_tuple_of_another_length_is_told_of_the_operator() -> None:
    with declared_temporarily():
        made = declare((ZEROS,), relay.TupleType([PAIR, PAIR]))
        with pytest.raises(ContradictionError, match=r"returned a tuple of 1 field where its rule"):
            evaluate("debug", made)


def test_what_contradicts_a_relation_is_said_to() -> None:
    with declared_temporarily():
        made = relay.op.register_op(
            "other.related",
            arguments=("x",),
            relation=lambda _attrs, _types, _reporter: PAIR,
            evaluate=lambda _attrs, _x: None,
        )
        with pytest.raises(ContradictionError, match=r"returned None where its relation says"):
            evaluate("debug", made)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (ZEROS, PAIR),
        (ZEROS, relay.TensorType((relay.Any(),), "float32")),
        ((ZEROS, np.True_), relay.TupleType([PAIR, relay.TensorType((), "bool")])),
        (1.5, relay.TensorType((), "float32")),
        (3, relay.TensorType((), "int32")),
        (True, relay.TensorType((), "bool")),
    ],
)
def test_what_fits_the_rule_is_given(result: Any, expected: relay.Type) -> None:
    with declared_temporarily():
        made = declare(result, expected)
        for kind in ("debug", "graph"):
            np.testing.assert_equal(evaluate(kind, made), result)


def test_evaluations_of_the_library_are_called_as_they_are() -> None:
    for op in (relay.op.get("add"), relay.op.get("split"), relay.op.get("nn.conv2d")):
        assert evaluation_of(op) is properties.evaluate.get(op)
