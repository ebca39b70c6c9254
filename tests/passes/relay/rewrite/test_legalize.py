"""What is registered for operators under a name stands in place of their calls."""

from __future__ import annotations

import pytest

from relayish import op
from relayish.analysis.infer_type import infer_type
from relayish.errors import DuplicateNameError, PassError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op import nn, register_legalize
from relayish.transform import Legalize
from tests.support.depth import DEPTH

X = Var("x", TensorType((2, 4), "float32"))


@pytest.fixture(autouse=True)
def forgotten():
    with declared_temporarily():
        yield


def typed(body):
    return infer_type(IRModule({"main": Function((X,), body)}))


def legalized(body, name="FTVMLegalize"):
    return Legalize(name)(typed(body))["main"].body


def test_call_gives_way_to_what_is_registered():
    register_legalize("nn.relu", lambda _attrs, inputs, _types: op.maximum(*inputs, op.const(0.0)))
    assert structural_equal(
        legalized(op.exp(nn.relu(X))), op.exp(op.maximum(X, op.const(0.0))), map_free_vars=True
    )


def test_result_is_not_legalized_again():
    register_legalize("negative", lambda _attrs, inputs, _types: op.negative(op.exp(inputs[0])))
    assert structural_equal(
        legalized(op.negative(op.negative(X))),
        op.negative(op.exp(op.negative(op.exp(X)))),
        map_free_vars=True,
    )


def test_function_is_given_arguments_as_they_are_and_types_as_they_were():
    asked = []
    register_legalize("exp", lambda _attrs, inputs, _types: op.cast(inputs[0], "float64"))

    @register_legalize("nn.softmax")
    def ask(attrs, inputs, types):
        asked.append((attrs.axis, inputs[0].op.name, [ty.dtype for ty in types]))

    Legalize()(typed(op.cast(op.exp(X), "float64")))
    with pytest.raises(Exception, match="float32"):
        Legalize()(typed(nn.softmax(op.exp(X), axis=1)))  # softmax of float64 is no float32
    assert asked == [(1, "cast", ["float32", "float32"])]


def test_call_stays_where_the_function_returns_nothing():
    register_legalize("exp", lambda _attrs, _inputs, _types: None)
    mod = typed(op.exp(X))
    assert Legalize()(mod) is mod


def test_tables_of_other_names_are_left_alone():
    register_legalize("exp", lambda _attrs, inputs, _types: op.tanh(*inputs), table="mine")
    mod = typed(op.exp(X))
    assert Legalize()(mod) is mod
    assert Legalize("nobodys")(mod) is mod
    assert Legalize("mine")(mod)["main"].body.op.name == "tanh"


def test_function_of_the_highest_level_counts():
    register_legalize("exp", lambda _attrs, inputs, _types: op.tanh(*inputs), level=11)
    register_legalize("exp", lambda _attrs, inputs, _types: op.sinh(*inputs), level=9)
    assert legalized(op.exp(X)).op.name == "tanh"
    with pytest.raises(DuplicateNameError, match="of level 11 already"):
        register_legalize("exp", lambda _attrs, inputs, _types: inputs[0], level=11)


def test_answer_that_is_no_expression_is_refused():
    register_legalize("exp", lambda _attrs, _inputs, _types: 1)
    with pytest.raises(PassError, match=r"legalization of exp returned an? int; expected an expr"):
        Legalize()(typed(op.exp(X)))


@pytest.mark.deep
def test_chain_is_legalized_in_one_walk():
    asked = []

    @register_legalize("exp")
    def count(_attrs, inputs, _types):
        asked.append(inputs)
        return op.tanh(*inputs)

    body = X
    exp = op.exp(X)
    for _ in range(min(DEPTH, 20_000)):
        body = exp.with_fields(args=(body,))
    Legalize()(typed(body))
    assert len(asked) == min(DEPTH, 20_000)
