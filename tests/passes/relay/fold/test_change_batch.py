"""Another size of batch."""

from __future__ import annotations

import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import PassError, PipelineError, TypeInferenceError
from relayish.ir.relay.build import var
from relayish.ir.relay.expr import Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op.builders.builder import op
from relayish.passes.relay.fold.change_batch import change_batch, change_batch_of_module
from relayish.text import parse
from relayish.transform import ChangeBatch
from tests.support.deep import let_body
from tests.support.depth import DEPTH

HEADER = '#[version = "0.0.5"]\n'


def dense() -> Function:
    x, weight, hidden = var("x", shape=(1, 3)), var("w", shape=(4, 3)), Var("h")
    inner = Function((), op.nn.relu(hidden))
    body = Let(hidden, op.nn.dense(x, weight, units=4), inner())
    return Function((x, weight), body)


def test_what_was_inferred_from_the_old_batch_is_inferred_anew() -> None:
    func = infer_type(dense())
    assert func.body.var.type_annotation.shape == (1, 4)
    out = ChangeBatch({func.params[0]: 0}, 16)(IRModule.from_expr(func))["main"]
    assert out.params[0].type_annotation.shape == (16, 3)
    assert out.params[1].type_annotation.shape == (4, 3)
    assert out.body.var.type_annotation.shape == (16, 4)
    assert out.ret_type.shape == (16, 4)


def test_type_arguments_are_told_anew() -> None:
    mod = infer_type(
        parse(HEADER + "type Box[A] { Box(A) }\ndef @main(%x: Tensor[(1, 3), float32]) { Box(%x) }")
    )
    out = ChangeBatch({mod["main"].params[0]: 0}, 5)(mod)
    assert out["main"].ret_type.args[0].shape == (5, 3)


def test_batch_of_the_same_size_changes_nothing() -> None:
    mod = infer_type(IRModule.from_expr(dense()))
    assert ChangeBatch({mod["main"].params[0]: -2}, 1)(mod) is mod


def test_axis_counts_from_the_end_too() -> None:
    x = var("x", shape=(2, 3))
    image = change_batch(Function((x,), x), {x: -1}, 7)
    assert image.params[0].type_annotation.shape == (2, 7)
    assert image.body is image.params[0]


def test_variable_of_another_module_is_refused() -> None:
    with pytest.raises(PassError, match="%x is no variable of the module; take the variables"):
        ChangeBatch({var("x", shape=(1, 3)): 0})(IRModule.from_expr(dense()))


def test_name_is_no_variable() -> None:
    with pytest.raises(PassError, match=r"ChangeBatch takes variables .*; found 'x' \(str\)"):
        change_batch_of_module(IRModule.from_expr(dense()), data={"x": 0})  # type: ignore[dict-item]
    with pytest.raises(PipelineError, match="in what is given for 'x': expected Var; found 'x'"):
        ChangeBatch({"x": 0})  # type: ignore[dict-item]


@pytest.mark.parametrize("batch", [Var("x"), var("x", shape=(2,)), var("x", "float32")])
def test_variable_without_such_a_dimension_is_refused(batch: Var) -> None:
    with pytest.raises(PassError, match="%x has no dimension 1 to be a batch of 16"):
        change_batch(batch, {batch: 1})


def test_network_that_fits_its_batch_only_is_ill_typed() -> None:
    x = var("x", TensorType((1, 4), "float32"))
    func = Function((x,), op.add(x, op.reshape(x, newshape=(1, 4))))
    with pytest.raises(TypeInferenceError):
        ChangeBatch({x: 0}, 3)(IRModule.from_expr(func))


@pytest.mark.deep
def test_long_chains_of_lets_are_no_matter() -> None:
    x = var("x", shape=(1, 3))
    image = change_batch(let_body(DEPTH, x), {x: 0}, 2)
    assert image.value.type_annotation.shape == (2, 3)
