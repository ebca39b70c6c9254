"""Weights that are transposed on the way come transposed."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import op
from relayish.analysis import search_fc_transpose
from relayish.errors import PassError
from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Function, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op import nn
from relayish.passes.relay.rewrite.simplify_fc_transpose import (
    simplify_fc_transpose,
    transpose_weights,
)
from relayish.transform import SimplifyFCTranspose

X, W = Var("x", TensorType((1, 3), "float32")), Var("w", TensorType((3, 4), "float32"))
V = Var("v", TensorType((4, 2), "float32"))


def layer(data, weight):
    return nn.dense(data, op.transpose(weight, axes=(1, 0)))


NET = Function((X, W, V), nn.relu(layer(nn.relu(layer(X, W)), V)))


def names(func):
    return [param.name_hint for param in func.params]


def test_weights_are_found_in_the_order_of_use():
    assert search_fc_transpose(NET) == ["w", "v"]


def test_weight_with_other_axes_is_none():
    assert search_fc_transpose(nn.dense(X, op.transpose(V, axes=(0, 1)))) == []
    assert search_fc_transpose(nn.dense(X, op.transpose(V))) == ["v"]


def test_parameters_come_transposed_in_their_places():
    func = simplify_fc_transpose(NET, target_weight_name=("v",))
    assert names(func) == ["x", "w", "v.T"]
    assert func.params[2].type_annotation.shape == (2, 4)


def test_weight_used_otherwise_stays_beside():
    func = Function((X, W), Tuple((layer(X, W), op.sum(W))))
    assert names(simplify_fc_transpose(func, target_weight_name=("w",))) == ["x", "w", "w.T"]


def test_weight_used_twice_comes_once():
    func = Function((X, W), op.add(layer(X, W), layer(nn.relu(X), W)))
    assert names(simplify_fc_transpose(func, target_weight_name=("w",))) == ["x", "w.T"]


def test_weight_that_is_no_parameter_is_refused():
    with pytest.raises(PassError, match="the weight 'other' is no parameter"):
        simplify_fc_transpose(NET, target_weight_name=("x", "other"))


def test_function_stays_itself_where_nothing_is_named():
    assert simplify_fc_transpose(NET, target_weight_name=("x",)) is NET
    mod = IRModule({"main": NET})
    assert SimplifyFCTranspose()(mod) is mod


def test_values_of_weights_are_transposed_with_them():
    rng = np.random.default_rng(0)
    x, w, v = (rng.normal(size=s).astype("float32") for s in ((1, 3), (3, 4), (4, 2)))
    func, params = transpose_weights(NET, {"w": w, "v": v})
    assert names(func) == ["x", "w.T", "v.T"]
    assert list(params) == ["w.T", "v.T"]
    found = evaluate(func, IRModule(), [x, params["w.T"], params["v.T"]])
    np.testing.assert_allclose(found, evaluate(NET, IRModule(), [x, w, v]), rtol=1e-5)
