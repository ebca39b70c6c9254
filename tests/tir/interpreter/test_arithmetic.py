"""Values of expressions: integers as C computes them, floats as IEEE does."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from relayish import tir
from relayish.errors import DivisionByZeroError, InexactError, TypeConfusionError

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = (
    "float16",
    "float32",
    "float64",
    "bfloat16",
    "float8_e4m3fn",
    "float8_e5m2",
)


def binary(kind, dtype, a, b):
    x, y = tir.Var("x", dtype), tir.Var("y", dtype)
    return tir.evaluate(kind(x, y), {x: a, y: b})


def low_bits(value, dtype):
    info = np.iinfo(dtype)
    return (value - info.min) % (info.max - info.min + 1) + info.min


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return -quotient if (a < 0) != (b < 0) else quotient


@pytest.mark.parametrize("dtype", INTEGERS)
class TestIntegers:
    def points(self, dtype):
        info = np.iinfo(dtype)
        return sorted(
            {
                int(info.min),
                int(info.min) + 1,
                *([-7, -1] if info.min else []),
                0,
                1,
                2,
                7,
                int(info.max),
            }
        )

    @pytest.mark.parametrize(
        ("kind", "exact"),
        [
            (tir.Add, lambda a, b: a + b),
            (tir.Sub, lambda a, b: a - b),
            (tir.Mul, lambda a, b: a * b),
            (tir.Min, min),
            (tir.Max, max),
        ],
    )
    def test_arithmetic_wraps_around(self, dtype, kind, exact):
        for a in self.points(dtype):
            for b in self.points(dtype):
                found = binary(kind, dtype, a, b)
                assert found == low_bits(exact(a, b), dtype)
                assert found.dtype == dtype

    def test_division_rounds_towards_zero(self, dtype):
        for a in self.points(dtype):
            for b in set(self.points(dtype)) - {0}:
                assert binary(tir.Div, dtype, a, b) == low_bits(truncated(a, b), dtype)

    def test_remainder_has_the_sign_of_the_dividend(self, dtype):
        for a in self.points(dtype):
            for b in set(self.points(dtype)) - {0}:
                assert binary(tir.Mod, dtype, a, b) == a - b * truncated(a, b)

    @pytest.mark.parametrize("kind", [tir.Div, tir.Mod, tir.FracOp])
    def test_division_by_zero_is_an_error(self, dtype, kind):
        with pytest.raises(DivisionByZeroError, match="zero"):
            binary(kind, dtype, 1, 0)

    def test_fraction_is_the_exact_quotient(self, dtype):
        assert binary(tir.FracOp, dtype, 42, 7) == 6

    def test_fraction_with_a_remainder_is_an_error(self, dtype):
        with pytest.raises(InexactError, match="43 is no multiple of 7"):
            binary(tir.FracOp, dtype, 43, 7)

    def test_minus_wraps_around(self, dtype):
        x = tir.Var("x", dtype)
        for a in self.points(dtype):
            assert tir.evaluate(-x, {x: a}) == low_bits(-a, dtype)

    @pytest.mark.parametrize(
        ("kind", "exact"),
        [
            (tir.EQ, lambda a, b: a == b),
            (tir.NE, lambda a, b: a != b),
            (tir.LT, lambda a, b: a < b),
            (tir.LE, lambda a, b: a <= b),
            (tir.GT, lambda a, b: a > b),
            (tir.GE, lambda a, b: a >= b),
        ],
    )
    def test_comparison_is_of_values(self, dtype, kind, exact):
        for a in self.points(dtype):
            for b in self.points(dtype):
                assert binary(kind, dtype, a, b) == np.bool_(exact(a, b))

    @pytest.mark.parametrize("target", INTEGERS)
    def test_cast_keeps_the_low_bits(self, dtype, target):
        x = tir.Var("x", dtype)
        for a in self.points(dtype):
            assert tir.evaluate(tir.Cast(target, x), {x: a}) == low_bits(a, target)

    @pytest.mark.parametrize("target", FLOATS[:3])
    def test_cast_to_a_float_rounds_once(self, dtype, target):
        x = tir.Var("x", dtype)
        for a in [*self.points(dtype), int(np.iinfo(dtype).max) - 1]:
            found = tir.evaluate(tir.Cast(target, x), {x: a})
            with np.errstate(over="ignore"):
                assert found == np.dtype(dtype).type(a).astype(target)

    def test_sum_and_product_fold_from_left_to_right(self, dtype):
        x = tir.Var("x", dtype)
        top = int(np.iinfo(dtype).max)
        assert tir.evaluate(tir.Sum((x, x, x)), {x: top}) == low_bits(3 * top, dtype)
        assert tir.evaluate(tir.Product((x, x, x)), {x: top}) == low_bits(top**3, dtype)


@pytest.mark.parametrize("dtype", FLOATS)
class TestFloats:
    def test_arithmetic_rounds_to_the_type(self, dtype):
        number = np.dtype(tir.as_type(dtype).numpy).type
        for kind, compute in ((tir.Add, np.add), (tir.Sub, np.subtract), (tir.Mul, np.multiply)):
            a, b = number(1.375), number(0.4375)
            found = binary(kind, dtype, a, b)
            assert found == number(compute(np.float64(a), np.float64(b)))
            assert found.dtype == number

    def test_minimum_with_a_nan_is_the_second(self, dtype):
        assert binary(tir.Min, dtype, math.nan, 1.0) == 1.0
        assert np.isnan(np.float64(binary(tir.Min, dtype, 1.0, math.nan)))
        assert binary(tir.Max, dtype, math.nan, 1.0) == 1.0
        assert np.isnan(np.float64(binary(tir.Max, dtype, 1.0, math.nan)))

    def test_not_equal_holds_for_a_nan(self, dtype):
        assert binary(tir.NE, dtype, math.nan, math.nan)
        for kind in (tir.EQ, tir.LT, tir.LE, tir.GT, tir.GE):
            assert not binary(kind, dtype, math.nan, 1.0)

    def test_cast_to_an_integer_rounds_towards_zero(self, dtype):
        x = tir.Var("x", dtype)
        assert tir.evaluate(tir.Cast("int32", x), {x: -1.75}) == -1

    def test_cast_of_a_nan_to_an_integer_is_an_error(self, dtype):
        x = tir.Var("x", dtype)
        with pytest.raises(InexactError, match="nan is out of range of int32"):
            tir.evaluate(tir.Cast("int32", x), {x: math.nan})

    def test_cast_of_a_nan_to_bool_is_true(self, dtype):
        x = tir.Var("x", dtype)
        assert tir.evaluate(tir.Cast("bool", x), {x: math.nan})
        assert not tir.evaluate(tir.Cast("bool", x), {x: 0.0})

    def test_minus_changes_the_sign_of_zero(self, dtype):
        x = tir.Var("x", dtype)
        assert math.copysign(1, float(tir.evaluate(-x, {x: 0.0}))) == -1


def test_minimum_of_zeros_is_the_second():
    assert math.copysign(1, binary(tir.Min, "float32", 0.0, -0.0)) == -1
    assert math.copysign(1, binary(tir.Min, "float32", -0.0, 0.0)) == 1


def test_division_of_floats_by_zero_is_infinite():
    assert binary(tir.Div, "float32", 1.0, 0.0) == math.inf
    assert np.isnan(binary(tir.Div, "float64", 0.0, 0.0))


def test_remainder_of_floats_is_that_of_c():
    assert binary(tir.Mod, "float32", -7.5, 2.0) == -1.5
    assert np.isnan(binary(tir.Mod, "float32", 1.0, 0.0))


@pytest.mark.parametrize("number", [128.0, -129.0, math.inf, 1e30])
def test_cast_out_of_range_is_an_error(number):
    x = tir.Var("x", "float64")
    with pytest.raises(InexactError, match="out of range of int8, which is -128 to 127"):
        tir.evaluate(tir.Cast("int8", x), {x: number})


def test_cast_to_the_widest_integer_knows_its_end():
    x = tir.Var("x", "float64")
    assert tir.evaluate(tir.Cast("int64", x), {x: -(2.0**63)}) == -(2**63)
    with pytest.raises(InexactError):
        tir.evaluate(tir.Cast("int64", x), {x: 2.0**63})


@pytest.mark.parametrize("above", [True, False])
def test_cast_from_double_to_bfloat16_rounds_once(above):
    # between 1 and the next number, 1 + 2**-7; single precision would hide what decides
    x = tir.Var("x", "float64")
    value = 1 + 2.0**-8 + (2.0**-40 if above else 0)
    expected = 1 + 2.0**-7 if above else 1.0
    assert float(tir.evaluate(tir.Cast("bfloat16", x), {x: value})) == expected


def test_cast_from_a_wide_integer_to_bfloat16_rounds_once():
    x = tir.Var("x", "int64")
    value = 2**40 + 2**32 + 1  # just above the middle of two numbers
    found = tir.evaluate(tir.Cast("bfloat16", x), {x: value})
    assert float(found) == 2.0**40 + 2.0**33
    assert found.dtype == ml_dtypes.bfloat16


def test_truth_values_combine():
    x, y = tir.Var("x", "bool"), tir.Var("y", "bool")
    for a in (False, True):
        for b in (False, True):
            assert tir.evaluate(x & y, {x: a, y: b}) == (a and b)
            assert tir.evaluate(x | y, {x: a, y: b}) == (a or b)
        assert tir.evaluate(~x, {x: a}) == (not a)


def test_shared_subexpressions_are_computed_once():
    x = tir.Var("x", "uint64")
    expr = x
    for _ in range(100):
        expr = expr + expr
    assert tir.evaluate(expr, {x: 3}) == 0  # 3 * 2**100


class TestVectors:
    @pytest.mark.parametrize(
        "kind", [tir.Add, tir.Sub, tir.Mul, tir.Div, tir.Mod, tir.Min, tir.Max]
    )
    def test_arithmetic_is_that_of_each_lane(self, kind):
        a, b = tir.Ramp(tir.const(-7), tir.const(5), 4), tir.Ramp(tir.const(3), tir.const(-8), 4)
        lanes = [binary(kind, "int32", -7 + 5 * k, 3 - 8 * k) for k in range(4)]
        assert tir.evaluate(kind(a, b)).tolist() == lanes

    def test_lane_that_is_divided_by_zero_is_an_error(self):
        a = tir.Ramp(tir.const(0), tir.const(1), 4)
        with pytest.raises(DivisionByZeroError, match="lane"):
            tir.evaluate(tir.Div(a, a))

    def test_vectors_of_other_lengths_are_refused(self):
        a, b = tir.Ramp(tir.const(0), tir.const(1), 4), tir.Ramp(tir.const(0), tir.const(1), 2)
        with pytest.raises(TypeConfusionError, match="int32<4> and int32<2>"):
            tir.evaluate(tir.Add(a, b))
