"""Convolutions of the same data are computed by one."""

from __future__ import annotations

import pytest

from relayish import op
from relayish.analysis.infer_type import infer_type
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Constant, Function, If, Tuple
from relayish.op import nn
from relayish.passes.relay.combine_parallel.combine_parallel_conv2d import combine_parallel_conv2d
from relayish.transform import CombineParallelConv2D
from tests.support.deep import DEEP_NESTS, doublings
from tests.support.depth import DEPTH
from tests.support.parallel import calls, combined, numbers, program, tensor, unchanged
from tests.support.work import lines_run

PASS = CombineParallelConv2D(min_num_branches=2)
x = tensor("x", (1, 4, 6, 6))
w1, w2 = tensor("w1", (3, 4, 1, 1)), tensor("w2", (2, 4, 1, 1))
one, two = nn.conv2d(x, w1), nn.conv2d(x, w2)


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


def test_a_bias_that_depends_on_the_other_result_follows_the_slices():
    first = one + numbers(3, 1, 1)
    bias = op.mean(first) * numbers(2, 1, 1)
    out = combined(PASS, Tuple([first, two + bias]), x, w1, w2)
    assert len(calls(out, "add")) == 2


class TestScopes:
    def test_branches_of_a_decision_are_not_computed_together(self):
        v = tensor("v", (3, 4, 1, 1))
        c = Constant(True)
        unchanged(PASS, If(c, one, nn.conv2d(x, v)), x, w1, v)
        unchanged(PASS, Tuple([If(c, one, numbers(1, 3, 6, 6)), two]), x, w1, w2)


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
