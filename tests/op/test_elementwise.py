from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from tests.support.checking import (
    assert_same,
    by_element,
    evaluated,
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


@pytest.mark.parametrize("name", ["exp", "sqrt", "sigmoid", "negative", "abs", "round"])
def test_function_works_on_bfloat16(name):
    data = np.array([0.5, 1, 2], ml_dtypes.bfloat16)
    wide = evaluated(name, data.astype(np.float32))
    assert_same(evaluated(name, data), wide.astype(ml_dtypes.bfloat16))


@reference("formula", "clip")
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "float16", "float32"])
def test_clip_keeps_values_between_the_bounds(dtype):
    data = random_values(4, 5, dtype=dtype, low=0, high=9)
    expected = by_element(lambda x: min(max(x, 2), 6), dtype, data)
    assert_same(evaluated("clip", data, a_min=2.0, a_max=6.0), expected)


@reference("formula", "cast")
@each("source", ["bool", "int8", "uint8", "int64", "float16", "float32"])
@pytest.mark.parametrize("target", ["bool", "int32", "float32", "float64", "bfloat16"])
def test_cast_gives_the_type_asked_for(source, target):
    data = random_values(2, 3, dtype=source, low=0)
    truth = {"bool": bool, "int32": int}.get(target, float)
    values = np.array([truth(x) for x in data.ravel().tolist()]).reshape(2, 3)
    kind = ml_dtypes.bfloat16 if target == "bfloat16" else target
    assert_same(evaluated("cast", data, dtype=target), values.astype(kind))


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
