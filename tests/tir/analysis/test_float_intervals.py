"""Intervals of floats: sound with NaN, infinities and rounding."""

from __future__ import annotations

import itertools
import math
import random

import numpy as np
import pytest

from relayish import tir
from relayish.errors import OperatorError
from relayish.tir.analysis import (
    Context,
    FloatInterval,
    Interval,
    assume,
    can_prove,
    float_interval_of,
    interval_of,
)
from tests.support.each import each
from tests.support.seeds import seeds

SPECIAL = (0.0, -0.0, 1.0, -1.5, 3e38, -3e38, 1e-40, math.inf, -math.inf, math.nan, 16777217.0)


def of(value, dtype="float32"):
    return tir.FloatImm(value, dtype)


@each("kind", (tir.Add, tir.Sub, tir.Mul, tir.Div, tir.Min, tir.Max))
def test_value_of_constants_lies_in_the_interval(kind):
    for a, b in itertools.product(SPECIAL, repeat=2):
        expr = kind(of(a), of(b))
        value = float(tir.evaluate(expr, {}))
        found = float_interval_of(expr)
        assert found.nan if math.isnan(value) else found.low <= value <= found.high


@each("dtype", ("float16", "bfloat16", "float32", "float64"))
def test_converted_integer_lies_in_the_interval(dtype):
    for seed in seeds(120):
        rng = random.Random(f"{dtype} {seed}")
        low = rng.randint(-(2**62), 2**62) >> rng.randint(0, 60)
        high = low + rng.randint(0, 2**40) >> rng.randint(0, 40)
        x = tir.Var("x", "int64")
        low, high = min(low, high), max(low, high)
        known = Context().with_range(x, Interval(low, high))
        found = float_interval_of(tir.Cast(dtype, x), known)
        for value in (low, high, (low + high) // 2):
            made = float(tir.evaluate(tir.Cast(dtype, x), {x: value}))
            assert found.low <= made <= found.high


def test_unknown_float_may_be_anything():
    assert float_interval_of(tir.Var("x", "float32")) == FloatInterval()


def test_difference_of_infinities_may_be_a_nan():
    x = tir.Var("x", "float32")
    assert float_interval_of(x - x).nan


def test_maximum_with_a_number_on_the_right_is_a_number():
    x = tir.Var("x", "float32")
    found = float_interval_of(tir.Max(x, of(0.0)))
    assert (found.low, found.nan) == (0.0, False)


def test_maximum_with_a_number_on_the_left_may_be_a_nan():
    x = tir.Var("x", "float32")
    assert float_interval_of(tir.Max(of(0.0), x)).nan


def test_negated_comparison_of_floats_is_not_the_opposite_one():
    x = tir.Var("x", "float32")
    known = assume(Context(), x < 1.0, holds=False)
    assert can_prove(x >= 1.0, known) is None


def test_float_converted_to_an_integer_is_truncated():
    x = tir.Var("x", "int32")
    known = Context().with_range(x, Interval(-7, 9))
    expr = tir.Cast("int32", tir.Cast("float32", x) * 0.5)
    assert interval_of(expr, known) == Interval(-3, 4)


def test_interval_of_a_float_is_refused_and_says_what_to_ask():
    with pytest.raises(OperatorError, match="float_interval_of"):
        interval_of(tir.Var("x", "float32"))
    with pytest.raises(OperatorError, match="expected floats"):
        float_interval_of(tir.Var("x"))
    with pytest.raises(OperatorError, match="expected a number"):
        float_interval_of(tir.StringImm("x"))


def test_rounding_is_that_of_the_type():
    expr = tir.Add(of(16777216.0), of(1.0))
    assert float_interval_of(expr) == FloatInterval(16777216.0, 16777216.0, nan=False)
    assert np.float32(16777216.0) + np.float32(1.0) == np.float32(16777216.0)
