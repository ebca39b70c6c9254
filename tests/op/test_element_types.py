"""Every element type that numpy and ml_dtypes can hold, through every operator on elements."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.ir.relay.type import TensorType
from relayish.ir.values.dtype import numpy_dtype
from relayish.op import get_op, make_attrs
from relayish.op.declaration.properties import evaluate, rule
from tests.support.checking import evaluated
from tests.support.each import each

NARROW = ("int4", "uint4")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
WHOLE = (*SIGNED, *UNSIGNED, *NARROW)
FLOATS = ("float16", "float32", "float64", "bfloat16", "float8_e4m3fn", "float8_e5m2")
EVERY = ("bool", *WHOLE, *FLOATS)

OF_FLOATS = {
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "sqrt": math.sqrt,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "asinh": math.asinh,
    "erf": math.erf,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "fast_exp": math.exp,
    "fast_tanh": math.tanh,
    "fast_erf": math.erf,
}
OF_NUMBERS = {
    "abs": abs,
    "sign": lambda x: (x > 0) - (x < 0),
    "ceil": math.ceil,
    "floor": math.floor,
    "trunc": math.trunc,
    "round": lambda x: math.floor(x + 0.5),
    "copy": lambda x: x,
    "zeros_like": lambda _: 0,
    "ones_like": lambda _: 1,
}
OF_TWO = {
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "floor_divide": lambda a, b: a // b,
    "trunc_divide": lambda a, b: math.trunc(a / b),
    "mod": math.fmod,
    "floor_mod": lambda a, b: a % b,
    "trunc_mod": math.fmod,
    "maximum": max,
    "minimum": min,
    "power": lambda a, b: a**b,
}
OF_BITS = {
    "bitwise_and": lambda a, b: a & b,
    "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b,
    "left_shift": lambda a, b: a << b,
    "right_shift": lambda a, b: a >> b,
}
OF_TRUTH = {
    "logical_and": lambda a, b: bool(a) and bool(b),
    "logical_or": lambda a, b: bool(a) or bool(b),
    "logical_xor": lambda a, b: bool(a) != bool(b),
}
COMPARISONS = {
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
}


def tensor(values, dtype):
    return np.array(values, np.float64).astype(numpy_dtype(dtype))


def agrees(found, expected, dtype):
    """The elements are of the type and as near to the expected numbers as it allows."""
    assert found.dtype == numpy_dtype(dtype)
    wide = np.asarray(found, np.float64)
    expected = np.array(expected, np.float64)
    if dtype not in FLOATS:
        assert np.array_equal(wide, np.trunc(expected)), (wide, expected)
        return
    kind = ml_dtypes.finfo(numpy_dtype(dtype))
    np.testing.assert_allclose(
        wide, expected, rtol=2 * float(kind.eps), atol=float(kind.smallest_subnormal)
    )


@each("dtype", FLOATS)
@each("name", sorted(OF_FLOATS))
def test_function_of_floats_is_rounded_once(name, dtype):
    data = tensor([0.25, 0.5, 0.75, 1], dtype)
    expected = [OF_FLOATS[name](x) for x in data.astype(float).tolist()]
    agrees(evaluated(name, data), expected, dtype)
    agrees(evaluated(name, data[2]), expected[2], dtype)


@each("dtype", ["bool", *WHOLE])
@each("name", sorted(OF_FLOATS))
def test_function_of_floats_refuses_every_integer(name, dtype):
    with pytest.raises(EvaluationError, match=f"{name} of {dtype} is not defined"):
        evaluated(name, tensor([1, 0], dtype))


@each("dtype", EVERY)
@each("name", sorted(OF_NUMBERS))
def test_function_of_numbers_keeps_every_type(name, dtype):
    data = tensor([0, 1, 2.5, 3], dtype)
    expected = [OF_NUMBERS[name](x) for x in data.astype(float).tolist()]
    agrees(evaluated(name, data), expected, dtype)
    agrees(evaluated(name, data[1]), expected[1], dtype)


@pytest.mark.parametrize("dtype", [*WHOLE, *FLOATS])
def test_negative_keeps_every_type_of_numbers(dtype):
    data = tensor([0, 1, 3], dtype)
    found = evaluated("negative", data)
    assert found.dtype == data.dtype
    assert not np.any(np.asarray(found + data, np.float64))


@each("dtype", EVERY)
@each("name", ["isnan", "isinf", "isfinite"])
def test_predicate_is_asked_of_every_type(name, dtype):
    data = tensor([0, 1], dtype)
    found = evaluated(name, data)
    assert found.dtype == bool
    assert found.tolist() == [name == "isfinite"] * 2
    if dtype in ("float8_e5m2", *FLOATS[:4]):
        special = tensor([math.nan, math.inf], dtype)
        expected = {"isnan": [True, False], "isinf": [False, True], "isfinite": [False, False]}
        assert evaluated(name, special).tolist() == expected[name]


@each("dtype", [*WHOLE, *FLOATS])
@each("name", sorted(OF_TWO))
def test_arithmetic_keeps_every_type_of_numbers(name, dtype):
    lhs, rhs = tensor([1, 2, 3, 3], dtype), tensor([1, 1, 2, 1], dtype)
    if name in ("power", "multiply") and dtype == "int4":
        lhs = tensor([1, 2, 2, 2], dtype)  # 9 is beyond it
    pairs = zip(lhs.astype(float).tolist(), rhs.astype(float).tolist(), strict=True)
    expected = [OF_TWO[name](a, b) for a, b in pairs]
    agrees(evaluated(name, lhs, rhs), expected, dtype)
    agrees(evaluated(name, lhs[2], rhs[2]), expected[2], dtype)


@each("dtype", WHOLE)
@each("name", sorted(OF_BITS))
def test_bits_of_every_integer(name, dtype):
    lhs, rhs = [0, 1, 3, 2], [1, 1, 1, 0]
    expected = [OF_BITS[name](a, b) for a, b in zip(lhs, rhs, strict=True)]
    agrees(evaluated(name, tensor(lhs, dtype), tensor(rhs, dtype)), expected, dtype)


@each("dtype", EVERY)
@each("name", sorted(OF_TRUTH))
def test_logic_keeps_every_type(name, dtype):
    lhs, rhs = [0, 0, 1, 3], [0, 1, 0, 2]
    expected = [OF_TRUTH[name](a, b) for a, b in zip(lhs, rhs, strict=True)]
    agrees(evaluated(name, tensor(lhs, dtype), tensor(rhs, dtype)), expected, dtype)
    agrees(evaluated("logical_not", tensor(rhs, dtype)), [not b for b in rhs], dtype)


@each("dtype", EVERY)
@each("name", sorted(COMPARISONS))
def test_comparison_of_every_type_is_boolean(name, dtype):
    lhs, rhs = tensor([0, 1, 1], dtype), tensor([1, 1, 0], dtype)
    expected = [COMPARISONS[name](a, b) for a, b in ((0, 1), (1, 1), (1, 0))]
    found = evaluated(name, lhs, rhs)
    assert found.dtype == bool
    assert found.tolist() == expected


@pytest.mark.parametrize("dtype", [*WHOLE, *FLOATS])
def test_reduction_keeps_every_type_of_numbers(dtype):
    data = tensor([[1, 2], [3, 2]], dtype)
    columns = {"sum": [4, 4], "prod": [3, 4], "max": [3, 2], "min": [1, 2], "mean": [2, 2]}
    for name, expected in columns.items():
        agrees(evaluated(name, data, axis=(0,)), expected, dtype)
    for name in ("all", "any"):
        agrees(evaluated(name, data, axis=(0,)), [1, 1], dtype)
    mean = tensor([[2, 2]], dtype)
    if dtype not in (*UNSIGNED, "uint4"):  # where what is below the mean wraps around
        agrees(evaluated("variance", data, mean, axis=(0,)), [1, 0], dtype)
    agrees(evaluated("cumsum", data, axis=0), [[1, 2], [4, 4]], dtype)
    agrees(evaluated("cumprod", data, axis=1), [[1, 2], [3, 6]], dtype)
    assert evaluated("argmax", data, axis=(0,)).tolist() == [1, 0]
    assert evaluated("argmin", data, axis=(0,)).dtype == np.int32


@pytest.mark.parametrize(
    ("name", "inputs"),
    [("subtract", 2), ("negative", 1), ("mean", 1), ("variance", 2)],
)
def test_booleans_are_no_numbers(name, inputs):
    flags = np.array([True, False])
    with pytest.raises(EvaluationError, match=f"{name} of bool"):
        evaluated(name, *[flags] * inputs)


@pytest.mark.parametrize("dtype", FLOATS)
def test_floats_have_no_bits_to_combine(dtype):
    data = tensor([1, 2], dtype)
    for name in OF_BITS:
        with pytest.raises(EvaluationError, match=f"{name} of {dtype} and {dtype} is not defined"):
            evaluated(name, data, data)
    with pytest.raises(EvaluationError, match=f"bitwise_not of {dtype} is not defined"):
        evaluated("bitwise_not", data)


@pytest.mark.parametrize("dtype", ["bool", *WHOLE, *FLOATS])
def test_clip_keeps_every_type(dtype):
    data = tensor([0, 1, 3], dtype)
    expected = [min(max(x, 1), 2) for x in data.astype(float).tolist()]
    agrees(evaluated("clip", data, a_min=1, a_max=2), expected, dtype)


@each("target", EVERY)
@each("source", EVERY)
def test_cast_between_every_two_types(source, target):
    data = tensor([0, 1, 3], source)
    expected = data.astype(float)
    found = evaluated("cast", data, dtype=target)
    agrees(found, expected.astype(bool) if target == "bool" else expected, target)
    like = evaluated("cast_like", data, tensor([0], target))
    assert like.dtype == found.dtype
    assert np.array_equal(like, found)


@pytest.mark.parametrize(
    ("relay", "other"), [("e4m3_float8", "float8_e4m3fn"), ("e5m2_float8", "float8_e5m2")]
)
def test_cast_knows_relays_names_of_the_narrowest_floats(relay, other):
    cast, attrs = get_op("cast"), make_attrs(get_op("cast"), {"dtype": relay})
    assert evaluate.get(cast)(attrs, np.float32([0.5, 2])).dtype == numpy_dtype(other)
    assert rule.get(cast)(attrs, TensorType((2,))).dtype == relay


@each("target", ["bool", *WHOLE])
@each("source", FLOATS)
def test_cast_of_what_is_no_number_does_not_warn(source, target):
    special = np.array([math.nan, 1e30, -1e30]).astype(numpy_dtype("float32"))
    cast, attrs = get_op("cast"), make_attrs(get_op("cast"), {"dtype": target})
    with np.errstate(all="ignore"):
        data = special.astype(numpy_dtype(source))
    for value in (data, data[0]):  # warnings are errors here, and none is silenced
        assert evaluate.get(cast)(attrs, value).dtype == numpy_dtype(target)


@pytest.mark.parametrize("dtype", EVERY)
def test_tensors_are_made_of_every_type(dtype):
    agrees(evaluated("full", np.float32(1), shape=(2,), dtype=dtype), [1, 1], dtype)
    agrees(evaluated("full", tensor(1, dtype), shape=(2,)), [1, 1], dtype)
    agrees(evaluated("full_like", tensor([0, 0], dtype), np.float32(1)), [1, 1], dtype)
    agrees(evaluated("ones", shape=(), dtype=dtype), 1, dtype)
    agrees(evaluated("zeros", shape=(2,), dtype=dtype), [0, 0], dtype)


@pytest.mark.parametrize("dtype", [*SIGNED, *UNSIGNED])
def test_integers_of_every_width_wrap_around(dtype):
    limits = np.iinfo(dtype)
    one, most = np.dtype(dtype).type(1), np.dtype(dtype).type(limits.max)
    assert evaluated("add", most, one) == limits.min
    assert evaluated("subtract", evaluated("add", most, one), one) == limits.max
    assert evaluated("sum", np.array([most, one])) == limits.min
    assert evaluated("multiply", most, most) == 1
