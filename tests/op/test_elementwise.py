from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from checking import assert_same, by_element, evaluated, evaluated_in, random_values

from relayish.errors import EvaluationError


def half_away(x):
    return math.copysign(math.floor(abs(x) + 0.5), x)


FLOAT = {
    "exp": math.exp,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asinh": math.asinh,
    "atan": math.atan,
    "erf": math.erf,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "fast_exp": math.exp,
    "fast_tanh": math.tanh,
    "fast_erf": math.erf,
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
    "round": half_away,
}
POSITIVE = {
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
}
ANY = {
    "abs": abs,
    "negative": lambda x: -x,
    "sign": lambda x: (x > 0) - (x < 0),
    "copy": lambda x: x,
    "zeros_like": lambda _: 0,
    "ones_like": lambda _: 1,
}
SHAPES = [(), (0,), (3,), (2, 3), (2, 0, 2)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", sorted(FLOAT))
def test_function_of_floats_agrees_with_math(name, dtype, shape):
    data = random_values(*shape, dtype=dtype)
    assert_same(evaluated(name, data), by_element(FLOAT[name], dtype, data))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", sorted(POSITIVE))
def test_function_of_positive_floats_agrees_with_math(name, shape):
    data = random_values(*shape, low=0.1)
    assert_same(evaluated(name, data), by_element(POSITIVE[name], "float32", data))


@pytest.mark.parametrize(("name", "low", "high"), [("asin", -1, 1), ("acos", -1, 1)])
def test_inverse_function_agrees_with_math(name, low, high):
    data = random_values(4, 3, low=low, high=high)
    assert_same(evaluated(name, data), by_element(getattr(math, name), "float32", data))


def test_inverse_hyperbolic_functions_agree_with_math():
    inside, above = random_values(5, low=-0.9, high=0.9), random_values(5, low=1, high=9)
    assert_same(evaluated("atanh", inside), by_element(math.atanh, "float32", inside))
    assert_same(evaluated("acosh", above), by_element(math.acosh, "float32", above))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float32"])
@pytest.mark.parametrize("name", sorted(ANY))
def test_function_of_numbers_keeps_the_type(name, dtype, shape):
    data = random_values(*shape, dtype=dtype)
    assert_same(evaluated(name, data), by_element(ANY[name], dtype, data))


@pytest.mark.parametrize("name", ["ceil", "floor", "round", "trunc"])
def test_rounding_leaves_integers_as_they_are(name):
    data = random_values(3, dtype="int64")
    assert_same(evaluated(name, data), data)


@pytest.mark.parametrize(
    ("given", "expected"),
    [(0.5, 1), (-0.5, -1), (2.5, 3), (0.49999997, 0), (-2.4, -2), (8388609.0, 8388609.0)],
)
def test_round_goes_away_from_zero_at_halves(given, expected):
    assert evaluated("round", np.float32(given)) == np.float32(expected)


def test_round_keeps_what_is_not_finite_and_the_sign_of_zero():
    data = np.array([np.inf, -np.inf, np.nan, -0.2], np.float32)
    found = evaluated("round", data)
    assert np.array_equal(found[:3], data[:3], equal_nan=True)
    assert np.signbit(found[3])


@pytest.mark.parametrize("name", ["exp", "sqrt", "erf", "sigmoid", "tanh"])
def test_function_of_floats_refuses_integers(name):
    with pytest.raises(EvaluationError, match=f"{name} of int32 is not defined"):
        evaluated(name, np.int32(1))


@pytest.mark.parametrize("name", ["exp", "sqrt", "sigmoid", "negative", "abs", "round"])
def test_function_works_on_bfloat16(name):
    data = np.array([0.5, 1, 2], ml_dtypes.bfloat16)
    wide = evaluated(name, data.astype(np.float32))
    assert_same(evaluated(name, data), wide.astype(ml_dtypes.bfloat16))


def test_sign_of_nan_is_zero():
    assert evaluated("sign", np.float32("nan")) == 0


def test_abs_of_the_least_integer_wraps_around():
    assert evaluated("abs", np.int32(-(2**31))) == np.int32(-(2**31))


def test_log_of_zero_and_less_are_infinite_and_nan():
    assert evaluated("log", np.float32(0)) == -np.inf
    assert np.isnan(evaluated("sqrt", np.float32(-1)))


def test_predicates_are_boolean():
    data = np.array([1.0, np.inf, -np.inf, np.nan], np.float32)
    assert_same(evaluated("isnan", data), np.array([False, False, False, True]))
    assert_same(evaluated("isinf", data), np.array([False, True, True, False]))
    assert_same(evaluated("isfinite", data), np.array([True, False, False, False]))


def test_negations_of_booleans_and_bits():
    flags = np.array([True, False])
    assert_same(evaluated("logical_not", flags), np.array([False, True]))
    assert_same(evaluated("bitwise_not", flags), np.array([False, True]))
    assert_same(evaluated("bitwise_not", np.int8(5)), np.int8(-6))
    assert_same(evaluated("bitwise_not", np.uint8(5)), np.uint8(250))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "float16", "float32"])
def test_clip_keeps_values_between_the_bounds(dtype):
    data = random_values(4, 5, dtype=dtype, low=0, high=9)
    expected = by_element(lambda x: min(max(x, 2), 6), dtype, data)
    assert_same(evaluated("clip", data, a_min=2.0, a_max=6.0), expected)


def test_clip_of_integers_takes_bounds_beyond_their_range():
    data = np.array([-128, 0, 127], np.int8)
    assert_same(evaluated("clip", data, a_min=-1e9, a_max=math.inf), data)


@pytest.mark.parametrize("source", ["bool", "int8", "uint8", "int64", "float16", "float32"])
@pytest.mark.parametrize("target", ["bool", "int32", "float32", "float64", "bfloat16"])
def test_cast_gives_the_type_asked_for(source, target):
    data = random_values(2, 3, dtype=source, low=0)
    truth = {"bool": bool, "int32": int}.get(target, float)
    values = np.array([truth(x) for x in data.ravel().tolist()]).reshape(2, 3)
    kind = ml_dtypes.bfloat16 if target == "bfloat16" else target
    assert_same(evaluated("cast", data, dtype=target), values.astype(kind))


def test_cast_like_takes_the_type_of_the_other():
    assert_same(evaluated("cast_like", np.float32(2.75), np.int64(0)), np.int64(2))


def test_reinterpret_keeps_the_bits():
    assert_same(evaluated("reinterpret", np.float32(1), dtype="int32"), np.int32(0x3F800000))
    data = np.array([1, 2], np.uint16)
    assert_same(evaluated("reinterpret", data, dtype="int16"), data.astype(np.int16))


def test_reinterpret_refuses_another_width():
    with pytest.raises(EvaluationError, match="expected a type of 32 bits"):
        evaluated("reinterpret", np.float32(1), dtype="int64")


@pytest.mark.parametrize("shift", [-2, 0, 3])
def test_fixed_point_multiply_is_a_rounded_product(shift):
    data = random_values(20, dtype="int32", low=-1000, high=1000)
    multiplier = 1431658825
    expected = by_element(
        lambda x: math.floor(x * multiplier * 2.0**shift / 2**31 + 0.5), "int32", data
    )
    found = evaluated("fixed_point_multiply", data, multiplier=multiplier, shift=shift)
    assert_same(found, expected)


def test_every_evaluated_operator_of_the_family_is_tested():
    tested = {*FLOAT, *POSITIVE, *ANY, "asin", "acos", "atanh", "acosh", "cast", "cast_like"}
    tested |= {"isnan", "isinf", "isfinite", "logical_not", "bitwise_not", "clip", "reinterpret"}
    assert evaluated_in("relayish.op.elementwise") == {*tested, "fixed_point_multiply"}
