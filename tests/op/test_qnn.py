"""Quantising, and arithmetic of quantised tensors, against ONNX and exact fractions."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.interpreter import evaluate
from relayish.ir.relay.expr import Call, Constant
from relayish.op import get_op, list_ops, make_attrs
from relayish.op.declaration import properties
from relayish.passes.relay.fold.fold_constant import fold_constant
from tests.support.checking import assert_same, evaluated, reference
from tests.support.quantised import clipped, f32, i32, integers, requantized, times
from tests.support.reference_onnx import run_onnx
from tests.support.seeds import quickly

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies
few = quickly(40)
scales = st.floats(2.0**-12, 2.0**6, width=32)
zeros = st.integers(-100, 100)
seeds = st.integers(0, 10000)


@reference("onnx", "qnn.quantize")
@few
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


@reference("onnx", "qnn.dequantize")
@few
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


@reference("formula", "qnn.requantize")
@few
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


@reference("formula", "qnn.requantize")
@few
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


BINARY = {"qnn.add": (1, None), "qnn.subtract": (-1, None)}


@reference("formula", "qnn.add", "qnn.subtract")
@few
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
@few
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
def test_averages_are_those_of_requantised_integers(out):
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
    moved = np.array([requantized(v, 0.5, 3, *out) for v in data.ravel().tolist()])
    sums = moved.reshape(1, 2, 2, 2, 2, 3).sum(axis=(3, 5))
    expected = np.sign(sums) * (np.abs(sums) // 6)  # cut off
    assert_same(found.ravel(), clipped(expected.ravel(), "int8"))


def test_every_quantised_operator_is_marked_and_evaluated():
    names = {n for n in list_ops("relay") if n.startswith("qnn.")}
    assert len(names) == 26
    assert {n for n in list_ops("relay") if get_op(n) in properties.quantized} == names
    assert not [n for n in names if get_op(n) not in properties.evaluate]


def test_quantised_operators_fold_only_when_asked():
    attrs = make_attrs(get_op("qnn.quantize"), {"out_dtype": "int8"})
    args = Constant(np.array([1.2], np.float32)), Constant(f32(0.5)), Constant(i32(1))
    call = Call(get_op("qnn.quantize"), args, attrs)
    assert fold_constant(call) is call
    folded = fold_constant(call, fold_qnn=True)
    assert isinstance(folded, Constant)
    assert folded.data.tolist() == evaluate(call).tolist() == [3]
