"""Operators that give back what they are given."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from tests.passes.onnx.rewrite.graphs import leaves, simplify  # noqa: E402
from tests.support.each import each  # noqa: E402

pytestmark = pytest.mark.references


def graph(
    body: str, inputs: str = "float[2,3] x", output: str = "float[2,3] y", constants: str = ""
) -> str:
    held = f"<{constants}>" if constants else ""
    return f"g ({inputs}) => ({output}) {held} {{ {body} }}"


REMOVED = {
    "identity": graph("a = Identity(x) y = Relu(a)"),
    "identities in a row": graph("a = Identity(x) b = Identity(a) y = Relu(b)"),
    "identity of a result": graph("a = Relu(x) y = Identity(a)"),
    "dropout": graph("a = Dropout(x) y = Relu(a)"),
    "dropout of two outputs": graph("a, m = Dropout(x) y = Relu(a)"),
    "dropout that does not train": graph(
        "a = Dropout(x, r, t) y = Relu(a)", constants="float r = {0.5}, bool t = {0}"
    ),
    "cast to its type": graph("a = Cast<to=1>(x) y = Relu(a)"),
    "cast like its type": graph("a = CastLike(x, x) y = Relu(a)"),
    "transpose by nothing": graph("a = Transpose<perm=[0,1]>(x) y = Relu(a)"),
    "transpose of units": graph(
        "a = Transpose<perm=[1,0,2]>(x) y = Relu(a)", "float[1,1,4] x", "float[1,1,4] y"
    ),
    "reshape to its shape": graph(
        "a = Reshape(x, s) y = Relu(a)", constants="int64[2] s = {2, -1}"
    ),
    "reshape by zeros": graph("a = Reshape(x, s) y = Relu(a)", constants="int64[2] s = {0, 0}"),
    "reshape of named sizes": graph(
        "a = Reshape(x, s) y = Relu(a)", "float[n,3] x", "float[n,3] y", "int64[2] s = {0, 3}"
    ),
    "flatten of a matrix": graph("a = Flatten(x) y = Relu(a)", "float[n,m] x", "float[n,m] y"),
    "expand to its shape": graph("a = Expand(x, s) y = Relu(a)", constants="int64[2] s = {2, 1}"),
    "squeeze of nothing": graph("a = Squeeze(x, s) y = Relu(a)", constants="int64[0] s = {}"),
    "tile once": graph("a = Tile(x, s) y = Relu(a)", constants="int64[2] s = {1, 1}"),
    "concat of one": graph("a = Concat<axis=0>(x) y = Relu(a)"),
    "sum of one": graph("a = Sum(x) y = Relu(a)"),
    "maximum of one": graph("a = Max(x) y = Relu(a)"),
    "slice of everything": graph(
        "a = Slice(x, s, e) y = Relu(a)",
        constants="int64[2] s = {0, 0}, int64[2] e = {9223372036854775807, 9223372036854775807}",
    ),
    "slice to the end": graph(
        "a = Slice(x, s, e, s) y = Relu(a)",
        "float[n,3] x",
        "float[n,3] y",
        "int64[1] s = {0}, int64[1] e = {9223372036854775807}",
    ),
    "pad by zeros": graph("a = Pad(x, p) y = Relu(a)", constants="int64[4] p = {0, 0, 0, 0}"),
    "clip without bounds": graph("a = Clip(x) y = Relu(a)"),
    "resize by 1": graph(
        'a = Resize<mode="linear">(x, , s) y = Relu(a)',
        "float[1,1,4,4] x",
        "float[1,1,4,4] y",
        "float[4] s = {1, 1, 1, 1}",
    ),
    "split into one": graph("a = Split<axis=0>(x) y = Relu(a)"),
    "sum over nothing": graph(
        "a = ReduceSum<noop_with_empty_axes=1>(x, s) y = Relu(a)", constants="int64[0] s = {}"
    ),
    "mean over units": graph(
        "a = ReduceMean<axes=[1]>(x) y = Relu(a)", "float[2,1] x", "float[2,1] y"
    ),
    "pooling of units": graph(
        "a = MaxPool<kernel_shape=[1,1]>(x) y = Relu(a)", "float[1,2,3,3] x", "float[1,2,3,3] y"
    ),
    "global pooling of units": graph(
        "a = GlobalAveragePool(x) y = Relu(a)", "float[n,2,1,1] x", "float[n,2,1,1] y"
    ),
    "depth to space by 1": graph(
        "a = DepthToSpace<blocksize=1>(x) y = Relu(a)", "float[1,2,3,3] x", "float[1,2,3,3] y"
    ),
    "where true": graph("a = Where(c, x, x) y = Relu(a)", constants="bool[2,3] c = {1,1,1,1,1,1}"),
    "relu twice": graph("a = Relu(x) y = Relu(a)"),
    "add 0": graph("a = Add(x, z) y = Relu(a)", constants="float z = {0}"),
    "0 add": graph("a = Add(z, x) y = Relu(a)", constants="float[3] z = {0, 0, 0}"),
    "subtract 0": graph("a = Sub(x, z) y = Relu(a)", constants="float[1,1] z = {0}"),
    "multiply by 1": graph("a = Mul(z, x) y = Relu(a)", constants="float[3] z = {1, 1, 1}"),
    "divide by 1": graph("a = Div(x, z) y = Relu(a)", constants="float z = {1}"),
    "to the power of 1": graph("a = Pow(x, z) y = Relu(a)", constants="int64 z = {1}"),
}


@each("name", REMOVED)
def test_a_call_that_gives_back_its_input_is_dropped(name: str) -> None:
    assert simplify(REMOVED[name], "EliminateNop") == ["Relu"]


KEPT = {
    "dropout that trains": graph("y = Dropout(x, r, t)", constants="float r = {0.5}, bool t = {1}"),
    "dropout that may train": graph(
        "y = Dropout(x, r, t)", "float[2,3] x, bool t", constants="float r = {0.5}"
    ),
    "dropout whose mask is used": graph("y, m = Dropout(x)", output="float[2,3] y, bool[2,3] m"),
    "cast to another type": graph("y = Cast<to=11>(x)", output="double[2,3] y"),
    "cast of integers like floats": graph("y = Cast<to=1>(x)", "int64[2,3] x"),
    "transpose": graph("y = Transpose<perm=[1,0]>(x)", output="float[3,2] y"),
    "reshape": graph("y = Reshape(x, s)", output="float[3,2] y", constants="int64[2] s = {3, 2}"),
    "reshape of open sizes": graph(
        "y = Reshape(x, s)", "float[?,?] x", "float[?,3] y", "int64[2] s = {-1, 3}"
    ),
    "flatten into one row": graph("y = Flatten<axis=0>(x)", output="float[1,6] y"),
    "expand": graph("y = Expand(x, s)", "float[1,3] x", constants="int64[2] s = {2, 3}"),
    "expand of open sizes": graph(
        "y = Expand(x, s)", "float[?,3] x", "float[?,3] y", "int64[2] s = {2, 3}"
    ),
    "expand to more dimensions": graph(
        "y = Expand(x, s)", output="float[1,2,3] y", constants="int64[3] s = {1, 1, 1}"
    ),
    "slice of a part": graph(
        "y = Slice(x, s, e)", output="float[1,3] y", constants="int64[1] s = {0}, int64[1] e = {1}"
    ),
    "slice backwards": graph(
        "y = Slice(x, s, e, a, t)",
        constants="int64[1] s = {-1}, int64[1] e = {-9223372036854775807}, int64[1] a = {0}, "
        "int64[1] t = {-1}",
    ),
    "clip": graph("y = Clip(x, z)", constants="float z = {0}"),
    "pad": graph("y = Pad(x, p)", output="float[3,3] y", constants="int64[4] p = {1, 0, 0, 0}"),
    "resize by 2": graph(
        "y = Resize(x, , s)", output="float[4,3] y", constants="float[2] s = {2, 1}"
    ),
    "sum over everything": graph(
        "y = ReduceSum(x, s)", output="float[1,1] y", constants="int64[0] s = {}"
    ),
    "mean that drops a unit": graph(
        "y = ReduceMean<axes=[1], keepdims=0>(x)", "float[2,1] x", "float[2] y"
    ),
    "pooling with padding": graph(
        "y = MaxPool<kernel_shape=[1], pads=[1,0]>(x)", "float[1,2,3] x", "float[1,2,4] y"
    ),
    "add 0 that broadcasts": graph(
        "y = Add(x, z)", "float[3] x", constants="float[2,3] z = {0,0,0,0,0,0}"
    ),
    "add 0 to what is open": graph(
        "y = Add(x, z)", "float[?,3] x", "float[?,3] y", "float[2,3] z = {0,0,0,0,0,0}"
    ),
    "add 0 that adds a dimension": graph(
        "y = Add(x, z)", "float[3] x", "float[1,3] y", "float[1,1] z = {0}"
    ),
    "0 subtract": graph("y = Sub(z, x)", constants="float z = {0}"),
    "1 divide": graph("y = Div(z, x)", constants="float z = {1}"),
    "1 to a power": graph("y = Pow(z, x)", constants="float z = {1}"),
    "multiply by nearly 1": graph("y = Mul(z, x)", constants="float[3] z = {1, 1, 1.5}"),
    "where partly true": graph("y = Where(c, x, x)", constants="bool[2,3] c = {1,1,0,1,1,1}"),
    "rounding after relu": graph("a = Relu(x) y = Ceil(a)"),
}


@each("name", KEPT)
def test_a_call_that_does_something_stays(name: str) -> None:
    assert leaves(KEPT[name], "EliminateNop")


def test_signed_zeros_are_kept_where_they_are_asked_for() -> None:
    plus = graph("a = Add(x, z) y = Relu(a)", constants="float z = {0}")
    minus = graph("a = Add(x, z) y = Relu(a)", constants="float z = {-0.0}")
    subtracted = graph("a = Sub(x, z) y = Relu(a)", constants="float z = {0}")
    whole = graph("a = Add(x, z) y = Abs(a)", "int64[2,3] x", "int64[2,3] y", "int64 z = {0}")
    assert leaves(plus, "EliminateNop", signed_zeros=True)
    assert simplify(plus, "SimplifyOnnx") == ["Relu"]
    assert leaves(plus, "SimplifyOnnx", signed_zeros=True)
    assert simplify(minus, "EliminateNop", signed_zeros=True) == ["Relu"]
    assert simplify(subtracted, "EliminateNop", signed_zeros=True) == ["Relu"]
    assert simplify(whole, "EliminateNop", signed_zeros=True) == ["Abs"]


def test_a_value_that_is_input_and_result_keeps_an_identity() -> None:
    assert simplify(graph("y = Identity(x)"), "EliminateNop") == ["Identity"]


def test_what_two_uses_share_is_dropped_once() -> None:
    both = graph("a = Identity(x) b = Relu(a) y = Add(a, b)")
    assert simplify(both, "EliminateNop") == ["Relu", "Add"]


def test_double_negation_is_undone() -> None:
    twice = graph("a = Neg(x) b = Neg(a) y = Relu(b)")
    assert simplify(twice, "EliminateNop") == ["Relu"]


def test_cast_like_becomes_cast() -> None:
    like = graph("y = CastLike(x, z)", "float[2,3] x, int64 z", "int64[2,3] y")
    assert simplify(like, "EliminateNop") == ["Cast"]
