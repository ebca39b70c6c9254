"""Convolutions of the same data are computed by one."""

from __future__ import annotations

import pytest

from relayish import op
from relayish.analysis.infer_type import infer_type
from relayish.ir.relay.adt import Clause, Match, PatternWildcard
from relayish.ir.relay.expr import Constant, Function, If, Let, Tuple, Var
from relayish.ir.relay.type import Any, TensorType
from relayish.ir.span import Span
from relayish.op import nn
from relayish.passes.combine_parallel.combine_parallel_conv2d import combine_parallel_conv2d
from relayish.transform import CombineParallelConv2D
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH
from tests.support.parallel import calls, combined, numbers, program, tensor, unchanged
from tests.support.work import lines_run

PASS = CombineParallelConv2D(min_num_branches=2)
x = tensor("x", (1, 4, 6, 6))
w1, w2 = tensor("w1", (3, 4, 1, 1)), tensor("w2", (2, 4, 1, 1))
one, two = nn.conv2d(x, w1), nn.conv2d(x, w2)


def test_weights_are_concatenated_and_results_cut_out():
    out = combined(PASS, Tuple([one, two]), x, w1, w2)
    (conv,) = calls(out, "nn.conv2d")
    assert conv.attrs.channels == 5
    assert [call.attrs.begin for call in calls(out, "strided_slice")] == [(0, 0), (0, 3)]


def test_three_are_needed_unless_fewer_are_said_to_be_enough():
    unchanged(CombineParallelConv2D(), Tuple([one, two]), x, w1, w2)
    three = nn.conv2d(x, w1)
    combined(CombineParallelConv2D(), Tuple([one, two, three]), x, w1, w2)


def test_one_is_never_combined_with_itself():
    unchanged(CombineParallelConv2D(min_num_branches=1), one, x, w1)


@pytest.mark.parametrize(
    "attrs",
    [
        {"strides": (2, 2)},
        {"padding": (1, 1)},
        {"dilation": (2, 2)},
        {"out_dtype": "float64"},
    ],
)
def test_other_attributes_are_another_group(attrs):
    v1, v2 = tensor("v1", (3, 4, 3, 3)), tensor("v2", (3, 4, 3, 3))
    body = Tuple([nn.conv2d(x, v1), nn.conv2d(x, v2, **attrs)])
    unchanged(PASS, body, x, v1, v2)


def test_weights_of_another_size_are_another_group():
    v = tensor("v", (3, 4, 3, 3))
    unchanged(PASS, Tuple([one, nn.conv2d(x, v)]), x, w1, v)
    combined(PASS, Tuple([one, nn.conv2d(x, v), two]), x, w1, v, w2, count=2)


def test_convolutions_of_groups_are_left():
    v1, v2 = tensor("v1", (4, 1, 1, 1)), tensor("v2", (4, 1, 1, 1))
    unchanged(PASS, Tuple([nn.conv2d(x, v, groups=4) for v in (v1, v2)]), x, v1, v2)


def test_convolutions_of_other_data_are_left():
    y = tensor("y", (1, 4, 6, 6))
    unchanged(PASS, Tuple([one, nn.conv2d(y, w2)]), x, y, w1, w2)


def test_channels_held_in_blocks_are_left():
    data = tensor("x", (1, 2, 6, 6, 2))
    v1, v2 = tensor("v1", (2, 2, 1, 1, 2, 2)), tensor("v2", (2, 2, 1, 1, 2, 2))
    attrs = {"data_layout": "NCHW2c", "kernel_layout": "OIHW2i2o"}
    unchanged(PASS, Tuple([nn.conv2d(data, v, **attrs) for v in (v1, v2)]), data, v1, v2)


def test_weights_of_unknown_size_are_left():
    v = Var("v", TensorType((Any(), 4, 1, 1), "float32"))
    unchanged(PASS, Tuple([one, nn.conv2d(x, v)]), x, w1, v)


def test_data_of_unknown_size_is_not_in_the_way():
    data = Var("x", TensorType((Any(), 4, Any(), 6), "float32"))
    out = PASS(program(Tuple([nn.conv2d(data, w1), nn.conv2d(data, w2)]), data, w1, w2))
    assert len(calls(out, "nn.conv2d")) == 1


def test_channels_may_be_last():
    data = tensor("x", (1, 6, 6, 4))
    v1, v2 = (tensor(f"v{n}", (3, 3, 4, n)) for n in (1, 2))
    attrs = {"data_layout": "NHWC", "kernel_layout": "HWIO"}
    b1, b2 = numbers(1), numbers(2)
    body = Tuple([nn.conv2d(data, v1, **attrs) + b1, nn.conv2d(data, v2, **attrs) + b2])
    assert len(calls(combined(PASS, body, data, v1, v2), "add")) == 1


def test_what_follows_every_branch_is_combined_as_well():
    body = Tuple(
        [
            nn.leaky_relu(nn.relu(one * numbers(3, 1, 1) + numbers(1, 3, 1, 1))),
            nn.leaky_relu(nn.relu(two * numbers(2, 1, 1) + numbers(1, 2, 1, 1))),
        ]
    )
    out = combined(PASS, body, x, w1, w2)
    for name in ("multiply", "add", "nn.relu", "nn.leaky_relu"):
        assert len(calls(out, name)) == 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (nn.relu, op.tanh),
        (nn.relu, lambda e: e),
        (lambda e: nn.leaky_relu(e, 0.1), lambda e: nn.leaky_relu(e, 0.2)),
        (lambda e: e + numbers(1), lambda e: e + numbers(1)),
        (lambda e: e + numbers(3, 1, 1), lambda e: numbers(2, 1, 1) + e),
        (lambda e: e + numbers(3, 1, 1), lambda e: e + numbers(1, 2, 1, 1)),
        (lambda e: e + numbers(3, 6, 1), lambda e: e + numbers(2, 1, 6)),
        (lambda e: nn.bias_add(e, numbers(3)), lambda e: nn.bias_add(e, numbers(2))),
        (lambda e: nn.softmax(e, axis=1), lambda e: nn.softmax(e, axis=1)),
        (lambda e: op.expand_dims(e, 0), lambda e: op.expand_dims(e, 0)),
    ],
    ids=[
        "other operators",
        "nothing behind one",
        "other attributes",
        "one number for all channels",
        "another side",
        "another rank",
        "other axes",
        "an axis of its own",
        "no elementwise operator",
        "another axis in front",
    ],
)
def test_what_does_not_fit_follows_the_slices(first, second):
    out = combined(PASS, Tuple([first(one), second(two)]), x, w1, w2)
    assert all(call.args[0] is calls(out, "nn.conv2d")[0] for call in calls(out, "strided_slice"))


def test_axes_behind_the_channels_may_be_added():
    body = Tuple([op.expand_dims(conv, 4) for conv in (one, two)])
    assert len(calls(combined(PASS, body, x, w1, w2), "expand_dims")) == 1


def test_what_others_see_as_well_is_cut_out_before():
    body = Tuple([nn.relu(one), nn.relu(two), one])
    assert len(calls(combined(PASS, body, x, w1, w2), "nn.relu")) == 2


def test_blocks_behind_blocks_are_each_combined():
    expr = x
    weights = [tensor(f"w{n}", (2, 4, 1, 1)) for n in range(6)]
    for n in range(0, 6, 2):
        expr = op.concatenate([nn.conv2d(expr, w) for w in weights[n : n + 2]], axis=1)
    combined(PASS, expr, x, *weights, count=3)


def test_residual_sums_across_branches_stay_sums():
    """The sum of both follows neither of them alone."""
    v = tensor("v", (3, 4, 1, 1))
    combined(PASS, nn.relu(one) + nn.relu(nn.conv2d(x, v)), x, w1, v)


def test_sums_of_two_groups_belong_to_one():
    y = tensor("y", (1, 4, 6, 6))
    v = tensor("v", (3, 4, 1, 1))
    body = Tuple([nn.conv2d(x, w1) + nn.conv2d(y, w1), nn.conv2d(x, v) + nn.conv2d(y, v)])
    combined(PASS, body, x, y, w1, v, count=2)


def test_a_weight_that_depends_on_the_other_result_is_not_waited_for():
    scale = op.mean(one)
    unchanged(PASS, Tuple([one, nn.conv2d(x, w2 * scale)]), x, w1, w2)


def test_a_bias_that_depends_on_the_other_result_follows_the_slices():
    first = one + numbers(3, 1, 1)
    bias = op.mean(first) * numbers(2, 1, 1)
    out = combined(PASS, Tuple([first, two + bias]), x, w1, w2)
    assert len(calls(out, "add")) == 2


def test_two_groups_that_wait_for_each_other_are_left():
    y = tensor("y", (1, 4, 6, 6))
    a1, b1 = nn.conv2d(x, w1), nn.conv2d(y, w1)
    a2, b2 = nn.conv2d(x, w1 * op.mean(b1)), nn.conv2d(y, w1 * op.mean(a1))
    unchanged(PASS, Tuple([a1, a2, b1, b2]), x, y, w1)


class TestScopes:
    def test_values_of_lets_are_combined_where_the_first_is(self):
        a, b = Var("a"), Var("b")
        body = Let(a, nn.relu(one), Let(b, op.tanh(two), Tuple([a, b])))
        combined(PASS, body, x, w1, w2)

    def test_a_weight_made_of_a_later_let_is_not_known_earlier(self):
        a, scale = Var("a"), Var("scale")
        body = Let(a, one, Let(scale, op.sqrt(Constant(2.0)), Tuple([a, nn.conv2d(x, w2 * scale)])))
        unchanged(PASS, body, x, w1, w2)

    def test_weights_made_of_the_same_let_are(self):
        scale, a = Var("scale"), Var("a")
        body = Let(
            scale,
            op.sqrt(Constant(2.0)),
            Let(a, nn.conv2d(x, w1 * scale), Tuple([a, nn.conv2d(x, w2 * scale)])),
        )
        combined(PASS, body, x, w1, w2)

    def test_branches_of_a_decision_are_not_computed_together(self):
        v = tensor("v", (3, 4, 1, 1))
        c = Constant(True)
        unchanged(PASS, If(c, one, nn.conv2d(x, v)), x, w1, v)
        unchanged(PASS, Tuple([If(c, one, numbers(1, 3, 6, 6)), two]), x, w1, w2)

    def test_calls_in_one_branch_are_combined_there(self):
        inside = op.sum(one) + op.sum(two)
        combined(PASS, If(Constant(True), inside, Constant(0.0)), x, w1, w2)

    def test_bodies_of_functions_and_clauses_are_places_of_their_own(self):
        local = Function([], two)
        unchanged(PASS, Tuple([one, local()]), x, w1, w2)
        match = Match(Constant(1), (Clause(PatternWildcard(), two),))
        unchanged(PASS, Tuple([one, match]), x, w1, w2)


def test_results_stand_where_the_calls_stood():
    spans = [Span("net", line, line, 1, 2) for line in (1, 2)]
    body = Tuple([conv.with_fields(span=s) for conv, s in zip((one, two), spans, strict=True)])
    out = PASS(program(body, x, w1, w2))
    assert [call.span for call in calls(out, "strided_slice")] == spans
    assert calls(out, "nn.conv2d")[0].span == spans[0]


def test_program_without_types_is_left():
    func = Function([x, w1, w2], Tuple([one, two]))
    assert combine_parallel_conv2d(func, min_num_branches=2) is func


@pytest.mark.deep
@pytest.mark.parametrize("nest", ["let_body", "if_false"])
def test_program_of_any_depth_is_walked(nest):
    func = infer_type(program(Tuple([one, two]), x, w1, w2))["main"]
    deep = Tuple([DEEP_NESTS[nest](DEPTH, doublings(100)), func.body])
    out = combine_parallel_conv2d(deep, min_num_branches=2)
    assert out.fields[0] is deep.fields[0]
    assert out.fields[1] is not deep.fields[1]


def test_work_grows_with_the_branches():
    def work(count):
        ws = [tensor(f"w{n}", (2, 4, 1, 1)) for n in range(count)]
        body = Tuple([nn.relu(nn.conv2d(x, w) + numbers(2, 1, 1)) for w in ws])
        func = infer_type(program(body, x, *ws))["main"]
        combine_parallel_conv2d(func)  # what is looked up once and for all is there
        return lines_run(lambda: combine_parallel_conv2d(func))

    assert work(200) <= 2.1 * work(100)
