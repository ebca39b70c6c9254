"""Operators compute in the layouts asked for, with few changes of layout."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import op, testing
from relayish.analysis.infer_type import infer_type
from relayish.errors import OperatorError, UnknownNameError
from relayish.interpreter import evaluate
from relayish.ir.declarations import declared_temporarily
from relayish.ir.relay.expr import Call, Function, If, Let, Tuple, TupleGetItem, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import Any, TensorType
from relayish.ir.structural_equal import structural_equal
from relayish.op import nn, register_convert_op_layout
from relayish.passes.layout.convert_layout import convert_layout
from relayish.text import parse
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
from tests.support.recorded import assert_same_program
from tests.support.seeds import seeds
from tests.support.standing import close

SEEDS = seeds(15)
HEADER = '#[version = "0.0.5"]\n'
NHWC = {"nn.conv2d": ["NHWC", "default"]}
SPLIT = {"nn.conv2d": ["NCHW4c", "default"]}


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


class TestLets:
    def test_variable_keeps_the_layout_of_its_value(self):
        y = Var("y")
        func = converted(Let(y, convolution(X, W), nn.relu(y)))
        assert transforms(func) == INTO + BACK

    def test_variables_of_variables_keep_it_too(self):
        y, z = Var("y"), Var("z")
        func = converted(Let(y, convolution(X, W), Let(z, y, nn.relu(z))))
        assert transforms(func) == INTO + BACK

    def test_tuple_keeps_the_layouts_of_its_fields(self):
        y = Var("y")
        pair = Tuple((convolution(X, W), X))
        func = converted(Let(y, pair, nn.relu(TupleGetItem(y, 0))))
        assert transforms(func) == INTO + BACK

    def test_variable_used_in_branches_comes_back_where_it_is_asked_for(self):
        y, cond = Var("y"), tensor("c", dtype="bool")
        body = Let(y, convolution(X, W), If(cond, op.exp(y), nn.relu(y)))
        func = converted(body, params=(X, W, cond))
        assert transforms(func) == INTO + BACK + BACK


class TestFewChanges:
    def test_changes_in_the_program_go_where_they_undo_each_other(self):
        there = op.layout_transform(convolution(X, W), "NCHW", "NHWC")
        func = converted(op.layout_transform(nn.relu(there), "NHWC", "NCHW"))
        assert transforms(func) == INTO + BACK

    def test_change_that_nothing_is_done_about_stays_the_same_object(self):
        body = op.layout_transform(X, "NCHW", "NHWC")
        func = Function((X,), nn.batch_flatten(nn.relu(body)))
        mod = infer_type(IRModule({"main": func}))
        assert ConvertLayout(NHWC)(mod) is mod

    def test_change_that_fills_up_stays(self):
        filled = op.layout_transform(convolution(X, W), "NCHW", "NCHW3c")
        func = converted(op.layout_transform(nn.relu(filled), "NCHW3c", "NCHW"))
        assert transforms(func) == [*INTO, *BACK, ("NCHW", "NCHW3c"), ("NCHW3c", "NCHW")]

    def test_each_tensor_changes_once_for_each_layout(self):
        v = tensor("v", 4, 4, 1, 1)
        func = converted(op.add(convolution(X, W), convolution(X, v)), params=(X, W, v))
        assert transforms(func) == [*INTO, ("OIHW", "HWIO"), *BACK]

    def test_operand_not_seen_yet_follows_the_one_that_comes_otherwise(self):
        y = tensor("y", 1, 4, 6, 6)
        func = converted(op.add(y, convolution(X, W)), params=(X, W, y))
        assert transforms(func) == [("NCHW", "NHWC"), *INTO, *BACK]

    def test_one_number_of_many_axes_is_left(self):
        one = tensor("one", 1, 1, 1)
        func = converted(op.multiply(one, convolution(X, W)), params=(X, W, one))
        assert transforms(func) == INTO + BACK

    def test_change_to_what_an_operator_is_asked_for_serves_it(self):
        there = op.layout_transform(X, "NCHW", "NHWC")
        func = converted(convolution(op.layout_transform(there, "NHWC", "NCHW"), W))
        assert transforms(func) == INTO + BACK

    def test_transposition_takes_what_comes(self):
        first = op.transpose(convolution(X, W), (0, 2, 3, 1))
        assert transforms(converted(convolution(first, W, data_layout="NHWC"))) == INTO

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
    def test_program_stays_itself_where_all_compute_so(self):
        mod = infer_type(IRModule({"main": Function((X, W), nn.relu(convolution(X, W)))}))
        assert ConvertLayout({"nn.conv2d": ["NCHW", "default"]})(mod) is mod
        assert ConvertLayout({})(mod) is mod

    @pytest.mark.parametrize(
        ("attrs", "weight", "layouts", "kernel"),
        [
            ({}, (4, 4, 1, 1), "NHWC", "HWIO"),
            ({"groups": 4}, (4, 1, 1, 1), "NHWC", "HWOI"),
            ({}, (4, 4, 1, 1), "HWNC", "HWOI"),
            ({}, (4, 4, 1, 1), "NCHW2c", "OIHW2i2o"),
            ({"groups": 4}, (4, 1, 1, 1), "NCHW2c", "OIHW1i2o"),
        ],
    )
    def test_default_layout_of_weights_goes_with_the_data(self, attrs, weight, layouts, kernel):
        w = tensor("w", *weight)
        func = converted(
            convolution(X, w, **attrs), {"nn.conv2d": [layouts, "default"]}, params=(X, w)
        )
        found = [n.attrs.kernel_layout for n in EXPRESSIONS.post_order(func) if _is_conv(n)]
        assert found == [kernel]

    def test_weights_of_several_blocks_of_several_digits(self):
        x, w = tensor("x", 1, 64, 3, 3), tensor("w", 64, 64, 1, 1)
        body = nn.conv2d(x, w, channels=64, kernel_size=(1, 1))
        func = converted(body, {"nn.conv2d": ["NCHW32c", "OHWI16i64o2i"]}, params=(x, w))
        assert transforms(func)[1] == ("OIHW", "OHWI16i64o2i")

    def test_parts_that_do_not_divide_leave_the_call(self):
        x, w = tensor("x", 1, 6, 3, 3), tensor("w", 4, 6, 1, 1)
        body = convolution(x, w)
        mod = infer_type(IRModule({"main": Function((x, w), body)}))
        assert ConvertLayout(SPLIT)(mod) is mod

    def test_sizes_that_are_not_known_are_permuted_and_not_split(self):
        x = tensor("x", Any(), 4, Any(), 6)
        mod = infer_type(IRModule({"main": Function((x, W), nn.relu(convolution(x, W)))}))
        assert transforms(ConvertLayout(NHWC)(mod)["main"]) == INTO + BACK
        x = tensor("x", 1, Any(), 6, 6)
        mod = infer_type(IRModule({"main": Function((x, W), nn.batch_flatten(nn.relu(x)))}))
        assert ConvertLayout(SPLIT)(mod) is mod

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

    def test_unknown_operator_is_refused(self):
        mod = infer_type(IRModule({"main": Function((X,), nn.relu(X))}))
        with pytest.raises(UnknownNameError, match=r"no operator 'nn.conv2' .*mean nn.conv2d"):
            ConvertLayout({"nn.conv2": ["NHWC", "default"]})(mod)

    @pytest.mark.parametrize("layout", ["NCWH", "WHCN", "NCHW2c"])
    def test_layouts_that_a_rule_does_not_know_leave_the_call_as_it_was(self, layout):
        body = nn.depth_to_space(nn.max_pool2d(X, (1, 1)), block_size=2)
        mod = infer_type(IRModule({"main": Function((X,), body)}))
        image = ConvertLayout({"nn.max_pool2d": [layout], "nn.depth_to_space": [layout]})(mod)
        value = np.arange(144, dtype="float32").reshape(1, 4, 6, 6)
        before, after = (evaluate(each["main"], each, [value]) for each in (mod, image))
        np.testing.assert_array_equal(after, before)

    @pytest.mark.parametrize(
        ("layouts", "message"),
        [
            ({"nn.conv2d": ["NHWC"]}, r"nn.conv2d has two layouts, as in \['NCHW', 'default'\]"),
            ({"nn.conv2d": ["default", "OIHW"]}, "data of nn.conv2d must be said, not 'default'"),
            ({"nn.conv2d": ["N-C", "OIHW"]}, r"has two layouts, .*; found \['N-C', 'OIHW'\]"),
            (
                {"nn.conv2d": ["NCDHW", "default"]},
                "asked for the layout 'NCDHW', .* axes of 'NCHW'",
            ),
            ({"nn.conv2d": ["NHWC", "XYZW"]}, "asked for the layout 'XYZW', .* axes of 'OIHW'"),
            ({"nn.max_pool2d": ["NHC"]}, "nn.max_pool2d is asked for the layout 'NHC', but"),
            (
                {"nn.max_pool2d": ["NCHW2h"]},
                (
                    "asked for the layout 'NCHW2h', but layout NCHW2h must have the axes H, W, "
                    "which cannot be split; ask for one that it takes, as 'NCHW', in which it is"
                ),
            ),
            ({"nn.max_pool2d": []}, r"nn.max_pool2d has one layout, as in \['NCHW'\]; found \[\]"),
            (
                {"nn.relu": ["NHWC"]},
                "nn.relu is asked for the layouts .* register_convert_op_layout",
            ),
        ],
    )
    def test_layouts_that_an_operator_does_not_have_are_refused(self, layouts, message):
        body = nn.max_pool2d(nn.relu(convolution(X, W)), (2, 2))
        mod = infer_type(IRModule({"main": Function((X, W), body)}))
        with pytest.raises(OperatorError, match=message):
            ConvertLayout(layouts)(mod)

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


def test_names_that_two_operators_give_one_axis_do_not_part_them():
    """What a reduction calls W and H, the pooling behind it calls H and W."""
    text = """
    def @main(%x: Tensor[(1, 4, 6, 6), float32], %w: Tensor[(4, 4, 1, 1), float32]) {
      %0 = transpose(nn.conv2d(%x, %w, padding=[0, 0, 0, 0]), axes=[0, 1, 3, 2]);
      nn.max_pool2d(nn.relu(%0), pool_size=[2, 2], padding=[0, 0, 0, 0])
    }
    """
    after = """
    def @main(%x: Tensor[(1, 4, 6, 6), float32], %w: Tensor[(4, 4, 1, 1), float32]) {
      %0 = layout_transform(%x, src_layout="NCHW", dst_layout="NHWC");
      %1 = layout_transform(%w, src_layout="OIHW", dst_layout="HWIO");
      %2 = nn.conv2d(%0, %1, padding=[0, 0, 0, 0], data_layout="NHWC", kernel_layout="HWIO");
      %3 = transpose(%2, axes=[0, 3, 2, 1]);
      nn.max_pool2d(nn.relu(%3), pool_size=[2, 2], padding=[0, 0, 0, 0])
    }
    """
    out = ConvertLayout(NHWC)(infer_type(parse(HEADER + text)))
    assert_same_program(out, HEADER + after)


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
