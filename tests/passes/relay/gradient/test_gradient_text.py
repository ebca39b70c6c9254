"""Gradients as text."""

from __future__ import annotations

import pytest

from relayish import op
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.passes.relay.gradient.gradient import MODES, gradient
from relayish.text import astext, parse


@pytest.mark.parametrize("pool", ["avg_pool2d", "max_pool2d"])
def test_gradients_are_read_from_their_own_text(pool):
    x = Var("x", TensorType((1, 2, 6, 6), "float64"))
    extra = {"count_include_pad": True} if pool == "avg_pool2d" else {}
    body = getattr(op.nn, pool)(op.nn.relu(x), pool_size=(2, 2), **extra)
    for mode in MODES:
        mod = IRModule.from_expr(gradient(Function((x,), body), mode=mode))
        assert_structural_equal(parse(astext(mod)), mod)


def test_gradient_of_concatenate_says_which_strides_it_slices_by():
    x, y = (Var(name, TensorType((2, 4), "float32")) for name in "xy")
    joined = op.concatenate((x, y), axis=1)
    text = astext(IRModule.from_expr(gradient(Function((x, y), joined), mode="first_order")))
    assert text.count("strides=[1], axes=[1]") == 2
    assert "strides=None" not in text
