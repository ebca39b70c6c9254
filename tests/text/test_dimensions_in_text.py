"""Sizes that are no numbers, in the attributes of calls."""

from __future__ import annotations

import relayish as relay
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Call
from relayish.ir.relay.type import Any, SizeVar
from relayish.op.types.dimension import multiply
from relayish.text import astext, parse_expr


def test_unknown_size_in_an_attribute_is_a_question_mark() -> None:
    call = parse_expr("nn.conv2d(1f, 1f, channels=?, kernel_size=[?, 3])")
    assert isinstance(call, Call)
    assert isinstance(call.attrs["channels"], Any)
    assert "channels=?, kernel_size=[?, 3]" in astext(call)


def test_named_sizes_in_attributes_are_those_of_the_metadata_that_tvm_reads() -> None:
    n = SizeVar("n")
    x = relay.var("x")
    call = relay.nn.conv2d(x, x, channels=n, kernel_size=(n, multiply(n, 2)))
    text = astext(call)
    assert "channels=meta[tir.SizeVar][0]" in text
    assert "kernel_size=[meta[tir.SizeVar][0], meta[tir.Mul][0]]" in text
    assert_structural_equal(parse_expr(text), call, map_free_vars=True)


def test_numbers_beside_a_size_have_its_width() -> None:
    for dtype in ("int32", "int64"):
        x = relay.var("x", shape=(2 * SizeVar("n", dtype),))
        assert f'"attrs": {{"dtype": "{dtype}", "span": "0", "value": "2"}}' in astext(x)


def test_numbers_in_attributes_are_as_wide_as_they_must_be() -> None:
    for size, dtype in ((5, "int32"), (2**31 - 1, "int32"), (2**31, "int64")):
        attrs = relay.nn.dense(relay.const(1.0), relay.const(1.0), units=size).attrs
        call = Call(relay.op.get("nn.relu"), (relay.const(1.0),), attrs)
        assert f'"attrs": {{"dtype": "{dtype}", "span": "0", "value": "{size}"}}' in astext(call)
        assert_structural_equal(parse_expr(astext(call)), call)
