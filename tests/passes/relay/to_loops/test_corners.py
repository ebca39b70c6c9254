"""Operators as loops where sizes are 0 or 1, and where elements are truth values."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.errors import UnlowerableError
from relayish.ir.relay.function_attributes import RESHAPE_ONLY
from relayish.passes.relay.to_loops.functions import function_to_loops, is_view
from tests.support.each import each


def both(params, body, *given):
    """What a function leaves as it is, and as loops."""
    mod = relay.transform.InferType()(relay.IRModule.from_expr(relay.Function(params, body)))
    loops = relay.transform.LowerToLoops(unlowerable="refuse")(mod)
    return [relay.create_executor(mod=each).evaluate()(*given) for each in (mod, loops)]


@each("sizes", [(3, 0, 2), (0, 0, 2), (3, 2, 0), (1, 0, 1)])
@each("equation", ["ij,jk->ik", "ij,jk->ki", "ij,jk->"])
def test_axes_of_size_0_are_of_size_0_in_products(sizes, equation):
    a = relay.var("a", shape=sizes[:2])
    b = relay.var("b", shape=sizes[1:])
    body = relay.einsum(relay.Tuple([a, b]), equation)
    given = [np.ones(shape, "float32") for shape in (sizes[:2], sizes[1:])]
    expected, found = both([a, b], body, *given)
    assert np.asarray(found).shape == np.asarray(expected).shape
    assert np.array_equal(found, expected)


def test_an_axis_of_size_1_is_repeated_beside_one_of_size_0():
    a, b = relay.var("a", shape=(2, 1)), relay.var("b", shape=(0, 3))
    body = relay.einsum(relay.Tuple([a, b]), "ij,jk->ik")
    expected, found = both([a, b], body, np.ones((2, 1), "float32"), np.ones((0, 3), "float32"))
    assert np.array_equal(found, expected)


def test_a_tuple_of_one_stays_a_tuple():
    x = relay.var("x", shape=(4, 2))
    parts = relay.split(x, 1, axis=0)
    given = np.arange(8, dtype="float32").reshape(4, 2)
    for body in (relay.Tuple([parts[0], x]), parts.astuple()):
        expected, found = both([x], body, given)
        assert len(found) == len(expected)
        assert np.array_equal(found[0], expected[0])


@each("dtype", ["int32", "float16", "float64", "uint8"])
def test_what_is_not_0_is_true(dtype):
    x = relay.var("x", shape=(3,), dtype=dtype)
    expected, found = both([x], relay.logical_not(x), np.array([0, 2, 1], dtype))
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    assert np.array_equal(found, expected)


@each("name", ["divide", "floor_divide", "trunc_divide", "mod", "floor_mod", "trunc_mod"])
def test_truth_values_are_divided_as_numbers(name):
    a, b = (relay.var(letter, shape=(2,), dtype="bool") for letter in "ab")
    body = getattr(relay, name)(a, b)
    expected, found = both([a, b], body, np.array([True, False]), np.ones(2, bool))
    assert np.array_equal(found, expected)


def test_what_orders_truth_values_is_refused():
    a = relay.var("a", shape=(2, 2), dtype="bool")
    with pytest.raises(UnlowerableError, match="truth values"):
        both([a], relay.clip(a, 0, 1))


@each("name", ["isnan", "isinf", "isfinite"])
def test_truth_values_are_numbers_that_are_there(name):
    a = relay.var("a", shape=(2,), dtype="bool")
    expected, found = both([a], getattr(relay, name)(a), np.array([True, False]))
    assert np.array_equal(found, expected)


def test_truth_values_have_powers_as_numbers_have():
    a, b = (relay.var(name, shape=(4,), dtype="bool") for name in "ab")
    given = [np.array(values, bool) for values in ([0, 0, 1, 1], [0, 1, 0, 1])]
    expected, found = both([a, b], relay.power(a, b), *given)
    assert np.asarray(found).dtype == np.asarray(expected).dtype
    assert np.array_equal(found, expected)


@each("name", ["concatenate", "stack"])
def test_arrays_without_elements_stand_behind_one_another(name):
    a = relay.var("a", shape=(2, 0))
    body = getattr(relay, name)(relay.Tuple([a, a]), axis=1)
    expected, found = both([a], body, np.ones((2, 0), "float32"))
    assert np.asarray(found).shape == np.asarray(expected).shape


def test_a_view_of_a_field_is_no_view_of_the_first():
    pair = relay.var("p", relay.TupleType([relay.TensorType((4, 1))] * 2))
    body = relay.squeeze(relay.TupleGetItem(pair, 1))
    func = relay.Function([pair], body, attrs=relay.DictAttrs({RESHAPE_ONLY: 1}))
    typed = relay.transform.InferType()(relay.IRModule.from_expr(func))["main"]
    assert not is_view(function_to_loops(typed, "squeeze").func)


@each("dtype", ["complex64", "string"])
@each("given", [True, False])
def test_elements_that_loops_do_not_have_are_refused(dtype, given):
    x = relay.var("x", shape=(2,), dtype=dtype if given else "float32")
    with pytest.raises(UnlowerableError, match=rf"Tensor\[\(2\), {dtype}\]; expected integers"):
        both([x], relay.copy(x) if given else relay.cast(x, dtype))


@each("begin", [0, -4, -9, np.iinfo("int64").min])
def test_parts_that_begin_before_a_tensor_begin_with_it(begin):
    data, first, last = (
        relay.var(name, shape=shape, dtype=dtype)
        for name, shape, dtype in [("d", (4,), "int32"), ("b", (1,), "int64"), ("e", (1,), "int64")]
    )
    part = relay.const(np.array([7], "int32"))
    body = relay.strided_set(data, part, first, last, relay.const(np.array([1], "int64")))
    given = np.zeros(4, "int32"), np.array([begin]), np.array([1])
    expected, found = both([data, first, last], body, *given)
    assert np.array_equal(found, expected)
