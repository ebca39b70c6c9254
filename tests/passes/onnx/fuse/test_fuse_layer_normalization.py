"""Centred values, divided by their standard deviation, become one operator."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from tests.passes.onnx.fuse.programs import optimise  # noqa: E402

pytestmark = pytest.mark.references

NUMBERS = (
    "float[4] G = {1, 2, 3, 4}, float[4] B = {4, 3, 2, 1}, float EPS = {0.00001}, float TWO = {2}, "
    "float THREE = {3}, float[1] ONE = {0.5}, float[3, 1] COLUMN = {1, 2, 3}, "
    "float UNIT = {1}, float[4, 2] W = {1, 2, 3, 4, 5, 6, 7, 8}, "
    "float[3, 4] WHOLE = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, int64[1] AX = {-1}"
)
BODY = (
    "m = ReduceMean <axes = [-1]> (x) d = Sub(x, m) s = Pow(d, TWO) "
    "v = ReduceMean <axes = [-1]> (s) e = Add(v, EPS) r = Sqrt(e) n = Div(d, r) "
)


def fuse(body: str, opset: int = 17, size: str = "4") -> list[str] | None:
    shape = f"float[2, 3, {size}]"
    text = f"m ({shape} x, {shape} z) => ({shape} y) <{NUMBERS}> {{ {body} }}"
    nodes, changed = optimise(text, "FuseLayerNormalization", opset)
    return nodes if changed else None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (BODY + "g = Mul(n, G) y = Add(g, B)", "LayerNormalization"),
        (BODY + "g = Mul(G, n) y = Add(B, g)", "LayerNormalization"),
        (BODY + "g = Mul(n, ONE) y = Add(g, B)", "LayerNormalization"),
        (BODY + "y = Add(n, B)", "LayerNormalization"),
        (BODY + "y = Identity(n)", "LayerNormalization Identity"),
        (BODY.replace("Pow(d, TWO)", "Mul(d, d)") + "y = Mul(n, G)", "LayerNormalization"),
        (BODY.replace("s = Pow(d,", "d2 = Sub(x, m) s = Pow(d2,") + "y = Mul(n, G)",
         "LayerNormalization"),
        (BODY.replace("[-1]", "[2, 1]") + "g = Mul(n, WHOLE) y = Add(g, G)", "LayerNormalization"),
        (BODY + "g = Mul(n, COLUMN) y = Add(g, B)", "LayerNormalization Mul Add"),
        (BODY + "g = Add(n, B) y = Mul(g, G)", "LayerNormalization Mul"),
        (BODY + "g = Mul(n, G) h = Mul(g, B) y = Add(h, B)", "LayerNormalization Mul Add"),
        (BODY + "g = Mul(n, G) h = Add(g, B) y = Add(h, B)", "LayerNormalization Add"),
        (BODY + "g = Mul(n, z) y = Add(g, B)", "LayerNormalization Mul Add"),
    ],
)  # fmt: skip
def test_patterns(body: str, expected: str) -> None:
    assert fuse(body) == expected.split()
    assert fuse(body, 16) is None


RMS = "s = Pow(x, TWO) v = ReduceMean <axes = [-1]> (s) e = Add(v, EPS) r = Sqrt(e) "


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (RMS + "n = Div(x, r) y = Mul(n, G)", "RMSNormalization"),
        (RMS + "i = Div(UNIT, r) n = Mul(x, i) y = Mul(G, n)", "RMSNormalization"),
        (RMS + "i = Reciprocal(r) n = Mul(i, x) g = Mul(n, G) y = Add(g, B)",
         "RMSNormalization Add"),
        (RMS.replace("Pow(x, TWO)", "Mul(x, x)") + "n = Div(x, r) y = Identity(n)",
         "RMSNormalization Identity"),
        (RMS + "i = Reciprocal(r) n = Mul(i, z) y = Mul(n, G)", ""),
        (RMS + "i = Div(TWO, r) n = Mul(x, i) y = Mul(n, G)", ""),
        (RMS + "i = Reciprocal(r) n = Mul(x, i) y = Add(n, i)", ""),
        (BODY.replace("n = Div(d, r)", "i = Reciprocal(r) n = Mul(d, i)") + "y = Mul(n, G)",
         "LayerNormalization"),
    ],
)  # fmt: skip
def test_roots_of_mean_squares(body: str, expected: str) -> None:
    body = body.replace("<axes = [-1]> (x)", "(x, AX)").replace("<axes = [-1]> (s)", "(s, AX)")
    assert fuse(body, 23) == (expected.split() or None)
    if "RMS" in expected:
        assert fuse(body, 22) is None


@pytest.mark.parametrize("opset", [13, 16])
@pytest.mark.parametrize(
    "body",
    [
        RMS + "i = Div(UNIT, r) n = Mul(x, i) g = Mul(n, G) y = MatMul(g, W)",
        RMS + "n = Div(x, r) g = Mul(n, G) y = MatMul(g, W)",
        BODY + "g = Mul(n, G) y = MatMul(g, W)",
        BODY + "g = Mul(n, G) f = Add(g, B) y = MatMul(f, W)",
    ],
)
def test_what_normalises_stays_whole(body: str, opset: int) -> None:
    text = f"m (float[3, 4] x) => (float[3, 2] y) <{NUMBERS}> {{ {body} }}"
    nodes, _ = optimise(text, "OptimizeOnnx", opset)
    assert nodes.count("Mul") == body.count(" Mul(")
    assert nodes.count("Add") == body.count(" Add(")


def test_axes_that_are_an_input() -> None:
    body = BODY.replace("<axes = [-1]> (x)", "(x, AX)").replace("<axes = [-1]> (s)", "(s, AX)")
    assert fuse(body + "g = Mul(n, G) y = Add(g, B)", 18) == ["LayerNormalization"]


@pytest.mark.parametrize(
    "body",
    [
        BODY.replace("[-1]> (s)", "[1]> (s)") + "y = Mul(n, G)",
        BODY.replace("[-1]", "[1]") + "y = Mul(n, G)",
        BODY.replace("[-1]", "[0, 2]") + "y = Mul(n, G)",
        BODY.replace("TWO", "THREE") + "y = Mul(n, G)",
        BODY.replace("Div(d", "Div(x") + "y = Mul(n, G)",
        BODY.replace("Sub(x, m)", "Sub(z, m)") + "y = Mul(n, G)",
        BODY.replace("Sub(x, m)", "Sub(m, x)") + "y = Mul(n, G)",
        BODY + "y = Add(n, r)",
        BODY + "y = Add(n, e)",
        BODY.replace("Add(v, EPS)", "Add(v, z)") + "y = Mul(n, G)",
        BODY.replace("Pow(d", "Pow(x") + "y = Mul(n, G)",
    ],
)
def test_other_patterns_stay(body: str) -> None:
    assert fuse(body) is None


def test_means_that_are_not_kept_stay() -> None:
    text = (
        "m (float[4, 4] x) => (float[4, 4] y) <float E = {0.1}> { m = ReduceMean <axes = [-1], "
        "keepdims = 0> (x) d = Sub(x, m) s = Mul(d, d) v = ReduceMean <axes = [-1], keepdims = 0> "
        "(s) e = Add(v, E) r = Sqrt(e) y = Div(d, r) }"
    )
    assert not optimise(text, "FuseLayerNormalization")[1]


def test_sizes_that_are_not_known_stay() -> None:
    numbers = "float EPS = {0.1}, float TWO = {2}"
    text = f"m (float[2, N] x) => (float[2, N] y) <{numbers}> {{ {BODY} y = Identity(n) }}"
    assert not optimise(text, "FuseLayerNormalization")[1]


def test_numbers_of_16_bits() -> None:
    text = f"m (float[2, 3, 4] x) => (float[2, 3, 4] y) <{NUMBERS}> {{ {BODY} y = Mul(n, G) }}"
    assert optimise(
        text.replace(", int64[1] AX = {-1}", ""), "FuseLayerNormalization", half=True
    ) == (
        ["LayerNormalization"],
        True,
    )
