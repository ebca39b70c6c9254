"""Operators that make a tensor from nothing, or from a number."""

from __future__ import annotations

import math

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.relay.expr import Constant, Function, Var
from relayish.ir.relay.type import Any as AnyDimension
from relayish.ir.relay.type import SizeVar, TensorType
from relayish.op import arange, get_op, make_attrs
from relayish.op.declaration.properties import rule
from tests.support.checking import (
    assert_same,
    evaluated,
    inferred,
    reference,
)
from tests.support.each import each


@reference("formula", "zeros", "ones")
@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", None])
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_tensor_of_one_value(shape, dtype):
    kind = dtype or "float32"
    for name, value in (("zeros", 0), ("ones", 1)):
        expected = np.array([value] * int(np.prod(shape)), kind).reshape(shape)
        assert_same(evaluated(name, shape=shape, dtype=dtype), expected)
        found = evaluated(f"dyn.{name}", np.array(shape, np.int64), dtype=dtype)
        assert_same(found, expected)


@reference("formula", "arange")
@pytest.mark.parametrize(
    ("start", "stop", "step", "expected"),
    [(0, 5, 2, [0, 2, 4]), (5, 0, -2, [5, 3, 1]), (3, 3, 1, []), (3, 0, 1, [])],
)
@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
def test_arange_counts(start, stop, step, expected, dtype):
    kind, var = np.dtype(dtype).type, Var("x")
    found = evaluated(
        "arange", kind(start), kind(stop), kind(step), start=var, stop=var, step=var, dtype=dtype
    )
    assert_same(found, np.array(expected, dtype))


def test_arange_refuses_a_step_of_zero():
    var, zero = Var("x"), np.int32(0)
    with pytest.raises(EvaluationError, match="step 0"):
        evaluated("arange", zero, zero, zero, start=var, stop=var, step=var, dtype="int32")


def arange_type(start, stop, step, dtype):
    """Return the type of a call of arange; numbers are constants of the type."""
    kind = np.dtype(dtype).type
    bounds = [b if isinstance(b, Var) else Constant(kind(b)) for b in (start, stop, step)]
    call = arange(*bounds, dtype=dtype)
    return inferred("arange", call.attrs, *[TensorType((), dtype)] * 3)


@each("dtype", ["int8", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize(
    ("start", "stop", "step"),
    [(0, 5, 2), (5, 0, -2), (-7, 7, 1), (3, 3, 1), (3, 0, 1), (0, 7, 3), (1, 100, 11)],
)
def test_type_of_arange_counts_as_python_does_when_its_bounds_are_constants(
    start, stop, step, dtype
):
    count = len(range(start, stop, step))
    assert arange_type(start, stop, step, dtype).shape == (count,)
    if dtype.startswith("float"):
        assert arange_type(start, stop - step / 2, step, dtype).shape == (
            math.ceil((stop - step / 2 - start) / step) if count else 0,
        )


def test_type_of_arange_counts_large_integers_exactly():
    assert arange_type(2**62, 2**62 + 3, 1, "int64").shape == (3,)
    assert arange_type(2**62 + 7, 2**62, -2, "int64").shape == (4,)


def test_type_of_arange_is_of_unknown_size_when_a_bound_is_no_constant():
    for place in range(3):
        bounds = [0, 5, 1]
        bounds[place] = Var("x")
        ty = arange_type(*bounds, "int32")
        assert isinstance(ty.shape[0], AnyDimension)
        assert ty.dtype == "int32"


def test_bounds_of_arange_are_inferred_to_be_numbers_of_its_type():
    bounds = tuple(Var(name) for name in "abc")
    typed = infer_type(Function(bounds, arange(*bounds, dtype="int64")))
    assert [param.checked_type.dtype for param in typed.params] == ["int64"] * 3
    assert [param.checked_type.shape for param in typed.params] == [()] * 3


@pytest.mark.parametrize(
    ("bounds", "problem"),
    [
        ((0, 5, 0), "arange has step 0"),
        ((0, math.inf, 1), "does not end"),
        ((math.nan, 1, 1), "does not end"),
    ],
)
def test_arange_that_does_not_end_is_refused(bounds, problem):
    with pytest.raises(TypeInferenceError, match=problem):
        arange_type(*bounds, "float32")
    kind, x = np.float32, Var("x")
    with pytest.raises(EvaluationError, match=problem):
        evaluated("arange", *map(kind, bounds), start=x, stop=x, step=x, dtype="float32")


@pytest.mark.parametrize(
    ("name", "types", "options", "problem"),
    [
        ("zeros", [], {"shape": None}, "shape of the result is not given"),
        ("ones", [], {"shape": (2, -1)}, "must not be negative"),
        ("full", [((1,), "int8")], {"shape": (2,)}, "fill_value must have no dimensions"),
        ("full_like", [((2,), "int8"), ((2,), "int8")], {}, "fill_value must have no dimensions"),
        (
            "arange",
            [((), "int32"), ((), "int64"), ((), "int32")],
            {"start": Var("x"), "stop": Var("x"), "step": Var("x"), "dtype": "int32"},
            "end is int64; expected int32",
        ),
    ],
)
def test_type_that_cannot_be_is_refused(name, types, options, problem):
    given = [TensorType(*ty) for ty in types]
    with pytest.raises(TypeInferenceError, match=problem):
        inferred(name, make_attrs(get_op(name), options), *given)


def test_full_like_has_the_type_of_its_model():
    model = TensorType((SizeVar("n"), AnyDimension()), "int8")
    assert rule.get(get_op("full_like"))(None, model, TensorType(())) is model
