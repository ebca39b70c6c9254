"""Scales of channels go into weights, where nobody can tell."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import op
from relayish.analysis import free_vars
from relayish.analysis.infer_type import infer_type
from relayish.interpreter import evaluate
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Constant, Function, If, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.op import nn
from relayish.passes.relay.scale_axis import backward, forward
from relayish.passes.relay.scale_axis.backward_fold_scale_axis import backward_fold_scale_axis
from relayish.passes.relay.scale_axis.fold_scale_axis import fold_scale_axis
from relayish.passes.relay.scale_axis.forward_fold_scale_axis import forward_fold_scale_axis
from relayish.transform import BackwardFoldScaleAxis, ForwardFoldScaleAxis, PassContext
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH

RNG = np.random.default_rng(7)
X, W = (2, 4, 6, 6), (3, 4, 3, 3)


def tensor(name, shape, dtype="float32"):
    return Var(name, TensorType(shape, dtype))


def numbers(shape, low=0.5, high=2.0, dtype="float32"):
    return Constant(RNG.uniform(low, high, shape).astype(dtype))


def program(body):
    """Return a module whose main has the body, and its free variables in the order they come."""
    return IRModule({"main": Function(free_vars(body), body)})


def args_of(mod):
    rng = np.random.default_rng(1)
    types = [param.type_annotation for param in mod["main"].params]
    return [rng.normal(0, 1, ty.shape).astype(ty.dtype) for ty in types]


def folded(pass_, mod):
    """Return what the pass makes of the module, after checking that it changed, not the value."""
    out = pass_(mod)
    assert out is not mod
    args = args_of(mod)
    np.testing.assert_allclose(
        evaluate(out["main"], out, args), evaluate(mod["main"], mod, args), rtol=1e-4, atol=1e-4
    )
    return out


def calls(mod, name):
    nodes = EXPRESSIONS.post_order(mod["main"].body)
    return [n for n in nodes if type(n) is Call and getattr(n.op, "name", "") == name]


def scaled_data(mod):
    """Return the multiplications of what is neither a weight nor a bias."""
    return [
        call
        for call in calls(mod, "multiply")
        if not any(isinstance(arg, Var) and arg.name_hint[0] in "wb" for arg in call.args)
    ]


x, w = tensor("x", X), tensor("w", W)
CONV = {"padding": (1, 1)}


FORWARD, BACKWARD = ForwardFoldScaleAxis(), BackwardFoldScaleAxis()
CHANNELS, RESULTS = (4, 1, 1), (3, 1, 1)
s, w2 = tensor("s", CHANNELS), tensor("w2", W)
conv, grouped = nn.conv2d(x, w), tensor("w", (4, 2, 3, 3))
many, each_channel = tensor("w", (8, 1, 3, 3)), tensor("w", (4, 1, 3, 3))
blocks, square = tensor("x", (1, 2, 6, 6, 2)), tensor("w", (4, 4, 3, 3))
rows, dense = tensor("x", (2, 3, 5)), tensor("w", (4, 5))
scaled, activated = x * numbers(CHANNELS), nn.relu(x * numbers(CHANNELS))
BLOCKS = {"channels": 4, "kernel_size": (3, 3)}


def scales(*values):
    return Constant(np.array(values, "float32").reshape(CHANNELS))


STAYS = {
    "negative before an activation": (
        FORWARD, nn.conv2d(nn.relu(x * numbers(CHANNELS, -1, -0.5)), w)),
    "zero before an activation": (FORWARD, nn.conv2d(nn.relu(x * scales(1, 2, 0, 1)), w)),
    "infinite before an activation": (
        FORWARD, nn.conv2d(nn.relu(x * scales(1, np.inf, 1, 1)), w)),
    "nan before an activation": (FORWARD, nn.conv2d(nn.relu(x * scales(1, np.nan, 1, 1)), w)),
    "unknown before an activation": (FORWARD, nn.conv2d(nn.relu(x * s), w)),
    "before a sigmoid": (FORWARD, nn.conv2d(op.sigmoid(scaled), w)),
    "zero, by which a bias would be divided": (
        FORWARD, nn.conv2d(x * scales(1, 2, 0, 1) + numbers(CHANNELS), w)),
    "what may be zero, by which a bias would be divided": (
        FORWARD, nn.conv2d(x * s + numbers(CHANNELS), w)),
    "another consumer sees the data": (FORWARD, nn.conv2d(scaled, w, **CONV) + op.sum(scaled)),
    "the data is returned": (FORWARD, Tuple([nn.conv2d(activated, w), activated])),
    "a sum has it twice": (FORWARD, nn.conv2d(scaled + scaled, w)),
    "along another axis": (FORWARD, nn.conv2d(x * numbers((6,)), w)),
    "it differs between places": (FORWARD, nn.conv2d(x * numbers((4, 6, 1)), w)),
    "groups of several channels": (FORWARD, nn.conv2d(scaled, grouped, groups=2)),
    "depthwise, of several results a channel": (FORWARD, nn.conv2d(scaled, many, groups=4)),
    "data in blocks, the weight in none": (FORWARD, nn.conv2d(
        blocks * numbers((1, 2, 1, 1, 2)), square, data_layout="NCHW2c", **BLOCKS)),
    "dense, along another axis": (FORWARD, nn.dense(rows * numbers((3, 1)), dense)),
    "whole numbers": (FORWARD, nn.dense(
        tensor("x", (2, 4), "int8") * Constant(np.array([100, 2, 3, 4], "int8")),
        tensor("w", (3, 4), "int8"), out_dtype="int32")),
    "weights of another type": (BACKWARD, nn.conv2d(
        tensor("x", X, "float16"), tensor("w", W, "float16"), out_dtype="float32"
    ) * numbers(RESULTS)),
    "negative behind an activation of one term": (
        BACKWARD, (conv + nn.relu(nn.conv2d(x, w))) * numbers(RESULTS, -2, -1)),
    "another consumer sees the result": (BACKWARD, conv * numbers(RESULTS) + nn.relu(conv)),
    "a bias along another axis": (
        BACKWARD, nn.bias_add(conv, tensor("b", (4,)), axis=3) * numbers(RESULTS)),
    "the result has another layout than the data": (BACKWARD, nn.conv2d(
        x, square, out_layout="NCHW2c", **BLOCKS) * numbers((1, 2, 1, 1, 2))),
    "terms of other sizes": (
        BACKWARD, (conv + nn.conv2d(x, tensor("w2", (1, 4, 3, 3)))) * numbers(RESULTS)),
}  # fmt: skip


@pytest.mark.parametrize("case", STAYS)
def test_scale_stays(case):
    fold, body = STAYS[case]
    mod = program(body)
    assert fold(mod) is mod


def both_sides(combine, swapped):
    terms = (x * numbers(CHANNELS, -2, -1), tensor("b", CHANNELS))
    return nn.conv2d(combine(*terms[:: -1 if swapped else 1]), w)


y = Var("y")
FOLDED = {
    "into the weight": (FORWARD, nn.conv2d(scaled, w), {}),
    "through relu": (FORWARD, nn.conv2d(activated, w, **CONV), {}),
    "through leaky_relu": (FORWARD, nn.conv2d(nn.leaky_relu(scaled), w, **CONV), {}),
    **{
        f"through {combine.__name__}{', swapped' * swapped}": (
            FORWARD, both_sides(combine, swapped), {"divide": 1})
        for combine in (op.add, op.subtract) for swapped in (False, True)
    },
    "into the weights of all consumers": (
        FORWARD, op.sum(nn.conv2d(activated, w))
        + op.sum(nn.conv2d(activated, tensor("w2", (5, 4, 3, 3)))), {"expand_dims": 2}),
    "into both branches": (FORWARD, If(
        Constant(True), nn.conv2d(scaled, w), nn.conv2d(activated, w)), {}),
    "into a depthwise weight": (FORWARD, nn.conv2d(scaled, each_channel, groups=4), {}),
    "along the last axis of a dense product": (
        FORWARD, nn.dense(rows * numbers((5,)), dense), {}),
    "inside of a let": (FORWARD, Let(y, nn.conv2d(scaled, w), nn.relu(y)), {}),
    "into the weight and the bias": (
        BACKWARD, nn.bias_add(conv, tensor("b", (3,))) * numbers(RESULTS, -2, -1),
        {"nn.bias_add": 1}),
    "of a sum into both terms": (
        BACKWARD, nn.relu(conv + nn.leaky_relu(nn.conv2d(x, w2))) * numbers(RESULTS),
        {"expand_dims": 2, "squeeze": 1}),
    "into a bias along a negative axis": (
        BACKWARD, nn.bias_add(conv, tensor("b", (3,)), axis=-3) * numbers(RESULTS), {}),
}  # fmt: skip


@pytest.mark.parametrize("case", FOLDED)
def test_scale_goes(case):
    fold, body, counts = FOLDED[case]
    out = folded(fold, program(body))
    assert {name: len(calls(out, name)) for name in counts} == counts
    assert not scaled_data(out)


def test_scale_that_depends_on_data_is_rebuilt_before_the_weight():
    """The scale itself holds a convolution that takes over another scale."""
    one = tensor("one", (1, 4, 6, 6))
    inner = nn.conv2d(op.mean(one, axis=(2, 3), keepdims=True), tensor("w2", (3, 4, 1, 1)))
    scale = op.sigmoid(inner * numbers(RESULTS))
    out = folded(BACKWARD, program(nn.conv2d(one, w) * scale))
    assert len(calls(out, "expand_dims")) == 2
    assert out["main"].body.op.name == "nn.conv2d"


@pytest.mark.parametrize("forward", [True, False])
def test_new_nodes_stand_where_the_scale_stood(forward):
    span, multiply = Span("net", 3, 4, 5, 6), op.get_op("multiply")
    if forward:
        before = Call(multiply, (x, numbers(CHANNELS)), None, (), span=span)
        out = FORWARD(program(nn.conv2d(before, w)))
    else:
        out = BACKWARD(program(Call(multiply, (conv, numbers(RESULTS)), span=span)))
    for name in ("squeeze", "expand_dims", "multiply"):
        assert [call.span for call in calls(out, name)] == [span]


CONVOLUTIONS = {
    "NHWC": ((2, 6, 6, 4), (3, 3, 4, 3), {"data_layout": "NHWC", "kernel_layout": "HWIO"}, 3),
    "depthwise": (
        (2, 6, 6, 4),
        (3, 3, 4, 1),
        {"data_layout": "NHWC", "kernel_layout": "HWOI", "groups": 4},
        3,
    ),
    "blocks": (
        (2, 2, 6, 6, 2),
        (1, 2, 3, 3, 2, 4),
        {"data_layout": "NCHW2c", "kernel_layout": "OIHW2i4o", "out_layout": "NCHW4c"},
        (1, 4),
    ),
    "strided": (X, W, {"strides": (2, 2), "padding": (1, 1), "dilation": (1, 2)}, 1),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_every_layout_takes_over_scales_on_both_sides(name):
    shape, weight, attrs, axes = CONVOLUTIONS[name]
    data, v = tensor("x", shape), tensor("w", weight)
    axes = (axes,) if isinstance(axes, int) else axes
    out_shape = infer_type(program(nn.conv2d(data, v, **attrs)))["main"].ret_type.shape

    def scale(whole):
        return numbers([size if axis in axes else 1 for axis, size in enumerate(whole)])

    before = nn.conv2d(nn.relu(data * scale(shape)), v, **attrs)
    assert not scaled_data(folded(FORWARD, program(before)))
    after = nn.relu(nn.conv2d(data, v, **attrs)) * scale(out_shape)
    assert not scaled_data(folded(BACKWARD, program(after)))


def test_convolution_in_three_dimensions_takes_over_scales():
    data, v = tensor("x", (1, 2, 4, 4, 4)), tensor("w", (3, 2, 3, 3, 3))
    body = nn.conv3d(data * numbers((2, 1, 1, 1)), v) * numbers((3, 1, 1, 1))
    with PassContext(opt_level=3):
        out = folded(fold_scale_axis(), program(body))["main"]
    assert out.body.op.name == "nn.conv3d"
    assert out.body.args[0] is out.params[0]


def test_constant_weights_come_out_multiplied():
    body = nn.relu(nn.conv2d(nn.relu(x * numbers((4, 1, 1))), numbers(W)) * numbers((3, 1, 1)))
    mod = program(body)
    with PassContext(opt_level=3):
        out = folded(fold_scale_axis(), mod)
    names = {call.op.name for call in EXPRESSIONS.post_order(out["main"]) if type(call) is Call}
    assert names == {"nn.relu", "nn.conv2d"}


def test_level_two_folds_constants_alone():
    mod = program(nn.conv2d(scaled, w))
    with PassContext(opt_level=2):
        assert fold_scale_axis()(mod) is mod


FOLDS = [forward_fold_scale_axis, backward_fold_scale_axis]


@pytest.mark.parametrize("fold", FOLDS)
def test_program_without_types_is_left(fold):
    func = Function([x, w], nn.conv2d(x * numbers((4, 1, 1)), w) * numbers((3, 1, 1)))
    assert fold(func) is func


@pytest.mark.deep
@pytest.mark.parametrize("nest", ["let_body", "if_false"])
def test_program_of_any_depth_is_walked(nest):
    scale = numbers((1,))
    expr = DEEP_NESTS[nest](DEPTH, scale * scale)
    for fold in FOLDS:
        assert fold(expr) is expr


@pytest.mark.parametrize("fold", FOLDS)
def test_shared_nodes_are_looked_at_once(fold):
    expr = doublings(100, numbers((1,)) * numbers((1,)))
    assert fold(expr) is expr


def long_way(levels):
    """Return a function with many activations between scales and a convolution."""
    expr = x * numbers((4, 1, 1)) + numbers((4, 1, 1))
    for _ in range(levels):
        expr = nn.relu(expr)
    expr = nn.conv2d(expr, w) + numbers((3, 1, 1))
    for _ in range(levels):
        expr = nn.relu(expr)
    return infer_type(program(expr * numbers((3, 1, 1))))["main"]


@pytest.mark.parametrize(("fold", "rules"), [(FOLDS[0], forward), (FOLDS[1], backward)])
def test_types_are_compared_where_a_scale_passes_and_nowhere_else(fold, rules, monkeypatch):
    asked = []
    real = rules.find_squeezed_axes
    monkeypatch.setattr(rules, "find_squeezed_axes", lambda *args: asked.append(1) or real(*args))
    counts = []
    for levels in (10, 1000):
        func = long_way(levels)
        assert fold(func) is not func
        counts.append(len(asked))
        asked.clear()
    assert counts[1] == counts[0] <= 10


@pytest.mark.deep
def test_scale_goes_through_a_deep_program():
    func = long_way(min(DEPTH, 50_000))
    for fold in FOLDS:
        assert fold(func) is not func
