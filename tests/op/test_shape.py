from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import TensorType
from relayish.op import get_op, make_attrs
from relayish.op.declaration.properties import rule
from relayish.op.tensor.creation import InitOpAttrs
from relayish.op.types.dimension import show_shape
from relayish.op.types.reshape import reshape_shape
from relayish.text import astext, parse
from tests.support.checking import (
    assert_same,
    evaluated,
    random_values,
    reference,
)


@reference("formula", "reshape")
@pytest.mark.parametrize(
    ("shape", "newshape", "expected"),
    [
        ((2, 3, 4), (4, 0, 2), (4, 3, 2)),
        ((2, 3, 4), (2, 0, 0), (2, 3, 4)),
        ((2, 3, 4), (6, 1, -1), (6, 1, 4)),
        ((2, 3, 4), (3, -1, 8), (3, 1, 8)),
        ((2, 3, 4), (-1,), (24,)),
        ((2, 3, 4), (-2,), (2, 3, 4)),
        ((2, 3, 4), (2, -2), (2, 3, 4)),
        ((2, 3, 4), (-2, 1, 1), (2, 3, 4, 1, 1)),
        ((2, 3, 4), (-3, 4), (6, 4)),
        ((2, 3, 4, 5), (-3, -3), (6, 20)),
        ((2, 3, 4), (0, -3), (2, 12)),
        ((2, 3, 4), (-4, 1, 2, -2), (1, 2, 3, 4)),
        ((2, 3, 4), (2, -4, -1, 3, -2), (2, 1, 3, 4)),
        ((), (1, 1), (1, 1)),
        ((1,), (), ()),
        ((0, 3), (3, 0), None),
        ((0, 3), (0, -1), (0, 3)),
        ((0, 3), (3, -1), (3, 0)),
        ((0, 3), (-1, 0), (0, 3)),
        ((4,), (-1, -1), None),
        ((4,), (3,), None),
        ((4,), (4, 0), None),
        ((4,), (-3,), None),
        ((4,), (-4, 3, -1), None),
        ((4,), (-4, 2), None),
        ((4,), (-4, -1, -1), None),
        ((4,), (-4, 0, -1), None),
        ((4,), (-4, -2, -2), None),
        ((6,), (-1, 4), None),
        ((4,), (-5,), None),
    ],
)
def test_reshape_reads_its_language(shape, newshape, expected):
    if expected is None:
        with pytest.raises(EvaluationError, match="cannot be reshaped to"):
            reshape_shape(shape, newshape)
        return
    assert reshape_shape(shape, newshape) == expected
    data = random_values(*shape)
    assert_same(evaluated("reshape", data, newshape=newshape), np.resize(data, expected))


@reference("formula", "contrib_reverse_reshape")
def test_reverse_reshape_reads_from_the_right():
    data = random_values(10, 5, 4)
    assert evaluated("contrib_reverse_reshape", data, newshape=(-1, 0)).shape == (50, 4)
    assert evaluated("contrib_reverse_reshape", data, newshape=(-3, 0)).shape == (50, 4)
    with pytest.raises(EvaluationError, match="cannot split"):
        evaluated("contrib_reverse_reshape", data, newshape=(-4, 2, 5, -2))


@reference("formula", "reshape_like")
def test_reshape_like_replaces_a_range_of_axes():
    data, like = random_values(1, 2, 3, 4), random_values(1, 6, 5)
    found = evaluated("reshape_like", data, like, lhs_begin=1, lhs_end=3, rhs_begin=1, rhs_end=2)
    assert_same(found, np.resize(data, (1, 6, 4)))
    assert evaluated("reshape_like", data, np.zeros((4, 6))).shape == (4, 6)
    assert evaluated("reshape_like", data, np.zeros((9, 12)), lhs_begin=-2, rhs_begin=-1).shape == (
        1,
        2,
        12,
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


@reference("formula", "nn.batch_flatten")
def test_batch_flatten_keeps_the_first_axis():
    data = random_values(2, 3, 4)
    assert_same(evaluated("nn.batch_flatten", data), np.resize(data, (2, 12)))
    assert evaluated("nn.batch_flatten", np.zeros((2,))).shape == (2, 1)


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
