from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import TypeInferenceError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op import get_op, make_attrs
from relayish.op.declaration.properties import rule
from relayish.op.tensor.creation import InitOpAttrs
from relayish.op.types.dimension import show_shape
from relayish.text import astext, parse
from tests.support.checking import (
    assert_same,
    evaluated,
    random_values,
    reference,
)


@reference("formula", "broadcast_to", "broadcast_to_like", "collapse_sum_like", "collapse_sum_to")
@reference("formula", "dyn.broadcast_to")
@pytest.mark.parametrize(("source", "target"), [((), (2, 3)), ((3,), (2, 3)), ((2, 1), (4, 2, 5))])
def test_broadcasting_and_summing_back(source, target):
    data = random_values(*source, dtype="int32")
    expected = np.zeros(target, np.int32) + data
    like, shape = np.zeros(target, np.int8), np.array(target, np.int64)
    assert_same(evaluated("broadcast_to", data, shape=target), expected)
    assert_same(evaluated("broadcast_to_like", data, like), expected)
    assert_same(evaluated("dyn.broadcast_to", data, shape), expected)
    times = np.int32(np.prod(target) // np.prod(source or (1,)))
    summed = np.asarray(data * times)
    assert_same(evaluated("collapse_sum_like", expected, data), summed)
    assert_same(evaluated("collapse_sum_to", expected, np.array(source, np.int32)), summed)


def shape_after(name, /, *shapes, **options):
    """Return, written, the shape the rule of an operator gives."""
    types = map(TensorType, shapes)
    return show_shape(rule.get(get_op(name))(make_attrs(get_op(name), options), *types).shape)


def test_collapse_sum_to_knows_the_sizes_that_attributes_repeat():
    assert shape_after("collapse_sum_to", (3, 4, 5, 6), (3,)) == "(?, ?, ?)"
    find = rule.get(get_op("collapse_sum_to"))
    data, shape = TensorType((3, 4, 5, 6)), TensorType((3,), "int32")
    assert find(InitOpAttrs((4, 5, 6)), data, shape).shape == (4, 5, 6)
    with pytest.raises(TypeInferenceError, match="cannot broadcast"):
        find(InitOpAttrs((4, 4, 6)), data, shape)


def test_text_of_collapse_sum_to_has_attributes_or_none():
    program = """#[version = "0.0.5"]
    def @main(%x: Tensor[(3, 4), float32], %s: Tensor[(1), int32]) { collapse_sum_to(%x, %s) }"""
    call = parse(program)["main"].body
    assert call.attrs is None
    for attrs in (None, InitOpAttrs((4,)), InitOpAttrs(None)):
        mod = IRModule.from_expr(Function(call.args, call.with_fields(attrs=attrs)))
        assert structural_equal(parse(astext(mod)), mod)
