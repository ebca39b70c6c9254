"""Operators that are registered by their name, and told of after it, as scripts of TVM do."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.errors import DeclarationError
from relayish.ir.registration.declarations import declared_temporarily
from relayish.op import get_op, register
from relayish.op.declaration.support_levels import LEVELS


def typed(op, *shapes):
    """The type of a call of an operator on tensors of shapes."""
    params = [relay.var(f"x{at}", shape=shape) for at, shape in enumerate(shapes)]
    func = relay.Function(params, relay.Call(op, params))
    return relay.transform.InferType()(relay.IRModule.from_expr(func))["main"].ret_type


def test_relations_that_tvm_has_for_all_operators_are_taken_by_name():
    with declared_temporarily():
        for name, shapes, expected in (
            ("Identity", [(2, 3)], "float32"),
            ("Broadcast", [(2, 3), (3,)], "float32"),
            ("BroadcastComp", [(2, 1), (3,)], "bool"),
        ):
            op = register(f"told.{name}")
            op.set_num_inputs(len(shapes))
            for at in range(len(shapes)):
                op.add_argument(f"data_{at}", "Tensor", "One of them.")
            op.add_type_rel(name)
            assert op.support_level == 10
            op.set_support_level(1)
            assert op.support_level == 1
            assert op.num_inputs == len(shapes)
            assert str(typed(op, *shapes)) == f"Tensor[(2, 3), {expected}]"
        with pytest.raises(DeclarationError, match="no type relation 'Broadcat'; did you mean"):
            op.add_type_rel("Broadcat")


def test_function_tells_the_type_of_arguments_and_attributes():
    with declared_temporarily():
        op = register("told.first")
        op.set_num_inputs(2)
        op.add_type_rel("first", lambda args, attrs: relay.TupleType([args[0]]))
        assert str(typed(op, (2,), (3,))) == "(Tensor[(2), float32],)"


def test_arguments_that_were_added_are_kept():
    with declared_temporarily():
        op = register("told.names")
        for name in ("left", "right"):
            op.add_argument(name)
        assert op.num_inputs == 2
        op.set_num_inputs(3)
        assert relay.op.properties.arguments.get(op) == ("left", "right", "data_2")
        with pytest.raises(DeclarationError, match="2 or more"):
            op.set_num_inputs(1)


def test_operators_tell_how_many_inputs_they_have():
    assert [get_op(name).num_inputs for name in ("exp", "add", "zeros")] == [1, 2, 0]


def test_operators_tell_their_level():
    names = ("exp", "nn.conv2d", "abs", "where", "image.resize2d", "topk", "qnn.add", "argwhere")
    assert [get_op(name).support_level for name in names] == [1, 2, 3, 4, 5, 6, 11, 10]
    with pytest.raises(DeclarationError, match="to have the level -1"):
        get_op("exp").set_support_level(-1)


def test_levels_are_of_operators_that_exist():
    for name in LEVELS:
        assert get_op(name).full_name == name
