"""Operators compute in the layouts asked for, with few changes of layout."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import op, testing
from relayish.analysis.infer_type import infer_type
from relayish.errors import OperatorError
from relayish.interpreter import evaluate
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.op import nn, register_convert_op_layout
from relayish.passes.relay.layout.convert_layout import convert_layout
from relayish.transform import (
    AlterOpLayout,
    CanonicalizeOps,
    ConvertLayout,
    FoldConstant,
    LayoutConfig,
    PassContext,
    Sequential,
    SimplifyExprPostAlterOp,
    SimplifyInference,
    VerifyInstrument,
)
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.random_layouts import (
    random_layout_network,
    random_layouts,
    register_random_alterations,
)
from tests.support.random_networks import random_network_arguments
from tests.support.seeds import seeds
from tests.support.standing import close

SEEDS = seeds(15)
NHWC = {"nn.conv2d": ["NHWC", "default"]}


def tensor(name: str, *shape: object, dtype: str = "float32") -> Var:
    return Var(name, TensorType(shape, dtype))


def convolution(data, weight, **attrs):
    return nn.conv2d(data, weight, channels=4, kernel_size=(1, 1), **attrs)


X, W = tensor("x", 1, 4, 6, 6), tensor("w", 4, 4, 1, 1)


def converted(body, layouts=None, params=(X, W)):
    mod = infer_type(IRModule({"main": Function(params, body)}))
    out = ConvertLayout(layouts or NHWC)(mod)
    rng = np.random.default_rng(3)
    args = [
        rng.normal(size=p.type_annotation.shape).astype(p.type_annotation.dtype)
        for p in mod["main"].params
    ]
    assert close(evaluate(out["main"], out, args), evaluate(mod["main"], mod, args), 1e-4)
    return out["main"]


def transforms(func):
    """Return from which layout to which a program changes layouts, in order."""
    return [
        (call.attrs.src_layout, call.attrs.dst_layout)
        for call in EXPRESSIONS.post_order(func)
        if type(call) is Call and getattr(call.op, "name", "") == "layout_transform"
    ]


INTO = [("NCHW", "NHWC"), ("OIHW", "HWIO")]
BACK = [("NHWC", "NCHW")]


class TestFewChanges:
    @pytest.mark.parametrize("name", ["resnet", "mobilenet", "squeezenet"])
    def test_network_comes_back_with_no_change_left(self, name):
        mod, _ = getattr(testing, name).get_workload()
        with PassContext(opt_level=4):
            mod = Sequential([SimplifyInference(), CanonicalizeOps()])(infer_type(mod))
            there = ConvertLayout(NHWC)(mod)
            back = ConvertLayout({"nn.conv2d": ["NCHW", "default"]})(there)
        assert transforms(back["main"]) == []
        data = [pair for pair in transforms(there["main"]) if pair == ("NHWC", "NCHW")]
        assert len(data) <= 1


class TestAsked:
    def test_pooling_asked_for_keeps_its_layout_between_others(self):
        body = nn.relu(nn.max_pool2d(convolution(X, W), (2, 2)))
        func = converted(body, NHWC | {"nn.max_pool2d": ["NCHW"]})
        assert transforms(func) == INTO + BACK

    def test_function_registered_for_an_operator_is_asked(self):
        with declared_temporarily():
            register_convert_op_layout(
                "nn.relu", lambda _attrs, inputs, _tinfos, layouts: op.exp(*inputs), 77
            )
            mod = infer_type(IRModule({"main": Function((X, W), nn.relu(convolution(X, W)))}))
            out = ConvertLayout(NHWC | {"nn.relu": ["any"]})(mod)["main"]
        assert [n.op.name for n in EXPRESSIONS.post_order(out) if type(n) is Call][-2] == "exp"

    def test_convolutions_are_left_out_by_number(self):
        body = convolution(nn.relu(convolution(X, W)), W)
        with LayoutConfig(skip_layers=[0]):
            func = converted(body)
        found = [n.attrs.data_layout for n in EXPRESSIONS.post_order(func) if _is_conv(n)]
        assert found == ["NCHW", "NHWC"]
        assert transforms(converted(body)) == INTO + BACK  # only within

    @pytest.mark.parametrize("layout", ["NCWH", "WHCN", "NCHW2c"])
    def test_layouts_that_a_rule_does_not_know_leave_the_call_as_it_was(self, layout):
        body = nn.depth_to_space(nn.max_pool2d(X, (1, 1)), block_size=2)
        mod = infer_type(IRModule({"main": Function((X,), body)}))
        image = ConvertLayout({"nn.max_pool2d": [layout], "nn.depth_to_space": [layout]})(mod)
        value = np.arange(144, dtype="float32").reshape(1, 4, 6, 6)
        before, after = (evaluate(each["main"], each, [value]) for each in (mod, image))
        np.testing.assert_array_equal(after, before)

    @pytest.mark.parametrize("name", ["nn.lrn", "nn.relu", "nn.prelu"])
    def test_operator_without_layouts_is_refused_where_it_is_not_called(self, name):
        mod = infer_type(IRModule({"main": Function((X,), op.tanh(X))}))
        with pytest.raises(OperatorError, match=rf"{name} is asked for the layouts \['NHWC'\]"):
            ConvertLayout({name: ["NHWC"]})(mod)


def _is_conv(node):
    return type(node) is Call and node.attrs is not None and "kernel_layout" in node.attrs


def test_layouts_can_be_written_in_a_pipeline():
    made = ConvertLayout({"nn.conv2d": ("NHWC", "default")})
    assert made.desired_layouts == {"nn.conv2d": ("NHWC", "default")}


@each("seed", SEEDS)
def test_random_networks_keep_their_value(seed):
    mod = infer_type(random_layout_network(seed))
    args = random_network_arguments(mod, seed)
    wanted = evaluate(mod["main"], mod, args)
    context = PassContext(opt_level=4, instruments=[VerifyInstrument(["well_formed"])])
    with declared_temporarily(), context:
        register_random_alterations(seed)
        for made in (ConvertLayout(random_layouts(seed)), AlterOpLayout()):
            out = infer_type(made(mod))
            assert close(evaluate(out["main"], out, args), wanted, 2e-4), type(made)


@each("seed", SEEDS[::3])
def test_passes_one_after_the_other_keep_types_and_value(seed):
    mod = infer_type(random_layout_network(seed))
    args = random_network_arguments(mod, seed)
    context = PassContext(opt_level=4, instruments=[VerifyInstrument(["well_typed"])])
    with declared_temporarily(), context:
        register_random_alterations(seed)
        out = mod
        for made in (
            ConvertLayout(random_layouts(seed)),
            SimplifyInference(),
            AlterOpLayout(),
            SimplifyExprPostAlterOp(),
            FoldConstant(),
            ConvertLayout(random_layouts(seed + 1)),
            ConvertLayout({"nn.conv2d": ["NCHW", "default"]}),
        ):
            out = Sequential([made])(out)
    wanted = evaluate(mod["main"], mod, args)
    assert close(evaluate(out["main"], out, args), wanted, 5e-4)


@pytest.mark.deep
class TestDeep:
    LEVELS = min(DEPTH, 20_000)

    def test_chain_of_calls(self):
        relu = nn.relu(X)
        body = convolution(X, W)
        for _ in range(self.LEVELS):
            body = relu.with_fields(args=(body,))
        func = infer_type(IRModule({"main": Function((X, W), body)}))["main"]
        assert transforms(convert_layout(func, desired_layouts=NHWC)) == INTO + BACK

    def test_chain_of_lets(self):
        names = [Var("v") for _ in range(self.LEVELS)]
        values = [convolution(X, W), *[nn.relu(name) for name in names[:-1]]]
        body = names[-1]
        for name, value in zip(names[::-1], values[::-1], strict=True):
            body = Let(name, value, body)
        func = infer_type(IRModule({"main": Function((X, W), body)}))["main"]
        assert transforms(convert_layout(func, desired_layouts=NHWC)) == INTO + BACK

    def test_shared_operands_are_converted_once(self):
        body = convolution(X, W)
        for _ in range(100):
            body = op.add(body, body)
        func = infer_type(IRModule({"main": Function((X, W), body)}))["main"]
        out = convert_layout(func, desired_layouts=NHWC)
        assert len(EXPRESSIONS.post_order(out)) < 120


def test_result_is_the_same_program_whatever_order_is_asked_in():
    body = nn.max_pool2d(convolution(X, W), (2, 2))
    one = converted(body, NHWC | {"nn.max_pool2d": ["NHWC"]})
    other = converted(body, {"nn.max_pool2d": ["NHWC"]} | NHWC)
    assert structural_equal(one, other)
