"""Scales of channels go into weights, where nobody can tell."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import op
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


def program(body, *params):
    return IRModule({"main": Function(params, body)})


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
    """Return the multiplications of what has the rank of data and no constant weight."""
    return [
        call
        for call in calls(mod, "multiply")
        if not any(isinstance(arg, Var) and arg.name_hint.startswith("w") for arg in call.args)
    ]


x, w = tensor("x", X), tensor("w", W)
CONV = {"padding": (1, 1)}


class TestForward:
    def test_scale_goes_into_the_weight(self):
        out = folded(ForwardFoldScaleAxis(), program(nn.conv2d(x * numbers((4, 1, 1)), w), x, w))
        (conv,) = calls(out, "nn.conv2d")
        assert conv.args[0] is out["main"].params[0]
        assert not scaled_data(out)

    @pytest.mark.parametrize("activation", [nn.relu, nn.leaky_relu])
    def test_positive_scale_passes_activation(self, activation):
        body = nn.conv2d(activation(x * numbers((4, 1, 1))), w, **CONV)
        assert not scaled_data(folded(ForwardFoldScaleAxis(), program(body, x, w)))

    @pytest.mark.parametrize(
        "scale",
        [
            numbers((4, 1, 1), -1, -0.5),
            Constant(np.array([1, 2, 0, 1], "float32").reshape(4, 1, 1)),
            Constant(np.array([1, np.inf, 1, 1], "float32").reshape(4, 1, 1)),
            Constant(np.array([1, np.nan, 1, 1], "float32").reshape(4, 1, 1)),
            tensor("s", (4, 1, 1)),
        ],
        ids=["negative", "zero", "infinite", "nan", "unknown"],
    )
    def test_other_scale_does_not_pass_activation(self, scale):
        params = [x, w, *([scale] if isinstance(scale, Var) else [])]
        mod = program(nn.conv2d(nn.relu(x * scale), w), *params)
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_sigmoid_lets_no_scale_pass(self):
        mod = program(nn.conv2d(op.sigmoid(x * numbers((4, 1, 1))), w), x, w)
        assert ForwardFoldScaleAxis()(mod) is mod

    @pytest.mark.parametrize("combine", [op.add, op.subtract])
    @pytest.mark.parametrize("swapped", [False, True])
    def test_bias_is_divided_by_the_scale(self, combine, swapped):
        b = tensor("b", (4, 1, 1))
        terms = (x * numbers((4, 1, 1), -2, -1), b)
        body = nn.conv2d(combine(*terms[:: -1 if swapped else 1]), w)
        out = folded(ForwardFoldScaleAxis(), program(body, x, b, w))
        assert len(calls(out, "divide")) == 1
        assert not scaled_data(out)

    def test_nothing_is_divided_by_zero(self):
        scale = Constant(np.array([1, 2, 0, 1], "float32").reshape(4, 1, 1))
        mod = program(nn.conv2d(x * scale + numbers((4, 1, 1)), w), x, w)
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_nothing_is_divided_by_what_may_be_zero(self):
        s = tensor("s", (4, 1, 1))
        mod = program(nn.conv2d(x * s + numbers((4, 1, 1)), w), x, s, w)
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_scale_stays_where_another_consumer_sees_the_data(self):
        scaled = x * numbers((4, 1, 1))
        mod = program(nn.conv2d(scaled, w, **CONV) + op.sum(scaled), x, w)
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_scale_stays_where_the_data_is_returned(self):
        scaled = nn.relu(x * numbers((4, 1, 1)))
        mod = program(Tuple([nn.conv2d(scaled, w), scaled]), x, w)
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_scale_stays_where_a_sum_has_it_twice(self):
        scaled = x * numbers((4, 1, 1))
        mod = program(nn.conv2d(scaled + scaled, w), x, w)
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_scale_goes_into_the_weights_of_all_consumers(self):
        v = tensor("w2", (5, 4, 3, 3))
        scaled = nn.relu(x * numbers((1, 4, 1, 1)))
        body = op.sum(nn.conv2d(scaled, w)) + op.sum(nn.conv2d(scaled, v))
        out = folded(ForwardFoldScaleAxis(), program(body, x, w, v))
        assert len(calls(out, "expand_dims")) == 2
        assert not scaled_data(out)

    def test_scale_goes_into_both_branches(self):
        scaled = x * numbers((4, 1, 1))
        chosen = If(Constant(True), nn.conv2d(scaled, w), nn.conv2d(nn.relu(scaled), w))
        assert not scaled_data(folded(ForwardFoldScaleAxis(), program(chosen, x, w)))

    def test_scale_along_another_axis_stays(self):
        mod = program(nn.conv2d(x * numbers((6,)), w), x, w)
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_scale_that_differs_between_places_stays(self):
        mod = program(nn.conv2d(x * numbers((4, 6, 1)), w), x, w)
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_scale_of_groups_of_several_channels_stays(self):
        mod = program(
            nn.conv2d(x * numbers((4, 1, 1)), v := tensor("w", (4, 2, 3, 3)), groups=2), x, v
        )
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_depthwise_weight_takes_over(self):
        v = tensor("w", (4, 1, 3, 3))
        folded(
            ForwardFoldScaleAxis(),
            program(nn.conv2d(x * numbers((4, 1, 1)), v, groups=4), x, v),
        )

    def test_depthwise_weight_of_several_results_a_channel_does_not(self):
        v = tensor("w", (8, 1, 3, 3))
        mod = program(nn.conv2d(x * numbers((4, 1, 1)), v, groups=4), x, v)
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_data_in_blocks_with_a_weight_in_none_is_left(self):
        data, v = tensor("x", (1, 2, 6, 6, 2)), tensor("w", (4, 4, 3, 3))
        conv = nn.conv2d(
            data * numbers((1, 2, 1, 1, 2)), v, data_layout="NCHW2c", channels=4, kernel_size=(3, 3)
        )
        mod = program(conv, data, v)
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_dense_of_any_rank_is_scaled_along_its_last_axis(self):
        data, v = tensor("x", (2, 3, 5)), tensor("w", (4, 5))
        folded(ForwardFoldScaleAxis(), program(nn.dense(data * numbers((5,)), v), data, v))
        mod = program(nn.dense(data * numbers((3, 1)), v), data, v)
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_whole_numbers_are_left(self):
        data, v = tensor("x", (2, 4), "int8"), tensor("w", (3, 4), "int8")
        scale = Constant(np.array([100, 2, 3, 4], "int8"))
        mod = program(nn.dense(data * scale, v, out_dtype="int32"), data, v)
        assert ForwardFoldScaleAxis()(mod) is mod

    def test_weights_of_another_type_are_left(self):
        data, v = tensor("x", X, "float16"), tensor("w", W, "float16")
        mod = program(nn.conv2d(data, v, out_dtype="float32") * numbers((3, 1, 1)), data, v)
        assert BackwardFoldScaleAxis()(mod) is mod

    def test_scale_inside_of_a_let_is_folded(self):
        y = Var("y")
        folded(
            ForwardFoldScaleAxis(),
            program(Let(y, nn.conv2d(x * numbers((4, 1, 1)), w), nn.relu(y)), x, w),
        )

    def test_new_nodes_stand_where_the_scale_stood(self):
        span = Span("net", 3, 4, 5, 6)
        scaled = Call(op.get_op("multiply"), (x, numbers((4, 1, 1))), None, (), span=span)
        out = ForwardFoldScaleAxis()(program(nn.conv2d(scaled, w), x, w))
        for name in ("squeeze", "expand_dims", "multiply"):
            assert [call.span for call in calls(out, name)] == [span]


class TestBackward:
    def test_scale_goes_into_the_weight_and_the_bias(self):
        b = tensor("b", (3,))
        body = nn.bias_add(nn.conv2d(x, w), b) * numbers((3, 1, 1), -2, -1)
        out = folded(BackwardFoldScaleAxis(), program(body, x, w, b))
        assert out["main"].body.op.name == "nn.bias_add"

    def test_scale_of_a_sum_goes_into_both_terms(self):
        v = tensor("w2", W)
        body = nn.relu(nn.conv2d(x, w) + nn.leaky_relu(nn.conv2d(x, v))) * numbers((3, 1, 1))
        out = folded(BackwardFoldScaleAxis(), program(body, x, w, v))
        assert len(calls(out, "expand_dims")) == 2
        assert len(calls(out, "squeeze")) == 1

    def test_negative_scale_does_not_pass_an_activation_of_one_term(self):
        body = nn.conv2d(x, w) + nn.relu(nn.conv2d(x, w))
        mod = program(body * numbers((3, 1, 1), -2, -1), x, w)
        assert BackwardFoldScaleAxis()(mod) is mod

    def test_scale_stays_where_another_consumer_sees_the_data(self):
        conv = nn.conv2d(x, w)
        mod = program(conv * numbers((3, 1, 1)) + nn.relu(conv), x, w)
        assert BackwardFoldScaleAxis()(mod) is mod

    def test_bias_along_another_axis_stays(self):
        b = tensor("b", (4,))
        body = nn.bias_add(nn.conv2d(x, w), b, axis=3) * numbers((3, 1, 1))
        mod = program(body, x, w, b)
        assert BackwardFoldScaleAxis()(mod) is mod

    def test_bias_along_a_negative_axis_is_scaled(self):
        b = tensor("b", (3,))
        body = nn.bias_add(nn.conv2d(x, w), b, axis=-3) * numbers((3, 1, 1))
        folded(BackwardFoldScaleAxis(), program(body, x, w, b))

    def test_scale_that_depends_on_data_is_rebuilt_before_the_weight(self):
        """The scale itself holds a convolution that takes over another scale."""
        one = tensor("one", (1, 4, 6, 6))
        inner = nn.conv2d(op.mean(one, axis=(2, 3), keepdims=True), v := tensor("w2", (3, 4, 1, 1)))
        scale = op.sigmoid(inner * numbers((3, 1, 1)))
        out = folded(BackwardFoldScaleAxis(), program(nn.conv2d(one, w) * scale, one, w, v))
        assert len(calls(out, "expand_dims")) == 2
        assert out["main"].body.op.name == "nn.conv2d"

    def test_result_in_another_layout_than_the_data_is_left(self):
        data, v = tensor("x", X), tensor("w", (4, 4, 3, 3))
        conv = nn.conv2d(data, v, out_layout="NCHW2c", channels=4, kernel_size=(3, 3))
        mod = program(conv * numbers((1, 2, 1, 1, 2)), data, v)
        assert BackwardFoldScaleAxis()(mod) is mod

    def test_terms_of_other_sizes_are_left(self):
        one = nn.conv2d(x, v := tensor("w2", (1, 4, 3, 3)))
        out = BackwardFoldScaleAxis()(
            mod := program((nn.conv2d(x, w) + one) * numbers((3, 1, 1)), x, w, v)
        )
        assert out is mod

    def test_new_nodes_stand_where_the_scale_stood(self):
        span = Span("net", 3, 4, 5, 6)
        scaled = Call(op.get_op("multiply"), (nn.conv2d(x, w), numbers((3, 1, 1))), span=span)
        out = BackwardFoldScaleAxis()(program(scaled, x, w))
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
    conv = nn.conv2d(data, v, **attrs)
    out_shape = infer_type(program(conv, data, v))["main"].ret_type.shape

    def scale(whole):
        return numbers([size if axis in axes else 1 for axis, size in enumerate(whole)])

    before = nn.conv2d(nn.relu(data * scale(shape)), v, **attrs)
    assert not scaled_data(folded(ForwardFoldScaleAxis(), program(before, data, v)))
    after = nn.relu(conv) * scale(out_shape)
    assert not scaled_data(folded(BackwardFoldScaleAxis(), program(after, data, v)))


def test_convolution_in_three_dimensions_takes_over_scales():
    data, v = tensor("x", (1, 2, 4, 4, 4)), tensor("w", (3, 2, 3, 3, 3))
    body = nn.conv3d(data * numbers((2, 1, 1, 1)), v) * numbers((3, 1, 1, 1))
    with PassContext(opt_level=3):
        out = folded(fold_scale_axis(), program(body, data, v))["main"]
    assert out.body.op.name == "nn.conv3d"
    assert out.body.args[0] is out.params[0]


def test_constant_weights_come_out_multiplied():
    body = nn.relu(nn.conv2d(nn.relu(x * numbers((4, 1, 1))), numbers(W)) * numbers((3, 1, 1)))
    mod = program(body, x)
    with PassContext(opt_level=3):
        out = folded(fold_scale_axis(), mod)
    names = {call.op.name for call in EXPRESSIONS.post_order(out["main"]) if type(call) is Call}
    assert names == {"nn.relu", "nn.conv2d"}


def test_level_two_folds_constants_alone():
    mod = program(nn.conv2d(x * numbers((4, 1, 1)), w), x, w)
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
    return infer_type(program(expr * numbers((3, 1, 1)), x, w))["main"]


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
