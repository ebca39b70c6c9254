"""Builders of tensors and calls."""

from __future__ import annotations

from itertools import islice

import pytest

from relayish import tir
from relayish.errors import OperatorError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.tir import as_type

A = tir.placeholder("A", (16, 8), "int64")


def test_placeholder_has_a_buffer_of_its_shape_and_type():
    assert (A.buffer.name, A.buffer.dtype, A.buffer.shape) == ("_A", as_type("int64"), A.shape)
    assert isinstance(A.operation, tir.PlaceholderOp)
    assert (A.operation.name, A.operation.dtype) == ("A", as_type("int64"))


def test_computed_tensor_has_the_type_of_its_elements():
    B = tir.compute((16,), lambda i: A[i, 0] < 3, "B")
    assert B.type == B.buffer.dtype == as_type("bool")


def test_axes_are_named_as_in_cinn():
    assert list(islice(tir.axis_names(), 10)) == list("ijkabcdefg")
    B = tir.compute((2, 2, 2, 2), lambda *axes: axes[3], "B")
    assert [axis.name for axis in B.axis] == ["i", "j", "k", "a"]


def test_names_of_axes_never_end():
    names = list(islice(tir.axis_names(), 100))
    assert len(set(names)) == 100


def test_axes_have_the_type_of_the_sizes():
    n = tir.var("n", "int64")
    B = tir.compute((n, 4), lambda i, j: A[i, tir.Cast("int64", j)], "B")
    assert [axis.type for axis in B.axis] == [as_type("int64"), as_type("int32")]


def test_axes_of_a_reduction_are_those_of_the_tensor():
    k = tir.reduce_axis("k", 8)
    B = tir.compute((16,), lambda i: tir.reduce_sum(A[i, k], [k]), "B")
    assert B.reduce_axis == B.operation.reduce_axis == (k,)
    assert B.operation.axis == B.axis


def test_number_is_a_constant_tensor():
    assert tir.compute((4,), lambda i: 1.5, "B").type == as_type("float32")


def test_inline_tensor_has_no_buffer():
    assert tir.compute((4,), lambda i: i, "B", inline=True).buffer is None


def test_loads_read_as_indexing_and_as_calls():
    i, j = tir.var("i"), tir.var("j")
    assert structural_equal(A[i, j], A(i, j))
    assert structural_equal(A[i, 3], tir.Load(A, (i, tir.const(3))))


@pytest.mark.parametrize("fn", [lambda i: i, lambda i, j, k: i, lambda: 1])
def test_function_of_another_number_of_indices_is_refused(fn):
    with pytest.raises(OperatorError, match="tensor B has 2 dimensions, but the function that"):
        tir.compute((4, 4), fn, "B")


def test_error_of_the_function_is_raised_as_it_is():
    def broken(i):
        raise TypeError("mine")

    with pytest.raises(TypeError, match=r"^mine$"):
        tir.compute((4,), broken, "B")


@pytest.mark.parametrize("shape", [4, tir.var("n")])
def test_shape_that_is_no_sequence_is_refused(shape):
    with pytest.raises(OperatorError, match=r"the shape of tensor B is .*; expected a sequence"):
        tir.placeholder("B", shape)


@pytest.mark.parametrize("size", [1.5, True, tir.var("x", "float32"), tir.var("v", "int32<4>")])
def test_size_that_is_no_integer_is_refused(size):
    with pytest.raises(OperatorError, match=r"a dimension of tensor B has size .*an integer"):
        tir.placeholder("B", (size,))


# Calls


def test_results_of_a_call_are_tensors_that_it_writes():
    results = tir.call_lowered(
        "f", [A, 3], [tir.ReturnType("float32", (4,), "B"), tir.ReturnType("int8", (), "C")]
    )
    B, C = results
    assert (B.name, B.type, C.type, C.shape) == ("B", as_type("float32"), as_type("int8"), ())
    assert B.operation.call is C.operation.call
    assert [t.operation.value_slot for t in results] == [0, 1]
    assert [t.operation.is_tuple_get for t in results] == [True, True]
    assert [t.buffer for t in B.operation.call.write_args] == [B.buffer, C.buffer]


def test_single_result_is_no_field_of_a_tuple():
    (B,) = tir.call_lowered("f", [], [tir.ReturnType("float32", (4,), "B")])
    assert not B.operation.is_tuple_get


def test_call_has_the_type_of_its_first_argument_unless_it_is_said():
    x = tir.var("x", "float64")
    assert tir.call_extern("f", [x, 1]).type == as_type("float64")
    assert tir.call_extern("f", [x, 1]).read_args[1].type == as_type("float64")
    assert tir.call_extern("f", [x], "bool").type == as_type("bool")
    assert tir.call_extern("f", [], "void").call_type is tir.CallType.EXTERN
    assert tir.call_intrinsic("f", [x]).call_type is tir.CallType.INTRINSIC


def test_attributes_of_a_call_are_kept():
    made = tir.call_extern("f", [1], attrs={"vectorizable": False, "axes": [0, 1]})
    assert (made.attrs["vectorizable"], made.attrs["axes"]) == (False, (0, 1))


def test_call_of_nothing_says_its_type():
    with pytest.raises(OperatorError, match="call of f without arguments is not known; say dtype"):
        tir.call_extern("f", [])
