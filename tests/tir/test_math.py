"""Mathematical functions: CINN's names, what it expands, and the values of both."""

from __future__ import annotations

import math as python_math

import numpy as np
import pytest

from relayish import tir
from relayish.errors import FieldError, OperatorError
from relayish.tir import as_type, math
from relayish.tir.interpreter import evaluate
from tests.support.each import each

X = tir.var("x", "float32")
Y = tir.var("y", "float32")
N, M = tir.var("n"), tir.var("m")
U = tir.var("u", "uint8")

OF_FLOATS = [
    *("exp", "erf", "sqrt", "rsqrt", "cbrt", "log", "log2", "log10", "floor", "ceil", "round"),
    *("trunc", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh"),
    *("acosh", "atanh"),
]
SCALAR_ONLY = {"erf", "asin", "acos", "atan", "asinh", "acosh", "atanh"}
OF_INTEGERS = {
    **{name: name for name in ("left_shift", "right_shift", "logical_right_shift")},
    **{name: name for name in ("bitwise_and", "bitwise_or", "bitwise_xor")},
}
REFERENCES = {
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": python_math.erf,
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
}  # fmt: skip


def value(expr, **given):
    known = {"x": X, "y": Y, "n": N, "m": M, "u": U}
    values = {known[k]: np.array(v, known[k].type.element)[()] for k, v in given.items()}
    return evaluate(expr, values)


# Calls


@each("name", OF_FLOATS)
def test_function_of_floats_is_a_call_by_its_name(name):
    call = getattr(math, name)(X)
    assert (call.name, call.call_type, call.read_args) == (name, tir.CallType.EXTERN, (X,))
    assert call.type == as_type("float32")
    assert (call.attrs is not None) == (name in SCALAR_ONLY)
    if name in SCALAR_ONLY:
        assert call.attrs["vectorizable"] is False


@each("name", OF_FLOATS)
def test_function_of_floats_has_its_value(name):
    at = 1.25 if name == "acosh" else 0.625
    reference = REFERENCES.get(name) or getattr(np, name)
    found = value(getattr(math, name)(X), x=at)
    assert found.dtype == np.float32
    assert np.allclose(found, reference(np.float32(at)), rtol=1e-6)


@each("name", OF_FLOATS)
def test_function_of_floats_refuses_integers(name):
    with pytest.raises(OperatorError, match=f"^{name} is given n of type int32; expected floats"):
        getattr(math, name)(N)


@each("name", OF_FLOATS)
def test_number_is_taken_for_a_float(name):
    assert getattr(math, name)(1).type == as_type("float32")


@each("name", OF_INTEGERS)
def test_function_of_integers_has_its_value(name):
    found = value(getattr(math, name)(N, 2), n=-37)
    word = np.int32(-37)
    expected = {
        "left_shift": word << 2, "right_shift": word >> 2,
        "logical_right_shift": (2**32 - 37) >> 2,
        "bitwise_and": word & 2, "bitwise_or": word | 2, "bitwise_xor": word ^ 2,
    }  # fmt: skip
    assert found == expected[name]


@each("name", [*OF_INTEGERS, "bitwise_not", "clz", "popc"])
def test_function_of_integers_refuses_floats(name):
    given = (X, X) if name in OF_INTEGERS else (X,)
    with pytest.raises(OperatorError, match=f"{name} is given x of type float32; expected integ"):
        getattr(math, name)(*given)


def test_bits_are_inverted_and_counted():
    assert value(math.bitwise_not(N), n=5) == ~5
    assert value(math.popc(N), n=-1) == 32
    assert value(math.clz(N), n=1) == 31


@each("name", ["pow", "remainder", "bitwise_and"])
def test_operands_of_two_types_are_refused(name):
    with pytest.raises(OperatorError, match="both must have one type"):
        getattr(math, name)(X, N)


def test_power_and_remainder_have_their_values():
    assert value(math.pow(X, 3), x=2) == 8
    assert value(math.pow(2, X), x=3) == 8
    assert math.remainder(X, Y).name == "mod"
    assert value(math.remainder(N, 5), n=-7) in (-2, 3)


# Classification


@each("case", [("isnan", (0, 0, 1)), ("isinf", (0, 1, 0)), ("isfinite", (1, 0, 0))])
def test_floats_are_classified(case):
    name, expected = case
    found = [bool(value(getattr(math, name)(X), x=x)) for x in (1.5, -np.inf, np.nan)]
    assert found == [bool(each) for each in expected]


def test_integers_are_finite_numbers():
    assert math.isnan(N).value == math.isinf(N).value == 0
    assert bool(value(math.isfinite(N), n=3))


def test_vectors_are_classified_by_element():
    assert math.isnan(tir.Broadcast(X, 4)).type == as_type("bool<4>")
    assert math.isinf(tir.Ramp(N, 1, 4)).type == as_type("bool<4>")


# What CINN expands


def test_sigmoid_is_expanded():
    assert np.allclose(value(math.sigmoid(X), x=0.5), 1 / (1 + np.exp(-0.5)))


@each("number", [-3, 0, 5])
def test_sign_absolute_value_and_negative_are_those_of_numpy(number):
    for variable, name in ((X, "x"), (N, "n")):
        assert value(math.sign(variable), **{name: number}) == np.sign(number)
        assert value(math.abs(variable), **{name: number}) == abs(number)
        assert value(math.negative(variable), **{name: number}) == -number


def test_sign_and_absolute_value_of_a_nan_are_nan():
    assert np.isnan(value(math.sign(X), x=np.nan))
    assert np.isnan(value(math.abs(X), x=np.nan))


def test_unsigned_integers_are_their_absolute_values():
    assert math.abs(U) is U
    assert [value(math.sign(U), u=u) for u in (0, 1, 255)] == [0, 1, 1]


def test_constant_is_its_absolute_value():
    seven = tir.const(7)
    assert math.abs(seven) is seven
    assert evaluate(math.abs(tir.const(-7))) == 7


def test_absolute_value_of_the_least_integer_is_itself():
    assert value(math.abs(N), n=-(2**31)) == -(2**31)


@each("number", [-2.0, 0.0, 3.0, 9.0])
def test_rectifiers_are_those_of_their_names(number):
    assert value(math.relu(X), x=number) == max(number, 0)
    assert value(math.relu(X, 1), x=number) == max(number, 1)
    assert value(math.relu6(X), x=number) == min(max(number, 0), 6)
    assert value(math.leaky_relu(X, 0.5), x=number) == (number if number > 0 else number / 2)


def test_rectified_integers_are_integers():
    assert value(math.relu(N), n=-3) == 0
    with pytest.raises(FieldError, match=r"0.5 is no value of type int32"):
        math.relu(N, 0.5)


def test_identity_and_not_are_themselves():
    flag = tir.var("flag", "bool")
    assert math.identity(X) is X
    assert isinstance(math.logical_not(flag), tir.Not)


@each("divisor", [-4, -3, -1, 1, 3, 4])
def test_quotient_of_integers_is_rounded_down(divisor):
    for number in range(-9, 10):
        assert value(math.floor_divide(N, M), n=number, m=divisor) == number // divisor


def test_quotient_of_others_is_rounded_down():
    assert value(math.floor_divide(X, 2), x=-3) == -2
    assert value(math.floor_divide(U, 7), u=255) == 36
    assert isinstance(math.floor_divide(U, 7), tir.Div)
