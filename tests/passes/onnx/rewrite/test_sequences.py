"""Sequences whose elements are known."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from tests.passes.onnx.rewrite.graphs import leaves, simplify  # noqa: E402

pytestmark = pytest.mark.references

SPLIT = """
    g (float[2,5] x) => (float[2,3] y) <{sizes}, int64 one = {{1}}> {{
        s = SplitToSequence<axis=1>(x, n) y = SequenceAt(s, one)
    }}"""


@pytest.mark.parametrize("opset", [11, 13, 18])
def test_a_split_whose_parts_are_taken_becomes_split(opset: int) -> None:
    text = SPLIT.format(sizes="int64[2] n = {2, 3}")
    assert simplify(text, "SequenceToTensors", opset=opset) == ["Split"]


def test_parts_of_one_length_are_counted_by_the_shape() -> None:
    text = SPLIT.format(sizes="int64 n = {3}").replace("[2,3] y", "[2,2] y")
    assert simplify(text, "SequenceToTensors") == ["Split"]
    assert leaves(text.replace("[2,5] x", "[2,k] x").replace("[2,2] y", "[2,l] y"),
                  "SequenceToTensors")  # fmt: skip


def test_places_may_be_counted_from_the_back() -> None:
    text = SPLIT.format(sizes="int64[2] n = {2, 3}").replace("{1}", "{-1}")
    assert simplify(text, "SequenceToTensors") == ["Split"]


def test_a_sequence_that_is_used_otherwise_stays() -> None:
    chosen = """
        g (float[2,5] x, int64 i) => (float[2,k] y) <int64[2] n = {2, 3}> {
            s = SplitToSequence<axis=1>(x, n) y = SequenceAt(s, i)
        }"""
    given = """
        g (float[2,5] x) => (seq(float[2,k]) s, float[2,3] y) <int64[2] n = {2, 3}, int64 i = {1}> {
            s = SplitToSequence<axis=1>(x, n) y = SequenceAt(s, i)
        }"""
    inserted = """
        g (float[2] x, seq(float[2]) s) => (float[2] y) <int64 i = {0}> {
            t = SequenceInsert(s, x) y = SequenceAt(t, i)
        }"""
    assert leaves(chosen, "SequenceToTensors")
    assert leaves(given, "SequenceToTensors")
    assert leaves(inserted, "SequenceToTensors")


def test_elements_that_were_put_in_are_taken_out() -> None:
    text = """
        g (float[2] x, float[2] z) => (float[2] y, int64 n) <int64 zero = {0}, int64 back = {-1}> {
            e = SequenceEmpty() a = SequenceInsert(e, x) b = SequenceInsert(a, z, zero)
            c = Neg(z) d = SequenceInsert(b, c, back) y0 = SequenceAt(d, back)
            y1 = SequenceAt(d, zero) y = Sub(y0, y1) n = SequenceLength(d)
        }"""
    assert simplify(text, "SequenceToTensors") == ["Sub"]


def test_the_concatenation_of_known_elements_is_concat() -> None:
    text = """
        g (float[2] x, float[3] z) => (float[5] y) {
            s = SequenceConstruct(x, z) y = ConcatFromSequence<axis=0>(s)
        }"""
    stacked = """
        g (float[2] x, float[2] z) => (float[2,2] y) {
            s = SequenceConstruct(x, z) y = ConcatFromSequence<axis=0, new_axis=1>(s)
        }"""
    assert simplify(text, "SequenceToTensors") == ["Concat"]
    assert leaves(stacked, "SequenceToTensors")


def test_a_place_outside_of_the_sequence_is_left_to_fail() -> None:
    text = """
        g (float[2] x) => (float[2] y) <int64 one = {1}> {
            s = SequenceConstruct(x) y = SequenceAt(s, one)
        }"""
    assert leaves(text, "SequenceToTensors")
