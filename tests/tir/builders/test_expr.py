"""Builders of expressions: numbers take the type of what stands beside them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from relayish import tir
from relayish.errors import FieldError, OperatorError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.tir import as_type
from tests.support.each import each

I, N = tir.var("i"), tir.var("n", "int64")  # noqa: E741
X = tir.var("x", "float32")
FLAG = tir.var("flag", "bool")
NUMERIC = [
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64"),
]
BUILDERS = {
    tir.minimum: tir.Min,
    tir.maximum: tir.Max,
    tir.equal: tir.EQ,
    tir.not_equal: tir.NE,
}


# Variables


def test_variables_are_int32_unless_it_is_said():
    assert tir.var("i").type == as_type("int32")
    assert tir.var("x", "float32<4>").type == as_type("float32<4>")


def test_axis_runs_from_0_unless_it_is_said():
    k = tir.reduce_axis("k", 20)
    assert (k.is_reduce_axis, k.lower_bound.value, k.upper_bound.value) == (True, 0, 20)
    k = tir.reduce_axis("k", 20, 4)
    assert (k.lower_bound.value, k.upper_bound.value) == (4, 20)


def test_axis_has_the_type_of_its_bounds():
    k = tir.reduce_axis("k", N)
    assert k.type == k.lower_bound.type == as_type("int64")
    assert tir.reduce_axis("k", 20, N).type == as_type("int64")


def test_axis_with_bounds_of_two_types_is_refused():
    with pytest.raises(OperatorError, match=r"axis 'k' runs from i of type int32 to n of type"):
        tir.reduce_axis("k", N, I)


# Operators and their like


@each("builder", BUILDERS)
def test_number_takes_the_type_of_the_other_operand(builder):
    for made in (builder(X, 1), builder(1, X)):
        assert isinstance(made, BUILDERS[builder])
        assert made.a.type == made.b.type == as_type("float32")
    assert builder(2, N).a.type == as_type("int64")


@each("builder", BUILDERS)
def test_operands_of_two_types_are_refused(builder):
    with pytest.raises(OperatorError, match="both must have one type"):
        builder(X, I)


@each("builder", BUILDERS)
def test_number_that_is_none_of_the_type_is_refused(builder):
    with pytest.raises(FieldError, match=r"1.5 is no value of type int32"):
        builder(I, 1.5)


def test_two_numbers_are_of_one_type():
    assert tir.minimum(1, 2).type == as_type("int32")
    assert tir.minimum(1.0, 2).b.type == as_type("float32")


def test_selection_gives_numbers_the_type_of_the_other_value():
    assert tir.select(FLAG, X, 0).false_value.type == as_type("float32")
    assert tir.select(FLAG, 0, N).true_value.type == as_type("int64")
    assert tir.select(True, 1, 2).condition.type == as_type("bool")


def test_selection_of_two_types_is_refused():
    with pytest.raises(OperatorError, match=r"selection is between x of type float32 and i of"):
        tir.select(FLAG, X, I)


def test_connectives_take_any_number_of_conditions():
    a, b, c = (I < 1), (I < 2), (I < 3)
    assert structural_equal(tir.logic_and(a, b, c), tir.And(tir.And(a, b), c))
    assert structural_equal(tir.logic_or(a, b, c), tir.Or(tir.Or(a, b), c))
    assert tir.logic_and(a) is a


@pytest.mark.parametrize("connect", [tir.logic_and, tir.logic_or])
def test_connective_of_nothing_is_refused(connect):
    with pytest.raises(OperatorError, match="is given no condition"):
        connect()


# Numbers of a type


@each("dtype", NUMERIC)
def test_zero_and_one_are_of_the_type(dtype):
    assert (tir.zero(dtype).value, tir.one(dtype).value) == (0, 1)
    assert tir.zero(dtype).type == tir.one(dtype).type == as_type(dtype)


def test_truth_values_have_zero_and_one():
    assert (tir.zero("bool").value, tir.one("bool").value) == (0, 1)


def test_vectors_of_zeros_are_broadcast():
    made = tir.zero("float32<4>")
    assert isinstance(made, tir.Broadcast)
    assert made.type == as_type("float32<4>")


@each("dtype", [dtype for dtype in NUMERIC if "int" in dtype])
def test_extremes_of_integers_are_those_of_numpy(dtype):
    limits = np.iinfo(dtype)
    assert tir.min_value(dtype).value == limits.min
    assert tir.max_value(dtype).value == limits.max
    assert tir.epsilon(dtype).value == 0


@each("dtype", ["float16", "float32", "float64"])
def test_extremes_of_floats_are_the_finite_ones_of_numpy(dtype):
    limits = np.finfo(dtype)
    assert tir.min_value(dtype).value == limits.min
    assert tir.max_value(dtype).value == limits.max
    assert tir.epsilon(dtype).value == limits.eps
    assert tir.infinity(dtype).value == math.inf


def test_extremes_of_bfloat16_are_known():
    assert tir.max_value("bfloat16").value == float.fromhex("0x1.fep+127")
    assert tir.min_value("bfloat16").value == -float.fromhex("0x1.fep+127")
    assert tir.epsilon("bfloat16").value == 2.0**-7


@pytest.mark.parametrize("limit", [tir.min_value, tir.max_value])
@pytest.mark.parametrize("dtype", ["bool", "string", "void", "float32*"])
def test_extremes_of_what_has_no_order_are_refused(limit, dtype):
    with pytest.raises(FieldError, match="have no least and no greatest"):
        limit(dtype)


def test_infinity_of_integers_is_refused():
    with pytest.raises(FieldError, match="only types of floats have an infinity; found int32"):
        tir.infinity("int32")


# Reductions


@each(
    "case",
    [
        (tir.reduce_sum, tir.ReduceType.SUM, 0.0),
        (tir.reduce_mul, tir.ReduceType.MUL, 1.0),
        (tir.reduce_max, tir.ReduceType.MAX, float(np.finfo("float32").min)),
        (tir.reduce_min, tir.ReduceType.MIN, float(np.finfo("float32").max)),
    ],
)
def test_reduction_begins_with_its_identity(case):
    reduce, kind, identity = case
    k = tir.reduce_axis("k", 4)
    made = reduce(X, [k])
    assert (made.reduce_type, made.init.value, made.reduce_axis) == (kind, identity, (k,))
    assert reduce(X, [k], 7).init.value == 7.0


def test_reductions_of_truth_values_begin_with_theirs():
    k = tir.reduce_axis("k", 4)
    assert (tir.reduce_all(FLAG, [k]).init.value, tir.reduce_any(FLAG, [k]).init.value) == (1, 0)


@pytest.mark.parametrize("reduce", [tir.reduce_sub, tir.reduce_div])
def test_differences_and_quotients_are_told_what_to_begin_with(reduce):
    with pytest.raises(TypeError, match="init"):
        reduce(X, [])
    assert reduce(X, [], 1).init.value == 1.0


@each("kind", [tir.ReduceType.SUB, tir.ReduceType.DIV])
def test_kind_without_an_identity_says_so(kind):
    with pytest.raises(FieldError, match="has no identity to begin with; give it an init"):
        tir.make_reduce(kind, X, [])


def test_all_of_numbers_has_no_identity():
    with pytest.raises(FieldError, match="reduction of float32 by all has no identity"):
        tir.reduce_all(X, [])


def test_first_value_of_another_type_is_refused():
    with pytest.raises(OperatorError, match=r"begins with i of type int32; both must have one"):
        tir.reduce_sum(X, [], I)


def test_axis_without_bounds_is_refused():
    with pytest.raises(OperatorError, match=r"axis 'i' of a reduction has no bounds; make it by"):
        tir.reduce_sum(X, [I])


@each(
    "case",
    zip(
        tir.ReduceType,
        (tir.Add, tir.Sub, tir.Mul, tir.Div, tir.Max, tir.Min, tir.And, tir.Or),
        strict=True,
    ),
)
def test_step_of_a_reduction_has_the_value_so_far_on_the_left(case):
    kind, operator = case
    made = tir.reduce_step(kind, FLAG, X)
    assert (type(made), made.a, made.b) == (operator, FLAG, X)
