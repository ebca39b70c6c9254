"""Gaussian error linear units become one operator."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from tests.passes.onnx.fuse.programs import optimise  # noqa: E402

pytestmark = pytest.mark.references

NUMBERS = (
    "float R2 = {1.4142135}, float R = {0.70710678}, float ONE = {1}, float[1] HALF = {0.5}, "
    "float TWO = {2}, float THREE = {3}, float C = {0.044715}, float K = {0.7978845608}, "
    "float KC = {0.035677408}, float[1, 3] ROW = {0.5, 0.5, 0.5}"
)
ERF = "a = Div(x, R2) b = Erf(a) c = Add(b, ONE) "
CUBE = "p = Pow(x, THREE) q = Mul(C, p) r = Add(x, q) s = Mul(K, r) t = Tanh(s) c = Add(ONE, t) "
HORNER = (
    "p = Mul(x, x) q = Mul(p, C) r = Add(q, ONE) u = Mul(x, K) s = Mul(u, r) t = Tanh(s) "
    "c = Add(t, ONE) "
)


def fuse(body: str, opset: int = 20) -> list[str] | None:
    text = f"m (float[2, 3] x, float[2, 3] z) => (float[2, 3] y) <{NUMBERS}> {{ {body} }}"
    nodes, changed = optimise(text, "FuseGelu", opset)
    return nodes if changed else None


@pytest.mark.parametrize(
    "body",
    [
        ERF + "d = Mul(x, c) y = Mul(d, HALF)",
        ERF + "d = Mul(HALF, c) y = Mul(d, x)",
        ERF + "d = Mul(HALF, x) y = Mul(d, c)",
        ERF + "d = Mul(c, x) y = Div(d, TWO)",
        "a = Mul(x, R) b = Erf(a) c = Add(ONE, b) d = Mul(x, c) y = Mul(d, HALF)",
        CUBE + "h = Mul(HALF, x) y = Mul(h, c)",
        HORNER + "h = Mul(HALF, c) y = Mul(x, h)",
        CUBE.replace("Pow(x, THREE)", "Mul(x, x2)").replace("p =", "x2 = Mul(x, x) p =")
        + "h = Mul(HALF, x) y = Mul(h, c)",
        CUBE.replace("Pow(x, THREE)", "Mul(x, x2)").replace("p =", "x2 = Pow(x, TWO) p =")
        + "h = Mul(HALF, x) y = Mul(h, c)",
    ],
)
def test_formulas(body: str) -> None:
    assert fuse(body) == ["Gelu"]
    assert fuse(body, 17) is None


@pytest.mark.parametrize(
    "body",
    [
        ERF + "d = Mul(z, c) y = Mul(d, HALF)",
        ERF + "d = Mul(x, c) y = Mul(d, ONE)",
        ERF + "d = Mul(x, c) y = Mul(d, ROW)",
        ERF + "d = Mul(x, c) e = Mul(d, HALF) y = Add(e, c)",
        ERF + "d = Mul(x, c) e = Mul(d, HALF) y = Add(e, b)",
        ERF + "d = Mul(x, c) e = Mul(d, x) y = Mul(e, HALF)",
        ERF + "d = Mul(x, c) y = Div(HALF, d)",
        ERF.replace("R2", "TWO") + "d = Mul(x, c) y = Mul(d, HALF)",
        ERF.replace("ONE", "TWO") + "d = Mul(x, c) y = Mul(d, HALF)",
        ERF.replace("Div(x", "Div(z") + "d = Mul(x, c) y = Mul(d, HALF)",
        ERF.replace("Erf", "Tanh") + "d = Mul(x, c) y = Mul(d, HALF)",
        CUBE.replace("THREE", "TWO") + "h = Mul(HALF, x) y = Mul(h, c)",
        CUBE.replace("Mul(K", "Mul(R") + "h = Mul(HALF, x) y = Mul(h, c)",
        CUBE.replace("Tanh", "Erf") + "h = Mul(HALF, x) y = Mul(h, c)",
        CUBE.replace("(C, p)", "(KC, p)") + "h = Mul(HALF, x) y = Mul(h, c)",
    ],
)
def test_other_formulas_stay(body: str) -> None:
    assert fuse(body) is None


def test_products_used_elsewhere_stay() -> None:
    body = ERF + "d = Mul(x, c) e = Mul(d, HALF) y = Add(e, d)"
    assert fuse(body) is None


def test_scaled_units_keep_their_scale() -> None:
    assert fuse(ERF + "d = Mul(x, c) e = Mul(d, HALF) y = Mul(e, THREE)") == ["Gelu", "Mul"]


@pytest.mark.parametrize("scale", ["HALF", "THREE"])
def test_half_of_a_unit_stays_beside_it_where_weights_follow(scale: str) -> None:
    numbers = f"{NUMBERS}, float[3, 2] W = {{1, 2, 3, 4, 5, 6}}"
    body = f"{ERF} d = Mul(x, c) e = Mul(d, {scale}) y = MatMul(e, W)"
    text = f"m (float[2, 3] x) => (float[2, 2] y) <{numbers}> {{ {body} }}"
    nodes, _ = optimise(text, "FuseScaleShift", 17)
    assert nodes.count("Mul") == (2 if scale == "HALF" else 1)  # another factor is one of weights
