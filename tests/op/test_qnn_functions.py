"""Functions of quantised elements, and simulated quantisation, against formulas."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.checking import assert_same, evaluated, reference
from tests.support.quantised import clipped, f32, half_away, i32, integers, requantized, times
from tests.support.seeds import quickly

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies
few = quickly(40)
scales = st.floats(2.0**-12, 2.0**6, width=32)
zeros = st.integers(-100, 100)
seeds = st.integers(0, 10000)


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


@reference("formula", "qnn.leaky_relu")
@few
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
@few
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
    found = evaluated("qnn.simulated_quantize", data, i32(code), scale, zero)
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
