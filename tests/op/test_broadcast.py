from __future__ import annotations

import math

import numpy as np
import pytest

from relayish.op import get_op
from relayish.op.declaration.properties import commutative
from tests.support.checking import (
    assert_same,
    by_element,
    evaluated,
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


@reference("formula", *COMPARISONS)
@each("shapes", PAIRS)
@each("dtype", ["bool", "int32", "float32"])
@each("name", sorted(COMPARISONS))
def test_comparison_is_boolean(name, dtype, shapes):
    lhs, rhs = operands(shapes, dtype, low=0)
    assert_same(evaluated(name, lhs, rhs), by_element(COMPARISONS[name], "bool", lhs, rhs))


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
