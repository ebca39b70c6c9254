"""Scales, shifts and batch normalisations go into weights, where that is exact."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from tests.passes.onnx.fuse.programs import optimise  # noqa: E402

pytestmark = pytest.mark.references

PASSES = "FuseBatchNormalization,FuseScaleShift"

WEIGHTS = """
float[4, 2, 3, 3] W = {{{}}}, float[4] B = {{1, 2, 3, 4}}, float[4] S = {{2, -1, 0.5, 3}},
float[4] M = {{0.5, 1, -1, 0}}, float[4] V = {{1, 4, 0.25, 2}}, float[4, 1, 1] T = {{1, -2, 3, -4}},
float[2] S2 = {{2, -1}}, float[2] M2 = {{0.5, 1}}, float[2] V2 = {{1, 4}},
float[2, 1, 1] T2 = {{3, -2}},
float[6, 1, 1] T6 = {{1, 2, 3, 4, 5, 6}}, float[1, 1, 6] ROW = {{1, 2, 3, 4, 5, 6}},
float TWO = {{2}}
""".format(", ".join(str((7 * i % 11) / 4 - 1) for i in range(72)))


def image(body: str, of: str = "float[1, 2, 6, 6] x", to: str = "float[N, C, H, K] y") -> str:
    return f"m ({of}) => ({to}) <{WEIGHTS}> {{ {body} }}"


@pytest.mark.parametrize(
    "body",
    [
        "a = Conv(x, W, B) y = BatchNormalization(a, S, B, M, V)",
        (
            "a = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, W) "
            "y = BatchNormalization <epsilon = 0.5> (a, S, B, M, V)"
        ),
        "a = Conv(x, W) b = Mul(a, T) y = Add(T, b)",
        "a = Conv(x, W, B) b = Div(a, T) c = Sub(b, T) y = Neg(c)",
        "a = Conv(x, W, B) b = Mul(TWO, a) y = Sub(T, b)",
        "a = BatchNormalization(x, S2, M2, M2, V2) y = Conv(a, W, B)",
        "a = Mul(x, T2) y = Conv <pads = [1, 1, 1, 1]> (a, W)",
        "a = Add(x, T2) y = Conv(a, W)",
        "a = Conv(x, W, B) y = BatchNormalization(a, S, B, M, V) ",
    ],
)
def test_convolution_takes_in_what_is_next_to_it(body: str) -> None:
    assert optimise(image(body), PASSES)[0] == ["Conv"]


@pytest.mark.parametrize(
    "body",
    [
        "a = Conv(x, W) b = Mul(a, ROW) y = Identity(b)",  # along another axis
        "a = Add(x, T2) y = Conv <pads = [1, 0, 0, 0]> (a, W)",  # what is padded is not shifted
        'a = Add(x, T2) y = Conv <auto_pad = "SAME_UPPER"> (a, W)',
        "a = Conv(x, W) b = Mul(a, T) y = Add(a, b)",  # used twice
        "a = Conv(x, W) y = Div(T, a)",  # not linear
    ],
)
def test_what_is_not_exact_stays(body: str) -> None:
    if "ROW" in body:
        body = body.replace("Conv(", "Conv <pads = [1, 1, 1, 1]> (")
    assert not optimise(image(body), PASSES)[1]


def test_result_of_the_graph_stays() -> None:
    text = (
        f"m (float[1, 2, 6, 6] x) => (float[N, C, H, K] y, float[N, C, H, K] a) <{WEIGHTS}> "
        f"{{ a = Conv(x, W) y = Mul(a, T) }}"
    )
    assert not optimise(text, PASSES)[1]


def test_constant_that_makes_the_value_larger_stays() -> None:
    text = image("a = Conv(x, W1) y = Mul(a, T6)").replace(
        "float TWO", "float[1, 2, 1, 1] W1 = {1, 2}, float TWO"
    )
    assert not optimise(text, PASSES)[1]


def test_normalisation_that_trains_stays() -> None:
    body = "a = Conv(x, W) y, m1, v1 = BatchNormalization <training_mode = 1> (a, S, B, M, V)"
    assert not optimise(image(body), PASSES)[1]


def test_grouped_convolution_scales_its_groups() -> None:
    text = image(
        "a = Mul(x, T4) b = Conv <group = 2> (a, W, B) y = Mul(b, T)", "float[1, 4, 6, 6] x"
    ).replace("float TWO", "float[4, 1, 1] T4 = {3, -2, 1, 5}, float TWO")
    assert optimise(text, PASSES)[0] == ["Conv"]


@pytest.mark.parametrize("group", [1, 2])
def test_transposed_convolution_takes_in_what_is_next_to_it(group: int) -> None:
    channels = 2 * group
    numbers = ", ".join(str(i + 1) for i in range(channels))
    text = image(
        f"a = Mul(x, T) b = ConvTranspose <group = {group}> (a, W) c = Mul(b, U) y = Add(c, U)",
        "float[1, 4, 3, 3] x",
    ).replace("float TWO", f"float[{channels}, 1, 1] U = {{{numbers}}}, float TWO")
    assert optimise(text, PASSES)[0] == ["ConvTranspose"]


def test_shift_before_a_transposed_convolution_stays() -> None:
    body = "a = Add(x, T) y = ConvTranspose(a, W)"
    assert not optimise(image(body, "float[1, 4, 3, 3] x"), PASSES)[1]


def test_numbers_of_16_bits_are_rounded_once() -> None:
    text = image("a = Conv(x, W, B) y = Mul(a, T)")
    assert optimise(text, PASSES, half=True)[0] == ["Conv"]


@pytest.mark.parametrize(("scale", "left"), [("2.0", ["MatMul", "Mul"]), ("0.5", ["MatMul"])])
def test_scale_that_leaves_the_range_of_the_type_stays(scale: str, left: list[str]) -> None:
    text = (
        f"m (float[0, 1] x) => (float[0, 1] y) <float[1, 1] W = {{60000.0}}, float S = {{{scale}}}>"
        f" {{ a = MatMul(x, W) y = Mul(a, S) }}"
    )
    assert optimise(text, PASSES, half=True)[0] == left


MATRIX = (
    "float[3, 4] W = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, float[4] B = {1, 2, 3, 4}, "
    "float[4] S = {2, -1, 0.5, 3}, float[3] T = {1, 2, 3}, float[2, 1] COLUMN = {1, 2}, "
    "float[2, 4] WHOLE = {1, 2, 3, 4, 5, 6, 7, 8}"
)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a = MatMul(x, W) b = Mul(a, S) y = Add(b, B)", ["Gemm"]),
        ("a = Gemm <alpha = 0.5, beta = 3.0> (x, W, B) b = Mul(a, S) y = Add(b, B)", ["Gemm"]),
        ("a = Gemm <beta = 2.0> (x, W, WHOLE) y = Mul(a, S)", ["Gemm", "Mul"]),
        ("a = Add(x, T) b = Mul(a, T) y = Gemm <alpha = 2.0, beta = 0.5> (b, W, B)", ["Gemm"]),
        ("a = Gemm(x, W) y = Sub(a, B)", ["Gemm"]),
        ("a = MatMul(x, W) y = Mul(a, COLUMN)", ["MatMul", "Mul"]),
        ("a = MatMul(x, W) b = Transpose <perm = [0, 1]> (a) y = Mul(b, S)",
         ["MatMul", "Transpose"]),
        ("a = MatMul(x, W) b = Add(a, B) c = Identity(b) y = Mul(c, S)", None),
    ],
)  # fmt: skip
def test_products_of_matrices_take_in_what_is_next_to_them(
    body: str, expected: list[str] | None
) -> None:
    text = f"m (float[2, 3] x) => (float[2, 4] y) <{MATRIX}> {{ {body} }}"
    found = optimise(text, PASSES)[0]
    assert found == (["Gemm", "Identity"] if expected is None else expected)


def test_products_of_higher_rank_are_scaled_behind_views_and_sums() -> None:
    text = (
        f"m (float[5, 2, 3] x) => (float[5, 4, 2] y) <{MATRIX}, float[4, 1] C = {{3, 1, 2, 5}}> "
        f"{{ a = MatMul(x, W) b = Add(a, B) c = Transpose <perm = [0, 2, 1]> (b) y = Mul(c, C) }}"
    )
    assert optimise(text, PASSES)[0] == ["MatMul", "Add", "Transpose"]


def test_reshaped_products_take_in_a_bias_of_the_last_axis() -> None:
    text = (
        f"m (float[6, 3] x) => (float[2, 3, 4] y) <{MATRIX}, int64[3] D = {{2, 3, 4}}> "
        f"{{ a = MatMul(x, W) b = Reshape(a, D) y = Add(b, B) }}"
    )
    assert optimise(text, PASSES)[0] == ["Gemm", "Reshape"]


def test_integers_stay() -> None:
    text = (
        "m (int32[2, 2] x) => (int32[2, 2] y) <int32[2, 2] W = {1, 2, 3, 4}, int32 S = {2}> "
        "{ a = MatMul(x, W) y = Mul(a, S) }"
    )
    assert not optimise(text, PASSES)[1]
