"""What stands between the two rearrangements becomes a convolution with gaps."""

from __future__ import annotations

import pytest

from relayish import op
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Tuple, Var
from relayish.ir.relay.type import TensorType
from relayish.op import nn
from relayish.passes.relay.rewrite.flatten_atrous_conv import flatten_atrous_conv
from tests.support.deep import let_body
from tests.support.depth import DEPTH

x = Var("x", TensorType((1, 6, 5, 4), "float32"))
w = Var("w", TensorType((3, 3, 4, 2), "float32"))
NHWC = {"data_layout": "NHWC", "kernel_layout": "HWIO"}


def atrous(block=(2, 2), paddings=((2, 2), (2, 3)), crops=((0, 0), (0, 1)), pad_value=0.0, **attrs):
    batches = nn.space_to_batch_nd(x, block, paddings, pad_value)
    conv = nn.conv2d(batches, w, **{**NHWC, **attrs})
    return nn.batch_to_space_nd(conv, block, crops)


def test_what_others_see_stays_for_them():
    expr = atrous()
    out = flatten_atrous_conv(Tuple([expr, expr.args[0]]))
    assert out.fields[1] is expr.args[0]
    assert out.fields[0].attrs.dilation == (2, 2)


def test_span_is_that_of_the_whole():
    span = Span("net", 1, 1, 2, 3)
    assert flatten_atrous_conv(atrous().with_fields(span=span)).span == span


@pytest.mark.deep
def test_deep_program_is_walked():
    expr = let_body(DEPTH, atrous())
    assert flatten_atrous_conv(expr) is not expr
    expr = let_body(DEPTH, op.add(x, x))
    assert flatten_atrous_conv(expr) is expr
