from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.relay.type import Any as AnyDimension
from relayish.ir.relay.type import SizeVar, TensorType
from relayish.op import get_op
from relayish.op.declaration.properties import commutative, rule
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

ARITHMETIC = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "maximum": max,
    "minimum": min,
}
DIVISIONS = {
    "divide": lambda a, b: a / b,
    "floor_divide": lambda a, b: math.floor(a / b),
    "trunc_divide": lambda a, b: math.trunc(a / b),
    "mod": math.fmod,
    "floor_mod": lambda a, b: a - math.floor(a / b) * b,
    "trunc_mod": lambda a, b: a - math.trunc(a / b) * b,
}
BITS = {
    "bitwise_and": lambda a, b: a & b,
    "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b,
}
LOGIC = {
    "logical_and": lambda a, b: a and b,
    "logical_or": lambda a, b: a or b,
    "logical_xor": lambda a, b: a != b,
}
COMPARISONS = {
    "equal": lambda a, b: a == b,
    "not_equal": lambda a, b: a != b,
    "less": lambda a, b: a < b,
    "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b,
    "greater_equal": lambda a, b: a >= b,
}
PAIRS = [((), ()), ((3,), ()), ((2, 3), (3,)), ((2, 1), (1, 3)), ((0, 3), (1, 3)), ((2,), (1, 2))]


def operands(shapes, dtype, low=-4):
    lhs = random_values(*shapes[0], dtype=dtype, low=low)
    return lhs, random_values(*shapes[1], dtype=dtype, seed=8, low=low)


@reference("formula", *ARITHMETIC)
@each("shapes", PAIRS)
@each("dtype", ["int8", "int32", "int64", "float16", "float32", "float64"])
@each("name", sorted(ARITHMETIC))
def test_arithmetic_broadcasts_and_keeps_the_type(name, dtype, shapes):
    lhs, rhs = operands(shapes, dtype)
    assert_same(evaluated(name, lhs, rhs), by_element(ARITHMETIC[name], dtype, lhs, rhs))


@reference("formula", *DIVISIONS)
@pytest.mark.parametrize("shapes", PAIRS)
@each("name", sorted(DIVISIONS))
def test_division_of_floats(name, shapes):
    lhs, rhs = operands(shapes, "float64")
    expected = by_element(DIVISIONS[name], "float64", lhs, rhs)
    assert_same(evaluated(name, lhs, rhs), expected)


@each("dtype", ["int8", "int32", "int64"])
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("divide", lambda a, b: math.trunc(a / b)),
        ("trunc_divide", lambda a, b: math.trunc(a / b)),
        ("floor_divide", lambda a, b: a // b),
        ("mod", math.fmod),
        ("trunc_mod", math.fmod),
        ("floor_mod", lambda a, b: a % b),
    ],
)
def test_division_of_integers(name, function, dtype):
    lhs = np.arange(-9, 10, dtype=dtype)[:, None]
    rhs = np.array([-5, -3, -2, -1, 1, 2, 3, 7], dtype)
    found = evaluated(name, lhs, rhs)
    assert_same(found, by_element(function, dtype, lhs, rhs))
    for scalar in (np.dtype(dtype).type(-7), np.dtype(dtype).type(7)):
        expected = by_element(function, dtype, scalar, rhs[2])[()]
        assert_same(evaluated(name, scalar, rhs[2]), expected)


@pytest.mark.parametrize("name", ["divide", "floor_divide"])
def test_division_of_unsigned_integers(name):
    lhs, rhs = np.array([200, 255, 3], np.uint8), np.array([7, 2, 200], np.uint8)
    assert_same(evaluated(name, lhs, rhs), np.array([28, 127, 0], np.uint8))


@pytest.mark.parametrize("name", sorted(DIVISIONS))
def test_division_of_integers_by_zero_has_no_value(name):
    with pytest.raises(EvaluationError, match="divided by zero"):
        evaluated(name, np.int32(1), np.int32(0))
    with pytest.raises(EvaluationError, match="divided by zero"):
        evaluated(name, np.int32(1), np.array([1, 0], np.int32))


def test_division_of_floats_by_zero_is_infinite_or_nan():
    data = np.array([1, -1, 0], np.float32)
    found = evaluated("divide", data, np.float32(0))
    assert_same(found, np.array([np.inf, -np.inf, np.nan], np.float32))


@reference("formula", *BITS)
@pytest.mark.parametrize("name", sorted(BITS))
@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64"])
def test_bitwise_operators(name, dtype):
    lhs, rhs = operands(((4, 1), (5,)), dtype, low=0)
    assert_same(evaluated(name, lhs, rhs), by_element(BITS[name], dtype, lhs, rhs))


@reference("formula", *LOGIC)
@pytest.mark.parametrize("name", sorted(LOGIC))
def test_logical_operators(name):
    lhs, rhs = np.array([[True], [False]]), np.array([True, False])
    assert_same(evaluated(name, lhs, rhs), by_element(LOGIC[name], "bool", lhs, rhs))


@reference("formula", "left_shift", "right_shift")
def test_shifts_are_arithmetic():
    data = np.array([-8, 5], np.int32)
    assert_same(evaluated("left_shift", data, np.int32(2)), np.array([-32, 20], np.int32))
    assert_same(evaluated("right_shift", data, np.int32(1)), np.array([-4, 2], np.int32))


@reference("formula", "power")
def test_power_of_floats_and_integers():
    assert_same(evaluated("power", np.float32(2), np.float32(-2)), np.float32(0.25))
    assert_same(evaluated("power", np.int32(3), np.int32(4)), np.int32(81))
    base = np.array([2, 1, -1, -1, -2], np.int32)
    exponent = np.array([-1, -3, -3, -2, -1], np.int32)
    assert_same(evaluated("power", base, exponent), np.array([0, 1, -1, 1, 0], np.int32))
    with pytest.raises(EvaluationError, match="0 is raised to a negative power"):
        evaluated("power", np.int32(0), np.int32(-1))


@reference("formula", *COMPARISONS)
@each("shapes", PAIRS)
@each("dtype", ["bool", "int32", "float32"])
@each("name", sorted(COMPARISONS))
def test_comparison_is_boolean(name, dtype, shapes):
    lhs, rhs = operands(shapes, dtype, low=0)
    assert_same(evaluated(name, lhs, rhs), by_element(COMPARISONS[name], "bool", lhs, rhs))


def test_nan_equals_nothing():
    nan = np.float32("nan")
    assert not evaluated("equal", nan, nan)
    assert evaluated("not_equal", nan, nan)
    assert not evaluated("less_equal", nan, nan)


def test_maximum_and_minimum_pass_nan_on():
    data = np.array([1, np.nan], np.float32)
    assert np.isnan(evaluated("maximum", data, np.float32(2))[1])
    assert np.isnan(evaluated("minimum", np.float32(2), data)[1])


@pytest.mark.parametrize(
    ("name", "lhs", "rhs", "expected"),
    [
        ("add", np.int32(2**31 - 1), np.int32(1), np.int32(-(2**31))),
        ("multiply", np.int32(65536), np.int32(65536), np.int32(0)),
        ("subtract", np.uint8(1), np.uint8(2), np.uint8(255)),
        ("divide", np.int8(-128), np.int8(-1), np.int8(-128)),
    ],
)
def test_integers_wrap_around(name, lhs, rhs, expected):
    assert_same(evaluated(name, lhs, rhs), expected)


@pytest.mark.parametrize("name", ["add", "multiply", "divide", "maximum"])
def test_arithmetic_works_on_bfloat16(name):
    data = np.array([1, 2, 4], ml_dtypes.bfloat16)
    found = evaluated(name, data, ml_dtypes.bfloat16(2))
    wide = evaluated(name, data.astype(np.float32), np.float32(2))
    assert_same(found, wide.astype(ml_dtypes.bfloat16))


def test_scalars_stay_scalars():
    for name in ARITHMETIC | DIVISIONS | COMPARISONS:
        assert isinstance(evaluated(name, np.float32(3), np.float32(2)), np.generic)


@pytest.mark.parametrize("name", sorted(ARITHMETIC | DIVISIONS | BITS))
def test_operator_is_commutative_exactly_where_declared(name):
    swaps = all(
        evaluated(name, np.int32(a), np.int32(b)) == evaluated(name, np.int32(b), np.int32(a))
        for a in range(1, 6)
        for b in range(1, 6)
    )
    assert swaps == (get_op(name) in commutative)


@pytest.mark.parametrize("name", ["add", "power", "less", "equal", "logical_and"])
def test_operands_of_two_element_types_are_refused(name):
    with pytest.raises(TypeInferenceError, match="float32 and int32; they must be the same"):
        rule.get(get_op(name))(None, TensorType((1,), "float32"), TensorType((1,), "int32"))


def test_dimensions_that_are_not_known_broadcast():
    any_, n, m = AnyDimension(), SizeVar("n"), SizeVar("m")
    left, right = TensorType((any_, n, n, any_, 3)), TensorType((4, n, 1, 1, any_))
    result = rule.get(get_op("multiply"))(None, left, right).shape
    assert result[0] == 4
    assert result[1] is result[2] is n
    assert isinstance(result[3], AnyDimension)
    assert result[4] == 3
    both = rule.get(get_op("add"))(None, TensorType((n,)), TensorType((m,)))
    assert isinstance(both.shape[0], AnyDimension)


def test_every_evaluated_operator_of_the_families_has_a_reference():
    for module in ("relayish.op.tensor.broadcast", "relayish.op.tensor.comparison"):
        assert evaluated_in(module)
        assert evaluated_in(module) <= REFERENCES.keys()
