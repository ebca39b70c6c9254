"""Padding is taken over where it is what the window pads by itself."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import op
from relayish.interpreter import evaluate
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Constant, Function, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.op import nn, qnn
from relayish.passes.relay.rewrite.fold_explicit_padding import fold_explicit_padding
from relayish.transform import FoldExplicitPadding
from tests.support.depth import DEPTH

LEAST = float(np.finfo("float32").min)


def program(body, *params):
    return IRModule({"main": Function(params, body)})


def folded(mod):
    """Return the body after the pass, which must have removed padding and kept the value."""
    out = FoldExplicitPadding()(mod)
    assert out is not mod
    rng = np.random.default_rng(3)
    args = []
    for param in mod["main"].params:
        ty = param.type_annotation
        whole = ty.dtype.startswith("int")
        drawn = rng.integers(-9, 9, ty.shape) if whole else rng.normal(0, 1, ty.shape)
        args.append(drawn.astype(ty.dtype))
    before, after = evaluate(mod["main"], mod, args), evaluate(out["main"], out, args)
    np.testing.assert_allclose(after, before, rtol=1e-5, atol=1e-5)
    return out["main"].body


def image(rank, channels_last=False):
    shape = (1, *(7,) * rank, 3) if channels_last else (1, 3, *(7,) * rank)
    return Var("x", TensorType(shape, "float32"))


def padded(x, value=0.0, widths=((1, 0), (2, 1), (0, 3)), channels_last=False):
    rank = len(x.type_annotation.shape) - 2
    none = ((0, 0),)
    whole = (*none, *widths[:rank], *none) if channels_last else (*none * 2, *widths[:rank])
    return nn.pad(x, whole, value)


def test_window_of_nothing_but_padding_has_the_same_maximum_afterwards():
    x = Var("x", TensorType((1, 1, 3), "float32"))
    pool = nn.max_pool1d(nn.pad(x, ((0, 0), (0, 0), (2, 2)), LEAST), pool_size=(2,))
    before = program(pool, x)
    after = FoldExplicitPadding()(before)
    assert after is not before
    data = np.array([[[-np.inf, 1, 2]]], "float32")
    found = [evaluate(mod["main"], mod)(data).tolist() for mod in (before, after)]
    assert found[0] == found[1]
    assert found[0][0][0][0] == np.float32(LEAST)


def test_maximum_pool_of_whole_numbers_takes_over_the_least_of_their_type():
    x = Var("x", TensorType((1, 3, 7, 7), "int8"))
    least = Constant(np.int8(-128))
    pool = nn.max_pool2d(padded(x, least), pool_size=(4, 4))
    assert folded(program(pool, x)).args[0].name_hint == "x"
    mod = program(nn.max_pool2d(padded(x, Constant(np.int16(-129))), pool_size=(2, 2)), x)
    assert FoldExplicitPadding()(mod) is mod


def test_zero_point_may_be_the_same_variable():
    x = Var("x", TensorType((1, 3, 7, 7), "int8"))
    w, zero = Var("w", TensorType((2, 3, 2, 2), "int8")), Var("z", TensorType((), "int32"))
    scalars = [zero, Constant(np.int32(0)), Constant(np.float32(1)), Constant(np.float32(1))]
    conv = qnn.conv2d(padded(x, zero), w, *scalars, channels=2, kernel_size=(2, 2))
    assert fold_explicit_padding(conv).args[0] is x


def test_span_is_kept():
    span = Span("net", 1, 1, 2, 3)
    x, w = image(2), Var("w", TensorType((2, 3, 3, 3), "float32"))
    conv = nn.conv2d(padded(x), w).with_fields(span=span)
    assert fold_explicit_padding(conv).span == span


@pytest.mark.deep
def test_many_paddings_are_taken_over_in_one_step_each():
    x, w = image(2), Var("w", TensorType((3, 3, 1, 1), "float32"))
    expr = x
    for _ in range(min(DEPTH, 20_000)):
        expr = op.add(nn.conv2d(nn.pad(expr, ((0, 0), (0, 0), (0, 0), (0, 0)), 0.0), w), x)
    out = fold_explicit_padding(expr)
    assert not any(
        getattr(getattr(node, "op", None), "name", "") == "nn.pad"
        for node in EXPRESSIONS.post_order(out)
    )
    assert fold_explicit_padding(out) is out
