"""A call in the layouts that its rule answers has the value of the call as it was."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from relayish.ir.relay.type import TensorType, Type
from relayish.op import get_op, make_attrs
from relayish.op.declaration.properties import evaluate, infer_layout
from relayish.op.declaration.properties import random as draws
from relayish.op.layouts.rules import broadcast_layouts, fit_layout, layout_rule
from relayish.op.types.layout import read_layout
from relayish.op.types.layout_algebra import (
    find_axis,
    insert_axes,
    rearranges,
    rename,
)
from relayish.testing.op_checks.layouts import arranged, compared_layouts
from relayish.testing.op_checks.samples import draw_value, sample_of
from relayish.testing.op_checks.trial import Trial
from relayish.testing.op_checks.values import check_value
from tests.support.each import each
from tests.support.seeds import SOAK
from tests.support.sound_calls import sound_calls

CALLS = {
    name: call
    for name, call in sound_calls().items()
    if layout_rule(get_op(name)) is not None and get_op(name) in evaluate
}


def tried(name: str, types: tuple[Type, ...], attrs: Any, seed: int = 0) -> int:
    """Compare values in all layouts that may come; return how many the rule could take."""
    rng = np.random.default_rng(0)
    values = [draw_value(ty, rng) for ty in types]
    trial = Trial(sample_of(get_op(name), attrs, values, is_given=True))
    assert not list(check_value(trial))
    compared = list(compared_layouts(trial, seed))
    assert [fault for fault in compared if fault is not None] == []
    return len(compared)


@functools.cache
def called(name: str, seed: int) -> int:
    """Compare the sound call of an operator, once for the tests that want it."""
    return tried(name, *CALLS[name], seed)


@each("name", sorted(set(CALLS) - {n for n in CALLS if get_op(n) in draws}))
def test_call_in_other_layouts_has_the_same_value(name: str) -> None:
    called(name, SOAK)


def test_most_rules_take_other_layouts():
    """Those that take none have layouts told by their attributes, or arguments of no axes."""
    idle = {name for name in CALLS if not called(name, 0)}
    fixed = {name for name in idle if "data_layout" in getattr(CALLS[name][1], "field_names", ())}
    assert idle - fixed == IDLE


IDLE = {
    "nn.contrib_dense_pack",  # rows and columns have their places
    "nn.dense",
    "reshape",  # it needs elements in the same order
    "qnn.leaky_relu",  # one axis of an odd size
    "relay.op.annotation.simulated_quantize",
}


class TestAlgebra:
    def test_axis_is_found_by_its_name(self):
        assert find_axis(-1, "NHWC", "NCHW") == 1
        assert find_axis(4, "NHWC", "NCHW") is None
        assert find_axis(0, "NHWC", "HWC") is None

    def test_axis_in_parts_is_not_found(self):
        assert find_axis(3, "NHWC", "NCHW4c") is None
        assert find_axis(1, "NCHW4c", "NHWC") is None

    def test_names_are_changed_where_sizes_agree(self):
        assert rename("NHWC", "NCHW", "NCWH") == "NWHC"
        assert rename("NHWC", "NCHW4c", "NCHW") is None
        assert rename("NCHW", "NCH", "NCH") is None
        assert rename("NCHW4c", "NCHW", "NCHW") == "NCHW4c"

    def test_letters_run_out(self):
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        assert insert_axes(letters[1:], 0, 1) == letters
        assert insert_axes(letters[1:], 0, 2) is None

    def test_several_blocks_divide_together(self):
        assert rearranges("OHWI", "OHWI16i64o2i", (64, 3, 3, 64))
        assert not rearranges("OHWI", "OHWI16i64o2i", (64, 3, 3, 16))

    def test_operand_broadcasts_without_axes_it_lacks(self):
        assert fit_layout("NCHW4c", "W", (7,)) == "NCHW1c"
        assert fit_layout("NCHW4c", "C", (8,)) == "NCHW4c"
        assert fit_layout("NHWC", "C", (8,)) == "C"

    def test_operand_of_size_one_has_parts_of_one(self):
        types = (
            TensorType((1, 3, 2, 2, 2)),
            TensorType((1, 1, 1, 1, 1)),
            TensorType((1, 1, 1, 1, 2)),
        )
        found = broadcast_layouts(None, None, ("NCHW2c", "NCHW1c", None), types)
        assert found is not None
        assert found.inputs == ["NCHW2c", "NCHW1c", "NCHW2c"]

    def test_layout_with_a_part_alone_is_no_layout_of_an_operand(self):
        types = (TensorType((1, 2, 3, 3, 4)), TensorType((3, 4)))
        found = broadcast_layouts(None, None, ("NCHW4c", None), types)
        assert found is not None
        assert found.inputs == ["NCHW4c", None]


@pytest.mark.parametrize(
    ("name", "attrs", "shape", "now", "fits"),
    [
        ("nn.batch_flatten", {}, (2, 8, 1, 1), "NHWC", True),
        ("nn.batch_flatten", {}, (2, 8, 1, 1), "NHWC4c", True),
        ("nn.batch_flatten", {}, (2, 8, 1, 1), "HWNC", False),  # rows of another batch
        ("nn.batch_flatten", {}, (2, 8, 3, 1), "NHWC", False),
        ("nn.batch_flatten", {}, (2, 8, 3, 1), "NCHW4c", False),
        ("nn.batch_flatten", {}, (2, 8, 3, 1), "NWCH", True),
        ("reshape", {"newshape": [2, -1]}, (2, 8, 1, 1), "HWNC", True),
        ("reshape", {"newshape": [0, -1]}, (2, 8, 1, 1), "NHWC", False),  # a size of the data
    ],
)
def test_reshape_takes_elements_in_the_same_order(name, attrs, shape, now, fits):
    types, op = (TensorType(shape),), get_op(name)
    rule = layout_rule(op)
    assert rule is not None
    made = make_attrs(op, attrs)
    after = rule(made, (now,), ("NCHW",), types)
    assert (after is not None) is fits
    if after is not None:
        value, run = draw_value(types[0], np.random.default_rng(1)), evaluate.get(op)
        assert run is not None
        np.testing.assert_array_equal(run(made, arranged(value, "NCHW", now)), run(made, value))


def test_attributes_stay_where_they_mean_the_same():
    rule = infer_layout.get(get_op("nn.softmax"))
    assert rule is not None
    attrs = make_attrs(get_op("nn.softmax"), {"axis": -1})
    after = rule(attrs, ("CNHW",), ("NCHW",), (TensorType((1, 2, 3, 4)),))
    assert after is not None
    assert after.attrs is attrs


def test_layout_is_read_once():
    assert read_layout("NCHW4c") is read_layout("NCHW4c")
