"""Products, pads, slices, bounds and indices become one node, where that is exact."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from tests.passes.onnx.fuse.programs import optimise  # noqa: E402

pytestmark = pytest.mark.references

EXACT = (
    "FuseMatMulAdd,FuseTransposeIntoGemm,FusePad,MergeClips,MergeSlices,SimplifyGather,"
    "SimplifySplitConcat,SimplifyTransposeReshape"
)


def same(text: str, opset: int = 17, pipeline: str = EXACT) -> bool:
    return not optimise(text, pipeline, opset)[1]


@pytest.mark.parametrize(
    ("body", "c", "expected"),
    [
        ("a = MatMul(x, w) y = Add(a, c)", "[4]", ["Gemm"]),
        ("a = MatMul(x, w) y = Add(c, a)", "[2, 1]", ["Gemm"]),
        ("a = MatMul(x, w) y = Sub(a, c)", "[]", ["Gemm"]),
        ("a = MatMul(x, w) y = Sub(c, a)", "[2, 4]", ["Gemm"]),
        ("a = MatMul(x, w) y = Add(a, c)", "[3, 2, 4]", None),
        ("a = MatMul(x, w) b = Add(a, c) y = Add(a, b)", "[4]", None),
        ("a = MatMul(x, w) y = Mul(a, c)", "[4]", None),
    ],
)
def test_product_and_sum(body: str, c: str, expected: list[str] | None) -> None:
    result = "[3, 2, 4]" if c == "[3, 2, 4]" else "[2, 4]"
    c = "float" if c == "[]" else f"float{c}"
    text = f"m (float[2, 3] x, float[3, 4] w, {c} c) => (float{result} y) {{ {body} }}"
    found, changed = optimise(text, EXACT)
    assert changed == (expected is not None)
    assert expected is None or found == expected


@pytest.mark.parametrize("shapes", ["float[5, 2, 3] x, float[3, 4] w", "float[N] x, float[N, 4] w"])
def test_products_of_other_ranks_stay(shapes: str) -> None:
    result = "float[5, 2, 4] y" if "5" in shapes else "float[4] y"
    assert same(f"m ({shapes}, float[4] c) => ({result}) {{ a = MatMul(x, w) y = Add(a, c) }}")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("t = Transpose(v) y = Gemm(x, t)", ["Gemm"]),
        ("t = Transpose <perm = [1, 0]> (v) y = MatMul(x, t)", ["Gemm"]),
        ("t = Transpose(x) y0 = Gemm <transA = 1, transB = 1> (t, v) y = Identity(y0)",
         ["Gemm", "Identity"]),
        ("t = MatMul(v, u) y = Transpose(t)", ["Gemm"]),
        ("t = Gemm <transB = 1, alpha = 2.0, beta = 0.5> (v, x, B) y = Transpose(t)", ["Gemm"]),
        ("t = Transpose <perm = [0, 1]> (x) y = Gemm <transB = 1> (t, v)", None),
    ],
)  # fmt: skip
def test_transposes_and_products(body: str, expected: list[str] | None) -> None:
    text = (
        "m (float[2, 3] x, float[4, 3] v, float[3, 2] u) => (float[2, 4] y) "
        f"<float[2] B = {{1, 2}}> {{ {body} }}"
    )
    found, changed = optimise(text, EXACT)
    assert changed == (expected is not None)
    assert expected is None or found == expected


PADS = (
    "int64[8] P = {{0, 0, 1, 0, 0, 0, 0, 2}}, int64[8] C = {{0, 1, 0, 0, 0, 0, 0, 0}}, "
    "int64[8] CUT = {{0, 0, -1, 0, 0, 0, 0, 0}}, float ZERO = {{0}}, float ONE = {{1}}, "
    "float[2, 2, 3, 3] W = {{{}}}, int64[2] AXES = {{2, -1}}, "
    "int64[4] Q = {{1, 0, 0, 2}}"
).format(", ".join(str(i % 5 - 2) for i in range(36)))


@pytest.mark.parametrize(
    ("body", "fused"),
    [
        ("a = Pad(x, P) y = Conv(a, W)", True),
        ("a = Pad(x, P, ZERO) y = Conv <pads = [1, 2, 3, 4]> (a, W)", True),
        ('a = Pad(x, P) y = Conv <auto_pad = "VALID"> (a, W)', True),
        ('a = Pad(x, P) y = Conv <auto_pad = "SAME_LOWER"> (a, W)', False),
        ("a = Pad(x, P, ONE) y = Conv(a, W)", False),
        ("a = Pad(x, CUT) y = Conv(a, W)", False),
        ('a = Pad <mode = "edge"> (x, P) y = Conv(a, W)', False),
        ("a = Pad(x, P) b = Conv <pads = [1, 1, 1, 1]> (a, W) y = Add(a, b)", False),
        ("a = Pad(x, P) y = MaxPool <kernel_shape = [3, 3]> (a)", False),
        ("r = Relu(x) a = Pad(r, P) y = MaxPool <kernel_shape = [3, 3]> (a)", True),
        ("r = Relu(x) a = Pad(r, P) y = MaxPool <kernel_shape = [3, 2]> (a)", False),
        ("r = Relu(x) a = Pad(r, P) y, i = MaxPool <kernel_shape = [3, 3]> (a)", False),
        ("a = Pad(x, P) y = AveragePool <kernel_shape = [3, 3]> (a)", True),
        ("a = Pad(x, P) y = AveragePool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (a)", False),
        (("a = Pad(x, P) y = AveragePool <kernel_shape = [4, 4], pads = [1, 1, 1, 1], "
         "count_include_pad = 1> (a)"), True),
        ("a = Pad(x, P) y = AveragePool <kernel_shape = [3, 3], ceil_mode = 1> (a)", False),
    ],
)  # fmt: skip
def test_pads(body: str, fused: bool) -> None:
    text = f"m (float[1, 2, 6, 7] x) => (float[N, C, H, K] y) <{PADS}> {{ {body} }}"
    found, changed = optimise(text, EXACT)
    assert changed == fused
    assert ("Pad" in found) != fused


def test_pads_along_named_axes() -> None:
    text = (
        f"m (float[1, 2, 6, 7] x) => (float[N, C, H, K] y) <{PADS}> "
        "{ a = Pad(x, Q, ZERO, AXES) y = Conv(a, W) }"
    )
    assert optimise(text, EXACT, 18)[0] == ["Conv"]


def test_pads_of_channels_stay() -> None:
    text = (
        f"m (float[1, 1, 6, 7] x) => (float[N, D, H, K] y) <{PADS}> "
        "{ a = Pad(x, C) y = Conv(a, W) }"
    )
    assert same(text)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a = Relu(x) y = Clip(a, NONE, SIX)", ["Clip"]),
        ("a = Clip(x, ONE, SIX) y = Relu(a)", ["Clip"]),
        ("a = Clip(x, NEG) y = Relu(a)", ["Relu"]),
        ("a = Relu(x) y = Relu(a)", ["Relu"]),
        ("a = Max(x, ONE) y = Min(SIX, a)", ["Clip"]),
        ("a = Min(x, ONE) y = Max(a, NEG)", ["Clip"]),
        ("a = Min(x, NEG) y = Max(a, ONE)", ["Clip"]),
        ("a = Clip(x, NEG, ONE) y = Clip(a, ONE, SIX)", ["Clip"]),
        ("a = Relu(x) b = Clip(a, ONE, SIX) y = Add(a, b)", None),
        ("a = Max(x, WIDE) y = Relu(a)", None),
    ],
)
def test_bounds(body: str, expected: list[str] | None) -> None:
    body = body.replace("NONE", "")
    result = "[4, 3]" if "WIDE" in body else "[3]"
    text = (
        f"m (float[3] x) => (float{result} y) <float SIX = {{6}}, float ONE = {{1}}, "
        f"float NEG = {{-2}}, float[4, 1] WIDE = {{1, 2, 3, 4}}> {{ {body} }}"
    )
    found, changed = optimise(text, EXACT)
    assert changed == (expected is not None)
    assert expected is None or found == expected


def test_bounds_as_attributes() -> None:
    text = (
        "m (float[3] x) => (float[3] y) { a = Clip <min = -1.0, max = 4.0> (x) b = Relu(a) "
        "y = Clip <max = 2.0> (b) }"
    )
    assert optimise(text, EXACT, 8)[0] == ["Clip"]


INDICES = (
    "int64[1] O = {0}, int64[1] I = {1}, int64[1] J = {2}, int64[1] E = {4}, int64[1] M = {-1}, "
    "int64 AT = {1}, int64[2] SIZES = {1, 3}, int64[1] END = {9223372036854775807}"
)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a = Slice(x, O, J, I) y = Slice(a, I, E, O)", ["Slice"]),
        ("a = Slice(x, O, J, M) y = Slice(a, E, O, O, M)", ["Slice"]),
        ("a = Slice(x, O, J, I) y = Slice(a, O, I, M)", None),
        ("a = Gather <axis = 1> (x, AT) y = Unsqueeze(a, I)", ["Gather"]),
        ("a = Gather <axis = -1> (x, AT) y = Unsqueeze(a, M)", ["Gather"]),
        ("a = Gather <axis = 1> (x, AT) y = Unsqueeze(a, O)", None),
        ("a = Gather <axis = 1> (x, J) y = Squeeze(a, I)", ["Gather"]),
        ("a = Slice(x, M, END, I) y = Squeeze(a, I)", ["Gather"]),
        ("a = Slice(x, O, I, O) y = Squeeze(a)", None),
        ("a, b = Split <axis = 1> (x, SIZES) y = Concat <axis = -1> (a, b)", []),
        ("a, b = Split <axis = 1> (x, SIZES) y = Concat <axis = 1> (b, a)", None),
        ("a, b = Split <axis = 1> (x, SIZES) y = Concat <axis = 1> (a, b, a)", None),
        ("a = Slice(x, O, I, M) b = Slice(x, I, END, M) y = Concat <axis = 1> (a, b)", []),
        ("a = Slice(x, O, I, M) b = Slice(x, J, END, M) y = Concat <axis = 1> (a, b)", None),
        ("a = Neg(x) b = Concat <axis = 0> (x, a) y, z = Split <axis = 0> (b)", []),
    ],
)
def test_indices(body: str, expected: list[str] | None) -> None:
    text = f"m (float[5, 4] x) => (float[...] y) <{INDICES}> {{ {body} }}"
    dims = {"a = Gather": "[A, B]", "Squeeze(a": "[A]"}
    shape = next((dims[key] for key in reversed(dims) if key in body), "[A, B]")
    shape = "[A, B]" if "Unsqueeze" in body else shape
    text = text.replace("float[...]", f"float{shape}")
    found, changed = optimise(text, EXACT)
    assert changed == (expected is not None)
    assert expected is None or [each for each in found if each != "Identity"] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a = Transpose <perm = [0, 2, 1, 3]> (x) y = Reshape(a, S)", ["Reshape"]),
        ("a = Reshape(x, U) y = Transpose <perm = [1, 0, 2]> (a)", ["Reshape"]),
        ("a = Transpose <perm = [2, 0, 1, 3]> (x) y = Flatten(a)", ["Reshape"]),
        ("a = Transpose <perm = [1, 0, 2, 3]> (x) y = Reshape(a, S)", None),
        (("a = Transpose <perm = [0, 2, 1, 3]> (x) b = Reshape(a, S) c = Reshape(a, S) "
         "y = Add(b, c)"), None),
    ],
)  # fmt: skip
def test_transposes_that_move_nothing(body: str, expected: list[str] | None) -> None:
    rank = "[A, B]" if "Flatten" in body else "[A, B, C]"
    text = (
        f"m (float[5, 2, 1, 3] x) => (float{rank} y) <int64[3] S = {{5, 1, 6}}, "
        f"int64[3] U = {{5, 1, -1}}> {{ {body} }}"
    )
    found, changed = optimise(text, EXACT)
    assert changed == (expected is not None)
    assert expected is None or found == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a = Add(x, T) y = Add(U, a)", ["Add"]),
        ("a = Sub(x, T) y = Add(a, U)", ["Add"]),
        ("a = Mul(x, T) y = Mul(a, U)", ["Mul"]),
        ("a = Mul(x, T) y = Div(a, FOUR)", ["Mul"]),
        ("a = Mul(x, T) y = Div(a, U)", None),  # the inverse is not exact
        ("a = Mul(x, BIG) y = Mul(a, BIG)", None),  # out of range
        ("a = Mul(x, T) y = Add(a, U)", None),
        ("a = Sub(T, x) y = Add(a, U)", None),
        ("a = Add(x, ROW) y = Add(a, COLUMN)", None),  # a larger constant
    ],
)
def test_constants_are_combined(body: str, expected: list[str] | None) -> None:
    text = (
        "m (float[3, 3] x) => (float[3, 3] y) <float T = {2}, float[1] U = {3}, float FOUR = {4}, "
        "float BIG = {1e30}, float[1, 3] ROW = {1, 2, 3}, float[3, 1] COLUMN = {4, 5, 6}> "
        f"{{ {body} }}"
    )
    with np.errstate(over="ignore"):
        found, changed = optimise(text, "CombineConstants")
    assert changed == (expected is not None)
    assert expected is None or found == expected
