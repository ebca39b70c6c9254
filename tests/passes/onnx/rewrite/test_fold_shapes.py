"""Shapes that are known before the program runs."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from tests.passes.onnx.rewrite.graphs import leaves, simplify  # noqa: E402

pytestmark = pytest.mark.references

KEEP_BATCH = """
    g (float[n,3,4] x) => (float[n,12] y)
    <int64[1] i = {0}, int64[1] m = {-1}> {
        s = Shape(x) b = Gather(s, i) t = Concat<axis=0>(b, m) y = Reshape(x, t)
    }"""


@pytest.mark.parametrize("batch", [1, 5])
def test_a_shape_with_one_open_dimension_becomes_a_constant(batch: int) -> None:
    assert simplify(KEEP_BATCH, "FoldShapes", sizes={"n": batch}) == ["Reshape"]


def test_a_shape_with_two_open_dimensions_becomes_a_constant_where_one_stays() -> None:
    text = """
        g (float[n,3,m] x) => (float[n,k,l] y)
        <int64[1] i = {0}, int64[1] j = {2}, int64[1] three = {3}> {
            s = Shape(x) b = Gather(s, i) c = Gather(s, j)
            t = Concat<axis=0>(b, c, three) y = Reshape(x, t)
        }"""
    assert simplify(text, "FoldShapes", sizes={"n": 2, "m": 5}) == ["Reshape"]


def test_a_shape_with_two_moved_dimensions_stays() -> None:
    text = """
        g (float[n,3,m] x) => (float[m,k,n] y)
        <int64[1] i = {0}, int64[1] j = {2}, int64[1] three = {3}> {
            s = Shape(x) b = Gather(s, i) c = Gather(s, j)
            t = Concat<axis=0>(c, three, b) y = Reshape(x, t)
        }"""
    assert leaves(text, "FoldShapes")


def test_expand_is_told_the_dimensions_that_stay_by_ones() -> None:
    text = """
        g (float[n,1] x) => (float[n,4] y) <int64[1] i = {0}, int64[1] four = {4}> {
            s = Shape(x) b = Gather(s, i) t = Concat<axis=0>(b, four) y = Expand(x, t)
        }"""
    assert simplify(text, "FoldShapes") == ["Expand"]


def test_expand_to_another_open_dimension_stays() -> None:
    text = "g (float[1] x, float[n] z) => (float[n] y) { s = Shape(z) y = Expand(x, s) }"
    assert leaves(text, "FoldShapes")


def test_the_shape_of_a_static_tensor_is_folded_with_what_is_computed_of_it() -> None:
    text = """
        g (float[2,3] x) => (float[2,3] y) {
            s = Shape(x) n = Size(x) t = Mul(s, n) u = Cast<to=1>(t) v = ReduceMax(u)
            y = Add(x, v)
        }"""
    assert simplify(text, "FoldShapes") == ["Add"]


def test_parts_of_a_shape_are_folded_where_only_these_are_known() -> None:
    text = """
        g (float[n,3] x) => (int64 y) <int64 one = {1}> { s = Shape(x) y = Gather(s, one) }"""
    assert simplify(text, "FoldShapes") == []


def test_random_numbers_are_not_folded() -> None:
    text = """
        g (float[2] x) => (float[2] y) <float[2] z = {1, 2}> {
            a = RandomUniformLike<seed=1.0>(z) y = Add(x, a)
        }"""
    assert leaves(text, "FoldShapes")


def test_weights_that_are_stored_small_stay_small() -> None:
    text = """
        g (float[2] x) => (float[2] y) <int8[2] w = {1, 2}, float s = {0.5}> {
            a = DequantizeLinear(w, s) y = Add(x, a)
        }"""
    assert leaves(text, "SimplifyOnnx", opset=21)
    assert simplify(text, "SimplifyOnnx", opset=21, fold_dequantize=True) == ["Add"]


@pytest.mark.parametrize("name", ["FoldConstant", "SparseConditionalConstantPropagation"])
def test_passes_of_relay_leave_weights_that_are_stored_small_as_well(name: str) -> None:
    text = """
        g (float[2] x) => (float[2] y) <int8[2] w = {1, 2}, float s = {0.5}> {
            a = DequantizeLinear(w, s) b = Neg(s) c = Mul(a, b) y = Add(x, c)
        }"""
    assert simplify(text, name, opset=21) == ["DequantizeLinear", "Mul", "Add"]
    assert simplify(text, name, opset=21, fold_qnn=True) == ["Add"]


def test_what_would_be_large_is_not_folded() -> None:
    text = """
        g (float[1] x) => (float[n] y) <int64[1] n = {4096}> {
            a = ConstantOfShape(n) y = Add(x, a)
        }"""
    assert leaves(text, "SimplifyOnnx", size_limit=4095, signed_zeros=True)
    assert simplify(text, "SimplifyOnnx", size_limit=4096, signed_zeros=True) == ["Add"]


def test_inputs_with_default_values_are_not_constant() -> None:
    text = """
        g (float[2] x, float[2] w) => (float[2] y) <float[2] w = {0, 0}> { y = Add(x, w) }"""
    assert leaves(text, "SimplifyOnnx")


def test_a_call_that_fails_is_left_to_fail() -> None:
    text = """
        g (float[2] x) => (float[k] y) <float[4] w = {1, 2, 3, 4}, int64[2] s = {3, 3}> {
            a = Reshape(w, s) b = ReduceSum<keepdims=0>(a) y = Add(x, b)
        }"""
    assert leaves(text, "FoldShapes")
