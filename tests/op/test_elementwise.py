from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.relay.type import TensorType, TupleType
from relayish.op import get_op, make_attrs
from relayish.op.declaration.properties import num_inputs, rule
from tests.support.checking import (
    REFERENCES,
    assert_same,
    by_element,
    evaluated,
    evaluated_in,
    random_values,
    reference,
)
from tests.support.each import each


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


@reference("formula", *FLOAT)
@each("shape", SHAPES)
@each("dtype", ["float16", "float32", "float64"])
@each("name", sorted(FLOAT))
def test_function_of_floats_agrees_with_math(name, dtype, shape):
    data = random_values(*shape, dtype=dtype)
    assert_same(evaluated(name, data), by_element(FLOAT[name], dtype, data))


@reference("formula", *POSITIVE)
@pytest.mark.parametrize("shape", SHAPES)
@each("name", sorted(POSITIVE))
def test_function_of_positive_floats_agrees_with_math(name, shape):
    data = random_values(*shape, low=0.1)
    assert_same(evaluated(name, data), by_element(POSITIVE[name], "float32", data))


@reference("formula", "asin", "acos")
@pytest.mark.parametrize(("name", "low", "high"), [("asin", -1, 1), ("acos", -1, 1)])
def test_inverse_function_agrees_with_math(name, low, high):
    data = random_values(4, 3, low=low, high=high)
    assert_same(evaluated(name, data), by_element(getattr(math, name), "float32", data))


@reference("formula", "atanh", "acosh")
def test_inverse_hyperbolic_functions_agree_with_math():
    inside, above = random_values(5, low=-0.9, high=0.9), random_values(5, low=1, high=9)
    assert_same(evaluated("atanh", inside), by_element(math.atanh, "float32", inside))
    assert_same(evaluated("acosh", above), by_element(math.acosh, "float32", above))


@reference("formula", *ANY)
@each("shape", SHAPES)
@each("dtype", ["int8", "int32", "int64", "float32"])
@each("name", sorted(ANY))
def test_function_of_numbers_keeps_the_type(name, dtype, shape):
    data = random_values(*shape, dtype=dtype)
    assert_same(evaluated(name, data), by_element(ANY[name], dtype, data))


@pytest.mark.parametrize("name", ["ceil", "floor", "round", "trunc"])
def test_rounding_leaves_integers_as_they_are(name):
    data = random_values(3, dtype="int64")
    assert_same(evaluated(name, data), data)


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


@reference("formula", "isnan", "isinf", "isfinite")
def test_predicates_are_boolean():
    data = np.array([1.0, np.inf, -np.inf, np.nan], np.float32)
    assert_same(evaluated("isnan", data), np.array([False, False, False, True]))
    assert_same(evaluated("isinf", data), np.array([False, True, True, False]))
    assert_same(evaluated("isfinite", data), np.array([True, False, False, False]))


@reference("formula", "logical_not", "bitwise_not")
def test_negations_of_booleans_and_bits():
    flags = np.array([True, False])
    assert_same(evaluated("logical_not", flags), np.array([False, True]))
    assert_same(evaluated("bitwise_not", flags), np.array([False, True]))
    assert_same(evaluated("bitwise_not", np.int8(5)), np.int8(-6))
    assert_same(evaluated("bitwise_not", np.uint8(5)), np.uint8(250))


@reference("formula", "clip")
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "float16", "float32"])
def test_clip_keeps_values_between_the_bounds(dtype):
    data = random_values(4, 5, dtype=dtype, low=0, high=9)
    expected = by_element(lambda x: min(max(x, 2), 6), dtype, data)
    assert_same(evaluated("clip", data, a_min=2.0, a_max=6.0), expected)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "uint8"])
def test_clip_gives_the_upper_bound_where_the_lower_is_larger(dtype):
    data = np.array([0, 1, 2, 3, 9], dtype)
    assert_same(evaluated("clip", data, a_min=3.0, a_max=1.0), np.clip(data, 3, 1).astype(dtype))
    assert set(evaluated("clip", data, a_min=3.0, a_max=1.0).tolist()) == {1}


def test_clip_of_integers_takes_bounds_beyond_their_range():
    data = np.array([-128, 0, 127], np.int8)
    assert_same(evaluated("clip", data, a_min=-1e9, a_max=math.inf), data)


@reference("formula", "cast")
@each("source", ["bool", "int8", "uint8", "int64", "float16", "float32"])
@pytest.mark.parametrize("target", ["bool", "int32", "float32", "float64", "bfloat16"])
def test_cast_gives_the_type_asked_for(source, target):
    data = random_values(2, 3, dtype=source, low=0)
    truth = {"bool": bool, "int32": int}.get(target, float)
    values = np.array([truth(x) for x in data.ravel().tolist()]).reshape(2, 3)
    kind = ml_dtypes.bfloat16 if target == "bfloat16" else target
    assert_same(evaluated("cast", data, dtype=target), values.astype(kind))


@reference("formula", "cast_like")
def test_cast_like_takes_the_type_of_the_other():
    assert_same(evaluated("cast_like", np.float32(2.75), np.int64(0)), np.int64(2))


@reference("numpy", "reinterpret")
def test_reinterpret_keeps_the_bits():
    assert_same(evaluated("reinterpret", np.float32(1), dtype="int32"), np.int32(0x3F800000))
    data = np.array([1, 2], np.uint16)
    assert_same(evaluated("reinterpret", data, dtype="int16"), data.astype(np.int16))


def test_reinterpret_refuses_another_width():
    with pytest.raises(EvaluationError, match="expected a type of 32 bits"):
        evaluated("reinterpret", np.float32(1), dtype="int64")


@reference("formula", "fixed_point_multiply")
@pytest.mark.parametrize("shift", [-2, 0, 3])
def test_fixed_point_multiply_is_a_rounded_product(shift):
    data = random_values(20, dtype="int32", low=-1000, high=1000)
    multiplier = 1431658825
    expected = by_element(
        lambda x: math.floor(x * multiplier * 2.0**shift / 2**31 + 0.5), "int32", data
    )
    found = evaluated("fixed_point_multiply", data, multiplier=multiplier, shift=shift)
    assert_same(found, expected)


@pytest.mark.parametrize("shifted", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("axes", [(1,), (0, 2), (2, 0)])
@reference("formula", "fixed_point_multiply_per_axis")
def test_fixed_point_multiply_per_axis_has_a_multiplier_for_each_place(axes, shifted):
    data = random_values(2, 3, 4, dtype="int32", low=-1000, high=1000)
    sizes = tuple(data.shape[axis] for axis in axes)
    multiplier = random_values(*sizes, dtype="int32", low=2**30, high=2**31 - 1)
    left = random_values(*sizes, dtype="int32", seed=8, low=0, high=4)
    right = random_values(*sizes, dtype="int32", seed=9, low=0, high=4)
    found = evaluated(
        "fixed_point_multiply_per_axis",
        data,
        multiplier,
        left,
        right,
        is_lshift_required=shifted[0],
        is_rshift_required=shifted[1],
        axes=axes,
    )
    expected = np.empty_like(data)
    for index in np.ndindex(data.shape):
        place = tuple(index[axis] for axis in axes)
        scale = 2.0 ** (shifted[0] * left[place] - shifted[1] * right[place])
        exact = data[index] * float(multiplier[place]) * scale / 2**31
        expected[index] = math.floor(exact + 0.5)
    assert_same(found, expected)


def test_fixed_point_multiply_per_axis_refuses_multipliers_of_another_size():
    with pytest.raises(TypeInferenceError, match=r"must have the sizes \(3,\) of the axes"):
        rule_of("fixed_point_multiply_per_axis", "int32 2 3", "int32 2", "int32 3", "int32 3")


def rule_of(name, *texts):
    """Return what the rule of a per-axis operator makes of types written ``dtype sizes``."""
    types = [TensorType(tuple(map(int, t.split()[1:])), t.split()[0]) for t in texts]
    return rule.get(get_op(name))(make_attrs(get_op(name), {"axes": (1,)}), *types)


TORCH = {
    "abs": "abs",
    "acos": "acos",
    "acosh": "acosh",
    "asin": "asin",
    "asinh": "asinh",
    "atan": "atan",
    "atanh": "atanh",
    "ceil": "ceil",
    "cos": "cos",
    "cosh": "cosh",
    "erf": "erf",
    "exp": "exp",
    "floor": "floor",
    "isfinite": "isfinite",
    "isinf": "isinf",
    "isnan": "isnan",
    "log": "log",
    "log10": "log10",
    "log2": "log2",
    "negative": "neg",
    "rsqrt": "rsqrt",
    "sigmoid": "sigmoid",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "tan": "tan",
    "tanh": "tanh",
    "trunc": "trunc",
}
SPECIAL = np.array([0.0, -0.0, 1, -1, 0.5, -2.5, 30, -30, 1e-30, np.inf, -np.inf, np.nan])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@each("name", sorted(TORCH))
@reference("torch", *TORCH)
def test_function_agrees_with_torch_also_where_it_is_not_finite(name, dtype):
    torch = pytest.importorskip("torch")
    data = np.concatenate([SPECIAL, np.linspace(-3, 3, 24)]).astype(dtype)
    expected = getattr(torch, TORCH[name])(torch.from_numpy(data.copy())).numpy()
    found = evaluated(name, data)
    assert found.dtype == expected.dtype
    tolerance = {"float16": 2e-3, "float32": 1e-5, "float64": 1e-13}[dtype]
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=1e-37)


@pytest.mark.parametrize("name", ["exp", "abs", "clip", "cast", "isnan", "cast_like"])
def test_type_of_what_is_no_tensor_is_refused(name):
    values = {"a_min": 0, "a_max": 1} if name == "clip" else {"dtype": "int8"}
    attrs = make_attrs(get_op(name), values if name in ("clip", "cast") else {})
    scalar = TensorType((), "float32")
    types = (TupleType((scalar,)), scalar)[: num_inputs.get(get_op(name))]
    with pytest.raises(TypeInferenceError, match="must be a tensor; found"):
        rule.get(get_op(name))(attrs, *types)


def test_clip_between_bounds_that_are_no_numbers_has_no_value():
    with pytest.raises(EvaluationError, match="cannot be clipped between nan"):
        evaluated("clip", np.int32(1), a_min=math.nan, a_max=1.0)


def test_every_evaluated_operator_of_the_family_has_a_reference():
    family = set[str]()
    for module in ("elementwise", "casting", "fixed_point"):
        family |= evaluated_in(f"relayish.op.tensor.{module}")
    assert family <= REFERENCES.keys()
    assert len(family) > 40
