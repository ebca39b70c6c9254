from __future__ import annotations

import math

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.ir.relay.type import Any, SizeVar, TensorType
from relayish.op import get_op, make_attrs
from relayish.op.types.layout import convert_layout, read_layout
from tests.support.checking import (
    assert_same,
    evaluated,
    evaluated_in,
    every_index,
    inferred,
    random_values,
    reference,
)
from tests.support.seeds import quickly

st = pytest.importorskip("hypothesis.strategies")
hypothesis = pytest.importorskip("hypothesis")

QUICKLY = quickly(40)


def laid_out(name, *types, **attributes):
    return inferred(name, make_attrs(get_op(name), attributes), *types)


def test_layout_names_axes_and_their_inner_parts():
    assert [(a.letter, a.factor) for a in read_layout("NCHW16c")][-1] == ("c", 16)


@pytest.mark.parametrize("layout", ["NN", "N4C", "NCc", "N4c", "N-C"])
def test_layout_that_means_nothing_is_refused(layout):
    with pytest.raises(EvaluationError, match="is no layout"):
        read_layout(layout)


@reference("formula", "layout_transform")
def test_layout_transform_moves_and_splits_axes():
    data = random_values(2, 8, 3, 4)
    split = convert_layout(data, "NCHW", "NHWC4c")
    assert split.shape == (2, 3, 4, 2, 4)
    for n, h, w, outer, inner in every_index(split.shape):
        assert split[n, h, w, outer, inner] == data[n, 4 * outer + inner, h, w]
    assert_same(evaluated("layout_transform", split, src_layout="NHWC4c", dst_layout="NCHW"), data)


@st.composite
def layouts(draw, letters="NCHW"):
    """Draw a layout of the letters, some of them split."""
    split = draw(st.lists(st.sampled_from(letters), max_size=3))
    inner = [f"{draw(st.integers(1, 4))}{letter.lower()}" for letter in split]
    return "".join(draw(st.permutations([*letters, *inner])))


def whole_index(layout, index):
    """Return the position along every axis that the index of an element means."""
    found = {axis.letter: 0 for axis in read_layout(layout) if not axis.factor}
    axes = list(zip(read_layout(layout), index, strict=True))
    for axis, at in sorted(axes, key=lambda item: item[0].factor > 0):  # the outermost part first
        letter = axis.letter.upper()
        found[letter] = found[letter] * (axis.factor or 1) + at
    return found


@reference("formula", "layout_transform")
@QUICKLY
@hypothesis.given(st.data())
def test_every_element_is_where_both_layouts_say_and_the_rest_is_zero(data):
    sizes = dict(zip("NCHW", data.draw(st.tuples(*[st.integers(1, 5)] * 4)), strict=True))
    source, target = data.draw(layouts()), data.draw(layouts())
    factors = {a.letter: 1 for a in read_layout(source)}
    for axis in read_layout(source):
        factors[axis.letter.upper()] *= axis.factor or 1
    shape = [
        axis.factor or math.ceil(sizes[axis.letter] / factors[axis.letter])
        for axis in read_layout(source)
    ]
    given = np.arange(1, math.prod(shape) + 1, dtype="int32").reshape(shape)
    found = evaluated("layout_transform", given, src_layout=source, dst_layout=target)
    by_place = {
        tuple(sorted(whole_index(source, index).items())): given[index]
        for index in every_index(given.shape)
    }
    for index in every_index(found.shape):
        place = tuple(sorted(whole_index(target, index).items()))
        assert found[index] == by_place.pop(place, 0)
    assert not by_place


@pytest.mark.parametrize(
    ("shape", "source", "target", "expected"),
    [
        ((1, 64, 56, 56), "NCHW", "NCHW16c", (1, 4, 56, 56, 16)),
        ((1, 4, 56, 56, 16), "NCHW16c", "NCHW", (1, 64, 56, 56)),
        ((1, 56, 56, 64), "NHWC", "NCHW16c", (1, 4, 56, 56, 16)),
        ((32, 1, 3, 3), "OIHW", "OIHW1i8o", (4, 1, 3, 3, 1, 8)),
        ((1, 30, 7, 7), "NCHW", "NCHW16c", (1, 2, 7, 7, 16)),
        ((1, 2, 7, 7, 16), "NCHW16c", "NCHW4c", (1, 8, 7, 7, 4)),
        ((64, 3, 3, 32), "OHWI", "OHWI16i64o2i", (1, 3, 3, 1, 16, 64, 2)),
        ((1, 3, 3, 2, 16, 64, 2), "OHWI16i64o2i", "OIHW", (64, 64, 3, 3)),
    ],
)
@reference("TVM", "layout_transform")
def test_type_of_a_layout_transform(shape, source, target, expected):
    found = laid_out(
        "layout_transform", TensorType(shape, "int8"), src_layout=source, dst_layout=target
    )
    assert (found.shape, found.dtype) == (expected, "int8")


def test_unknown_sizes_stay_unknown_where_they_are_split_or_joined():
    n = SizeVar("n")
    found = laid_out(
        "layout_transform", TensorType((n, Any(), 4)), src_layout="NCH", dst_layout="NHC8c"
    )
    assert found.shape[0] is n
    assert isinstance(found.shape[2], Any)
    assert found.shape[1::2] == (4, 8)


def test_data_in_a_layout_that_does_not_fit_is_refused():
    with pytest.raises(EvaluationError, match="do not name the same axes"):
        convert_layout(np.zeros((1, 6)), "NC", "NH")
    with pytest.raises(EvaluationError, match="the data has 2"):
        convert_layout(np.zeros((1, 6)), "NCH", "NHC")


def test_every_evaluated_operator_of_the_family_is_tested():
    assert evaluated_in("relayish.op.tensor.layout_conversion") == {
        "layout_transform",
        "auto_scheduler_layout_transform",
    }
