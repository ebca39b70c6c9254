"""Operators on quantised numbers against ONNX's reference and exact arithmetic of fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from checking import assert_same, evaluated, inferred, reference

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.interpreter import evaluate
from relayish.ir.expr import Call, Constant
from relayish.ir.structural_equal import structural_equal
from relayish.ir.type import Any, IncompleteType, TensorType, TupleType
from relayish.op import get_op, list_ops, make_attrs, registry
from relayish.passes.fold_constant import fold_constant

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies
quickly = hypothesis.settings(max_examples=40, deadline=None, derandomize=True)
scales = st.floats(2.0**-12, 2.0**6, width=32)
zeros = st.integers(-100, 100)
seeds = st.integers(0, 10000)


def f32(value):
    return np.float32(value)


def i32(value):
    return np.int32(value)


def integers(seed, *shape, dtype="int8"):
    limits = np.iinfo(dtype if np.dtype(dtype).itemsize < 4 else "int16")
    rng = np.random.default_rng([seed, *shape])
    return rng.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)


def run_onnx(kind, *inputs, **attributes):
    onnx = pytest.importorskip("onnx")
    from onnx.reference import ReferenceEvaluator  # noqa: PLC0415 - only where onnx is there

    names = [f"x{n}" for n in range(len(inputs))]
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node(kind, names, ["y"], **attributes)],
        "g",
        [
            onnx.helper.make_tensor_value_info(
                name, onnx.helper.np_dtype_to_tensor_dtype(value.dtype), value.shape
            )
            for name, value in zip(names, inputs, strict=True)
        ],
        [onnx.helper.make_tensor_value_info("y", onnx.TensorProto.INT8, None)],
    )
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 19)])
    feeds = dict(zip(names, map(np.asarray, inputs), strict=True))
    return ReferenceEvaluator(model).run(None, feeds)[0]


def half_away(value):
    """Round a fraction, halves away from zero."""
    whole = math.floor(abs(value) + Fraction(1, 2))
    return whole if value >= 0 else -whole


def times(value, ratio, *, upward=True):
    """Multiply an integer by a positive float in 31 bits, exactly and then rounded once."""
    fraction, exponent = math.frexp(ratio)
    multiplier = half_away(Fraction(fraction) * 2**31)
    exact = Fraction(value * multiplier) * Fraction(2) ** (exponent - 31)
    return math.floor(exact + Fraction(1, 2)) if upward else half_away(exact)


def requantized(value, scale, zero, to_scale, to_zero, *, upward=True):
    ratio = float(f32(scale)) / float(f32(to_scale))
    return times(int(value) - int(zero), ratio, upward=upward) + int(to_zero)


def clipped(values, dtype):
    limits = np.iinfo(dtype)
    flat = [min(max(int(v), limits.min), limits.max) for v in np.asarray(values, object).ravel()]
    return np.array(flat, dtype).reshape(np.shape(values))


@reference("onnx", "qnn.quantize")
@quickly
@hypothesis.given(seeds, scales, zeros, st.sampled_from(["int8", "uint8"]), st.booleans())
def test_quantised_numbers_are_those_of_onnx(seed, scale, zero, dtype, per_axis):
    rng = np.random.default_rng(seed)
    data = rng.uniform(-300, 300, (3, 4)).astype("float32") * f32(scale)
    zero = abs(zero) if dtype == "uint8" else zero
    if per_axis:
        steps = (f32(scale) * rng.uniform(0.5, 2, 4)).astype("float32")
        points = np.full(4, zero)
    else:
        steps, points = f32(scale), np.array(zero)
    ties = np.abs(np.abs(data / steps) % 1 - 0.5) < 1e-3  # there ONNX goes to the even one
    data = np.where(ties, np.float32(0), data)
    found = evaluated(
        "qnn.quantize", data, steps, points.astype("int32")[()], axis=1, out_dtype=dtype
    )
    expected = run_onnx("QuantizeLinear", data, steps, points.astype(dtype)[()], axis=1)
    assert_same(found, expected)


@reference("formula", "qnn.quantize")
def test_quantising_rounds_halves_away_from_zero_and_stays_in_range():
    data = np.array([0.5, 1.5, -0.5, -1.5, 1e30, -1e30, np.inf, -np.inf, np.nan], np.float32)
    for dtype in ("int8", "int16", "uint16", "int32"):
        limits = np.iinfo(dtype)
        found = evaluated("qnn.quantize", data, f32(1), i32(3), out_dtype=dtype)
        expected = [4, 5, 2, 1, *[limits.max, limits.min] * 2, 3]
        assert found.tolist() == expected


@reference("onnx", "qnn.dequantize")
@quickly
@hypothesis.given(seeds, scales, zeros, st.sampled_from(["int8", "uint8"]), st.booleans())
def test_dequantised_numbers_are_those_of_onnx(seed, scale, zero, dtype, per_axis):
    data = integers(seed, 3, 4, dtype=dtype)
    zero = abs(zero) if dtype == "uint8" else zero
    steps = f32(scale) * np.arange(1, 4, dtype="float32") if per_axis else f32(scale)
    points = np.full(3, zero) if per_axis else np.array(zero)
    found = evaluated(
        "qnn.dequantize", data, steps, points.astype("int32")[()], axis=0, out_dtype="float32"
    )
    assert_same(found, run_onnx("DequantizeLinear", data, steps, points.astype(dtype)[()], axis=0))


@reference("formula", "qnn.dequantize")
@pytest.mark.parametrize("dtype", ["int16", "uint16", "int32"])
def test_other_integers_are_dequantised(dtype):
    data = integers(1, 2, 3, dtype=dtype)
    found = evaluated("qnn.dequantize", data, f32(0.5), i32(7), out_dtype="float16")
    with np.errstate(over="ignore"):
        assert_same(found, ((data.astype("int64") - 7) * 0.5).astype("float16"))


@reference("formula", "qnn.requantize")
@quickly
@hypothesis.given(
    seeds,
    scales,
    zeros,
    scales,
    zeros,
    st.sampled_from(["UPWARD", "TONEAREST", "None"]),
    st.sampled_from(["int8", "uint8", "int16", "int32"]),
    st.sampled_from(["int8", "uint8", "int32", "int64"]),
)
def test_requantised_integers_are_exact_products_rounded_once(
    seed, scale, zero, to_scale, to_zero, rounding, dtype, source
):
    data = integers(seed, 2, 5, dtype=source)
    found = evaluated(
        "qnn.requantize",
        data,
        f32(scale),
        i32(zero),
        f32(to_scale),
        i32(to_zero),
        rounding=rounding,
        compute_dtype="int64",
        out_dtype=dtype,
    )
    upward = rounding != "TONEAREST"
    expected = [
        requantized(v, scale, zero, to_scale, to_zero, upward=upward) for v in data.ravel().tolist()
    ]
    assert_same(found.ravel(), clipped(expected, dtype))


@pytest.mark.parametrize(
    ("rounding", "expected"),
    [("UPWARD", [-2, -1, 0, 1, 2, 3]), ("TONEAREST", [-3, -2, -1, 1, 2, 3])],
)
@pytest.mark.parametrize("compute", ["int64", "float32", "float64"])
def test_requantising_halves_goes_up_or_away_from_zero(rounding, expected, compute):
    data = np.array([-5, -3, -1, 1, 3, 5], np.int32)
    found = evaluated(
        "qnn.requantize",
        data,
        f32(0.5),
        i32(0),
        f32(1),
        i32(0),
        rounding=rounding,
        compute_dtype=compute,
        out_dtype="int8",
    )
    assert found.tolist() == expected


@reference("formula", "qnn.requantize")
@quickly
@hypothesis.given(seeds, scales, zeros, st.sampled_from(["float32", "float64"]))
def test_requantising_by_floats_is_within_one_of_doing_it_in_integers(seed, scale, zero, compute):
    data = integers(seed, 3, 4, dtype="int32")
    steps = f32(scale) * np.array([1, 2, 3], "float32")
    args = data, steps, i32(zero), f32(0.75), i32(5)
    exact = evaluated("qnn.requantize", *args, axis=0, out_dtype="int16")
    found = evaluated("qnn.requantize", *args, axis=0, out_dtype="int16", compute_dtype=compute)
    assert np.abs(found.astype(int) - exact).max() <= 1
    for row, step in enumerate(steps):
        whole = [requantized(v, step, zero, 0.75, 5) for v in data[row].tolist()]
        assert exact[row].tolist() == clipped(whole, "int16").tolist()


def test_scales_far_apart_give_nothing_or_the_bounds():
    data = np.array([-100, 0, 100], np.int32)
    for scale, expected in ((1e-30, [0, 0, 0]), (1e30, [-128, 0, 127])):
        found = evaluated(
            "qnn.requantize", data, f32(scale), i32(0), f32(1), i32(0), out_dtype="int8"
        )
        assert found.tolist() == expected


BINARY = {"qnn.add": (1, None), "qnn.subtract": (-1, None)}


@reference("formula", "qnn.add", "qnn.subtract")
@quickly
@hypothesis.given(
    st.sampled_from(sorted(BINARY)),
    seeds,
    scales,
    zeros,
    scales,
    zeros,
    scales,
    zeros,
    st.sampled_from(["int8", "uint8", "int16"]),
)
def test_sums_are_of_operands_brought_to_the_scale_of_the_result(
    name, seed, s, z, t, y, u, x, dtype
):
    lhs, rhs = integers(seed, 2, 3, dtype=dtype), integers(seed + 1, 3, dtype=dtype)
    found = evaluated(name, lhs, rhs, f32(s), i32(z), f32(t), i32(y), f32(u), i32(x))
    sign = BINARY[name][0]
    expected = [
        [
            requantized(a, s, z, u, x) + sign * requantized(b, t, y, u, x) - sign * x
            for a, b in zip(row, rhs.tolist(), strict=True)
        ]
        for row in lhs.tolist()
    ]
    assert_same(found, clipped(expected, dtype))


@reference("formula", "qnn.mul")
@quickly
@hypothesis.given(
    seeds, scales, zeros, scales, zeros, scales, zeros, st.sampled_from(["int8", "uint8"])
)
def test_products_stand_at_the_product_of_the_scales(seed, s, z, t, y, u, x, dtype):
    lhs, rhs = integers(seed, 2, 3, dtype=dtype), integers(seed + 1, 3, dtype=dtype)
    found = evaluated("qnn.mul", lhs, rhs, f32(s), i32(z), f32(t), i32(y), f32(u), i32(x))
    ratio = float(f32(s) * f32(t)) / float(f32(u))
    expected = [
        [times((a - z) * (b - y), ratio) + x for a, b in zip(row, rhs.tolist(), strict=True)]
        for row in lhs.tolist()
    ]
    assert_same(found, clipped(expected, dtype))


@reference("formula", "qnn.add", "qnn.mul", "qnn.subtract")
@pytest.mark.parametrize("name", ["qnn.add", "qnn.mul", "qnn.subtract"])
def test_scales_along_an_axis_hold_for_its_lines(name):
    lhs, rhs = integers(1, 3, 4), integers(2, 3, 4)
    left, zero = np.array([0.1, 0.2, 0.4], "float32"), np.array([1, -2, 3], "int32")
    right = np.array([0.5, 0.25, 0.125, 0.3], "float32")
    whole = evaluated(
        name, lhs, rhs, left, zero, right, i32(2), f32(0.3), i32(1), lhs_axis=0, rhs_axis=1
    )
    for i in range(3):
        for j in range(4):
            one = evaluated(
                name,
                lhs[i : i + 1, j],
                rhs[i : i + 1, j],
                left[i],
                zero[i],
                right[j],
                i32(2),
                f32(0.3),
                i32(1),
            )
            assert whole[i, j] == one[0]


@reference("formula", "qnn.concatenate")
def test_joined_tensors_are_requantised_first():
    one, two = integers(1, 2, 3, dtype="uint8"), integers(2, 2, 4, dtype="uint8")
    found = evaluated(
        "qnn.concatenate",
        (one, two),
        (f32(0.5), f32(2)),
        (i32(3), i32(100)),
        f32(1),
        i32(7),
        axis=1,
    )
    first = [[requantized(v, 0.5, 3, 1, 7) for v in row] for row in one.tolist()]
    second = [[requantized(v, 2, 100, 1, 7) for v in row] for row in two.tolist()]
    rows = [[*a, *b] for a, b in zip(first, second, strict=True)]
    assert_same(found, clipped(rows, "uint8"))


@reference("formula", "qnn.avg_pool2d")
@pytest.mark.parametrize("out", [(0.5, 3), (0.25, -4)])
def test_averages_are_those_of_integers_requantised(out):
    data = np.abs(integers(4, 1, 2, 4, 6))
    found = evaluated(
        "qnn.avg_pool2d",
        data,
        f32(0.5),
        i32(3),
        f32(out[0]),
        i32(out[1]),
        pool_size=(2, 3),
        strides=(2, 3),
    )
    whole = data.reshape(1, 2, 2, 2, 2, 3).astype(int).sum(axis=(3, 5)) // 6
    expected = [requantized(v, 0.5, 3, *out) for v in whole.ravel().tolist()]
    assert_same(found.ravel(), clipped(expected, "int8"))


@reference("onnx", "qnn.conv2d")
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(("data_dtype", "weight_dtype"), [("uint8", "int8"), ("int8", "uint8")])
def test_convolutions_of_integers_are_those_of_onnx(groups, data_dtype, weight_dtype):
    data = integers(1, 2, 4, 6, 5, dtype=data_dtype)
    weight = integers(2, 6, 4 // groups, 3, 2, dtype=weight_dtype)
    found = evaluated(
        "qnn.conv2d",
        data,
        weight,
        i32(5),
        i32(7),
        f32(0.1),
        f32(0.2),
        kernel_size=(3, 2),
        channels=6,
        padding=(1, 0, 2, 1),
        strides=(2, 1),
        dilation=(1, 2),
        groups=groups,
        out_dtype="int32",
    )
    expected = run_onnx(
        "ConvInteger",
        data,
        weight,
        np.array(5, data_dtype),
        np.array(7, weight_dtype),
        pads=[1, 0, 2, 1],
        strides=[2, 1],
        dilations=[1, 2],
        group=groups,
    )
    assert_same(found, expected.astype("int32"))


@reference("onnx", "qnn.conv2d", "qnn.requantize")
def test_convolution_and_requantising_are_the_quantised_convolution_of_onnx():
    data, weight = integers(1, 1, 3, 5, 5, dtype="uint8"), integers(2, 4, 3, 3, 3)
    steps = np.array([0.01, 0.02, 0.005, 0.03], "float32")
    whole = evaluated("qnn.conv2d", data, weight, i32(120), i32(0), f32(0.05), steps)
    found = evaluated(
        "qnn.requantize",
        whole,
        f32(0.05) * steps,
        i32(0),
        f32(0.7),
        i32(128),
        axis=1,
        out_dtype="uint8",
    )
    expected = run_onnx(
        "QLinearConv",
        data,
        f32(0.05),
        np.uint8(120),
        weight,
        steps,
        np.zeros(4, np.int8),
        f32(0.7),
        np.uint8(128),
    )
    apart = np.abs(found.astype(int) - expected)
    assert apart.max() <= 1  # ONNX computes in floats, and takes halves to the even number
    assert (apart == 0).mean() > 0.95


def test_zero_points_of_weights_hold_for_their_output_channels():
    data, weight = integers(1, 1, 4, 5, 5), integers(2, 3, 3, 4, 2)
    points = np.array([1, -2, 3, 4, 5, 6, 7, -8], np.int32)
    shifted = weight.astype(int) - points.reshape(4, 2)  # HWOI, two for each of four inputs
    found = evaluated(
        "qnn.conv2d",
        data,
        weight,
        i32(0),
        points,
        f32(1),
        f32(1),
        kernel_layout="HWOI",
        groups=4,
        channels=8,
        kernel_size=(3, 3),
    )
    windows = np.lib.stride_tricks.sliding_window_view(data.astype(int), (3, 3), axis=(2, 3))
    expected = np.einsum("ncxyuv,uvcm->ncmxy", windows, shifted).reshape(1, 8, 3, 3)
    assert_same(found, expected.astype("int32"))
    plain = integers(3, 2, 4, 3, 3)
    found = evaluated("qnn.conv2d", data, plain, i32(0), points[:2], f32(1), f32(1))
    expected = np.einsum(
        "ncxyuv,ocuv->noxy", windows, plain.astype(int) - points[:2, None, None, None]
    )
    assert_same(found, expected.astype("int32"))


@reference("torch", "qnn.conv2d_transpose")
@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_convolutions_are_those_of_torch(groups):
    torch = pytest.importorskip("torch")
    data, weight = integers(1, 2, 4, 3, 4, dtype="uint8"), integers(2, 4, 3, 3, 2)
    found = evaluated(
        "qnn.conv2d_transpose",
        data,
        weight,
        i32(9),
        i32(-3),
        f32(1),
        f32(1),
        channels=3 * groups,
        kernel_size=(3, 2),
        strides=(2, 2),
        padding=(1, 0, 1, 0),
        output_padding=(1, 0),
        groups=groups,
    )
    expected = torch.nn.functional.conv_transpose2d(
        torch.tensor(data.astype("float64") - 9),
        torch.tensor(weight.astype("float64") + 3),
        stride=2,
        padding=(1, 0),
        output_padding=(1, 0),
        groups=groups,
    )
    assert_same(found, expected.numpy().astype("int32"))


@reference("onnx", "qnn.dense")
@pytest.mark.parametrize("vector", [False, True])
def test_dense_products_are_those_of_onnx(vector):
    data, weight = integers(1, 3, 7, dtype="uint8"), integers(2, 5, 7)
    points = np.array([1, 2, 3, -4, 5] if vector else 4, np.int8)[()]
    found = evaluated(
        "qnn.dense",
        data,
        weight,
        i32(11),
        points.astype("int32"),
        f32(1),
        f32(1),
        units=5,
        out_dtype="int32",
    )
    expected = run_onnx("MatMulInteger", data, weight.T.copy(), np.uint8(11), points)
    assert_same(found, expected)


@reference("onnx", "qnn.batch_matmul")
@pytest.mark.parametrize("transpose", [(False, False), (False, True), (True, True)])
def test_products_of_stacks_are_those_of_onnx(transpose):
    one, other = integers(1, 2, 3, 4), integers(2, 2, 4, 5)
    given = [
        np.ascontiguousarray(m.swapaxes(1, 2)) if t else m
        for m, t in zip((one, other), transpose, strict=True)
    ]
    found = evaluated(
        "qnn.batch_matmul",
        *given,
        i32(3),
        i32(-6),
        f32(1),
        f32(1),
        transpose_a=transpose[0],
        transpose_b=transpose[1],
        out_dtype="int32",
    )
    assert_same(found, run_onnx("MatMulInteger", one, other, np.int8(3), np.int8(-6)))


@reference("formula", "qnn.contrib_dense_pack")
@pytest.mark.parametrize("layout", ["NC", "NC2n4c"])
def test_packed_weights_are_unpacked(layout):
    data, weight = integers(1, 3, 8, dtype="uint8"), integers(2, 4, 8)
    packed = weight.reshape(2, 2, 2, 4).transpose(0, 2, 1, 3) if layout != "NC" else weight
    found = evaluated(
        "qnn.contrib_dense_pack",
        data,
        np.ascontiguousarray(packed),
        i32(5),
        i32(2),
        f32(1),
        f32(1),
        units=4,
        weight_layout=layout,
        out_dtype="int32",
    )
    expected = (data.astype(int) - 5) @ (weight.astype(int) - 2).T
    assert_same(found, expected.astype("int32"))


FUNCTIONS = {
    "qnn.abs": abs,
    "qnn.erf": math.erf,
    "qnn.exp": math.exp,
    "qnn.hardswish": lambda x: x * min(max(x + 3, 0), 6) / 6,
    "qnn.log": math.log,
    "qnn.rsqrt": lambda x: 1 / math.sqrt(x),
    "qnn.sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "qnn.sqrt": math.sqrt,
    "qnn.tanh": math.tanh,
}


@reference("formula", *FUNCTIONS)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_functions_are_of_the_numbers_that_elements_stand_for(name, dtype):
    limits = np.iinfo(dtype)
    positive = name in ("qnn.log", "qnn.rsqrt", "qnn.sqrt")
    zero = limits.min - 1 if positive else 11
    data = np.arange(limits.min, limits.max + 1).astype(dtype).reshape(16, 16)
    found = evaluated(name, data, f32(0.03), i32(zero), f32(0.02), i32(4))
    reals = [float(f32(0.03)) * (v - zero) for v in data.ravel().tolist()]
    exact = [FUNCTIONS[name](x) / float(f32(0.02)) for x in reals]
    expected = clipped([half_away(Fraction(v)) + 4 for v in exact], dtype)
    near_half = np.abs(np.abs(exact) % 1 - 0.5) < 1e-3
    apart = np.abs(found.ravel().astype(int) - expected)
    assert not apart[~near_half].any()
    assert apart.max() <= 1


def test_logarithm_of_nothing_is_the_least_number():
    data = np.array([0], np.int8)
    assert evaluated("qnn.log", data, f32(1), i32(0), f32(1), i32(0)).tolist() == [-128]


@reference("formula", "qnn.leaky_relu")
@quickly
@hypothesis.given(
    seeds,
    st.floats(0, 1, width=32),
    scales,
    zeros,
    scales,
    zeros,
    st.sampled_from(["int8", "uint8"]),
)
def test_leaky_rectifier_bends_below_the_zero_point(seed, alpha, s, z, t, y, dtype):
    data = integers(seed, 11, dtype=dtype)
    found = evaluated("qnn.leaky_relu", data, f32(s), i32(z), f32(t), i32(y), alpha=alpha)
    bent = [times(v, alpha) + times(z, 1 - alpha) if v < z else v for v in map(int, data.tolist())]
    expected = [requantized(v, s, z, t, y) for v in bent]
    assert_same(found, clipped(expected, dtype))


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize(("scale", "cut"), [(0.02, 1), (0.1, 5), (0.5, 25), (0.5, 1)])
def test_softmax_in_integers_is_near_that_of_numbers(axis, scale, cut):
    data = integers(6, 5, 7) // cut
    found = evaluated("qnn.softmax", data, f32(scale), i32(3), f32(1 / 256), i32(-128), axis=axis)
    powers = np.exp(scale * data.astype(float))
    exact = powers / powers.sum(axis=axis, keepdims=True)
    assert np.abs((found.astype(float) + 128) / 256 - exact).max() < 0.1
    order = np.argsort(data, axis=axis, kind="stable")
    assert np.all(np.diff(np.take_along_axis(found.astype(int), order, axis), axis=axis) >= 0)


def test_softmax_at_a_scale_too_coarse_for_integers_is_refused():
    with pytest.raises(EvaluationError, match="scale of 2 or less"):
        evaluated("qnn.softmax", integers(1, 3), f32(3), i32(0), f32(1), i32(0))


def integer_softmax(row, scale):
    """The algorithm in Python's integers, for rows whose sums stay below 2**30."""
    unit = math.floor(1 / float(f32(scale)) + 0.5)
    below = [v - max(row) for v in row]
    scaled = [v + (v >> 1) - (v >> 4) for v in below]
    powers = [-v // unit for v in scaled]
    bases = [((v + p * unit) >> 1) + unit for v, p in zip(scaled, powers, strict=True)]
    exps = [b << (max(powers) - p) for b, p in zip(bases, powers, strict=True)]
    assert sum(exps) < 2**30
    return [(2**30 // sum(exps) * e) >> 23 for e in exps]


@reference("formula", "qnn.softmax")
@quickly
@hypothesis.given(
    st.lists(st.integers(-30, 30), min_size=1, max_size=8), st.floats(0.0625, 0.25, width=32)
)
def test_softmax_is_that_of_the_integer_algorithm(row, scale):
    data = np.array(row, np.int8)
    found = evaluated("qnn.softmax", data, f32(scale), i32(0), f32(1 / 128), i32(0))
    assert found.tolist() == clipped(integer_softmax(row, scale), "int8").tolist()


@reference("formula", "qnn.simulated_quantize", "qnn.simulated_dequantize")
@pytest.mark.parametrize(("code", "dtype"), [(0, None), (1, "int8"), (2, "uint8"), (3, "int32")])
def test_simulated_numbers_are_the_quantised_ones_left_floating(code, dtype):
    data = np.random.default_rng(3).uniform(-60, 60, (4, 3)).astype("float32")
    scale, zero = np.array([0.25, 0.5, 1.5], "float32"), np.array([1, 2, -3], "int32")
    found = evaluated("qnn.simulated_quantize", data, i32(code), scale, zero, kind=1)
    back = evaluated("qnn.simulated_dequantize", found, i32(code), scale, zero, out_dtype="float32")
    if dtype is None:
        assert_same(found, data)
        assert_same(back, data)
        return
    exact = evaluated("qnn.quantize", data, scale, zero, out_dtype=dtype)
    assert_same(found, exact.astype("float32"))
    again = evaluated("qnn.dequantize", exact, scale, zero, out_dtype="float32")
    assert_same(back, again)


@reference("formula", "relay.op.annotation.simulated_quantize")
def test_simulated_annotation_rounds_to_steps_between_bounds():
    name = "relay.op.annotation.simulated_quantize"
    data = np.array([0.3, -0.76, 0.5, 9, -9], np.float32)
    args = data, f32(0.25), f32(-8), f32(7)
    assert evaluated(name, *args, kind=1).tolist() == [0.25, -0.75, 0.5, 1.75, -2]
    assert evaluated(name, *args, kind=0).tolist() == data.tolist()
    with pytest.raises(EvaluationError, match="signed"):
        evaluated(name, *args, kind=1, sign=False)


def test_every_quantised_operator_is_marked_and_evaluated():
    names = {n for n in list_ops() if n.startswith("qnn.")}
    assert len(names) == 26
    assert {n for n in list_ops() if get_op(n) in registry.quantized} == names
    assert not [n for n in names if get_op(n) not in registry.evaluate]


def test_quantised_operators_fold_only_when_asked():
    attrs = make_attrs(get_op("qnn.quantize"), {"out_dtype": "int8"})
    args = Constant(np.array([1.2], np.float32)), Constant(f32(0.5)), Constant(i32(1))
    call = Call(get_op("qnn.quantize"), args, attrs)
    assert fold_constant(call) is call
    folded = fold_constant(call, fold_qnn=True)
    assert isinstance(folded, Constant)
    assert folded.data.tolist() == evaluate(call).tolist() == [3]


I8, U8, F32 = (TensorType((2, 4), dtype) for dtype in ("int8", "uint8", "float32"))
SCALE, ZERO = TensorType((), "float32"), TensorType((), "int32")
PAIR = [SCALE, ZERO]
OUT = {"out_dtype": "int8"}
PRODUCT = [ZERO, ZERO, SCALE, SCALE]


@pytest.mark.parametrize(
    ("name", "attributes", "types"),
    [
        ("qnn.quantize", OUT, [I8, *PAIR]),
        ("qnn.quantize", {"out_dtype": "float32"}, [F32, *PAIR]),
        ("qnn.quantize", OUT, [F32, ZERO, ZERO]),
        ("qnn.quantize", OUT, [F32, SCALE, SCALE]),
        ("qnn.quantize", OUT, [F32, TensorType((3,), "float32"), ZERO]),
        ("qnn.quantize", OUT, [F32, TensorType((2, 4), "float32"), ZERO]),
        ("qnn.quantize", {**OUT, "axis": 2}, [F32, TensorType((4,), "float32"), ZERO]),
        ("qnn.dequantize", {"out_dtype": "float32"}, [F32, *PAIR]),
        ("qnn.dequantize", {"out_dtype": "int32"}, [I8, *PAIR]),
        ("qnn.requantize", OUT, [F32, *PAIR, *PAIR]),
        ("qnn.requantize", {"out_dtype": "int64"}, [I8, *PAIR, *PAIR]),
        ("qnn.requantize", {**OUT, "axis": 5}, [I8, *PAIR, *PAIR]),
        ("qnn.requantize", {**OUT, "rounding": "DOWN"}, [I8, *PAIR, *PAIR]),
        ("qnn.requantize", OUT, [I8, *PAIR, TensorType((4,), "float32"), ZERO]),
        ("qnn.add", {}, [I8, U8, *PAIR * 3]),
        ("qnn.add", {}, [F32, F32, *PAIR * 3]),
        ("qnn.mul", {}, [I8, TensorType((3, 4), "int8"), *PAIR * 3]),
        ("qnn.subtract", {}, [I8, I8, *PAIR * 2, ZERO, ZERO]),
        ("qnn.concatenate", {"axis": 0}, [I8, I8, I8, *PAIR]),
        (
            "qnn.concatenate",
            {"axis": 0},
            [TupleType((I8, I8)), TupleType((SCALE,)), TupleType((ZERO, ZERO)), *PAIR],
        ),
        (
            "qnn.concatenate",
            {"axis": 0},
            [TupleType((I8,)), TupleType((I8,)), TupleType((ZERO,)), *PAIR],
        ),
        ("qnn.avg_pool2d", {"pool_size": (1, 1)}, [I8, *PAIR, *PAIR]),
        ("qnn.abs", {}, [F32, *PAIR, *PAIR]),
        ("qnn.softmax", {}, [U8, *PAIR, *PAIR]),
        ("qnn.softmax", {"axis": 2}, [I8, *PAIR, *PAIR]),
        ("qnn.leaky_relu", {}, [I8, *PAIR, SCALE, SCALE]),
        ("qnn.dense", {"units": 2}, [I8, TensorType((3, 4), "int8"), *PRODUCT]),
        ("qnn.dense", {"units": 2}, [I8, I8, SCALE, ZERO, SCALE, SCALE]),
        ("qnn.dense", {"units": 2}, [F32, I8, *PRODUCT]),
        ("qnn.dense", {"units": 2, "out_dtype": "float32"}, [I8, I8, *PRODUCT]),
        ("qnn.dense", {"units": 2}, [I8, I8, ZERO, TensorType((3,), "int32"), SCALE, SCALE]),
        ("qnn.batch_matmul", {}, [I8, I8, *PRODUCT]),
        (
            "qnn.contrib_dense_pack",
            {"units": 2, "weight_layout": "NC"},
            [I8, TensorType((3, 5), "int8"), *PRODUCT],
        ),
        (
            "qnn.contrib_dense_pack",
            {"units": 2, "weight_layout": "NC"},
            [TensorType((), "int8"), I8, *PRODUCT],
        ),
        ("qnn.conv2d", {}, [I8, I8, *PRODUCT]),
        (
            "qnn.conv2d",
            {},
            [
                TensorType((1, 2, 4, 4), "int8"),
                TensorType((3, 2, 1, 1), "int8"),
                *PRODUCT[:3],
                TensorType((2,), "float32"),
            ],
        ),
        ("qnn.simulated_quantize", {"kind": 1}, [I8, ZERO, *PAIR]),
        ("qnn.simulated_dequantize", OUT, [F32, SCALE, *PAIR]),
        ("relay.op.annotation.simulated_quantize", {"kind": 1}, [SCALE, SCALE, SCALE, SCALE]),
        ("relay.op.annotation.simulated_quantize", {"kind": 1}, [F32, ZERO, SCALE, SCALE]),
    ],
)
def test_ill_typed_calls_are_refused(name, attributes, types):
    attrs = make_attrs(get_op(name), attributes)
    with pytest.raises(TypeInferenceError):
        inferred(name, attrs, *types)
    with pytest.raises(TypeInferenceError):
        inferred(name, attrs, *[TupleType((TupleType(()),))] * len(types))


def test_types_of_what_says_how_to_simulate_are_inferred():
    seen = []

    class Reporter:
        def assign(self, unknown, found):
            seen.append((unknown, found))

    name = "relay.op.annotation.simulated_quantize"
    unknown = [IncompleteType() for _ in range(3)]
    relate = registry.relation.get(get_op(name))
    attrs = make_attrs(get_op(name), {"kind": 1})
    assert relate(attrs, (F32, *unknown), Reporter()) is F32
    assert [one for one, _ in seen] == unknown
    assert all(structural_equal(found, SCALE) for _, found in seen)
    assert relate(attrs, (IncompleteType(), *unknown), Reporter()) is None


def test_products_wait_for_what_is_not_known():
    for name in ("qnn.conv2d", "qnn.dense", "qnn.batch_matmul"):
        relate = registry.relation.get(get_op(name))
        attributes = {"units": 2} if name == "qnn.dense" else {}
        attrs = make_attrs(get_op(name), attributes)
        assert relate(attrs, (I8, IncompleteType(), *PRODUCT), None) is None


def test_single_elements_may_stand_for_scalars_and_unknown_lengths_for_any():
    attrs = make_attrs(get_op("qnn.quantize"), OUT)
    single, many = TensorType((1,), "float32"), TensorType((Any(),), "int32")
    assert inferred("qnn.quantize", attrs, F32, single, many).shape == (2, 4)
    far = make_attrs(get_op("qnn.quantize"), {**OUT, "axis": 7})
    assert inferred("qnn.quantize", far, F32, single, ZERO).dtype == "int8"


def test_weights_without_fitting_zero_points_are_refused():
    data, weight = integers(1, 1, 2, 3, 3), integers(2, 3, 2, 1, 1)
    function = registry.evaluate.get(get_op("qnn.conv2d"))
    attrs = make_attrs(get_op("qnn.conv2d"), {})
    with pytest.raises(EvaluationError, match="weight_zero_point"):
        function(attrs, data, weight, i32(0), np.arange(4, dtype="int32"), f32(1), f32(1))


def test_unknown_types_to_compute_in_are_refused():
    args = integers(1, 2), f32(1), i32(0), f32(2), i32(0)
    with pytest.raises(EvaluationError, match="compute_dtype"):
        evaluated("qnn.requantize", *args, compute_dtype="int32", out_dtype="int8")
