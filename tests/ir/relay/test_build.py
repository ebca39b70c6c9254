from __future__ import annotations

import numpy as np
import pytest

import relayish as relay


def test_var_is_a_new_variable_at_every_call():
    assert relay.var("x") is not relay.var("x")


def test_var_takes_a_shape_and_element_type_for_a_tensor():
    annotation = relay.var("x", shape=[2, relay.Any()], dtype="int8").type_annotation
    assert isinstance(annotation, relay.TensorType)
    assert annotation.shape[0] == 2
    assert annotation.dtype == "int8"


def test_var_takes_an_empty_shape_for_a_scalar():
    annotation = relay.var("x", shape=()).type_annotation
    assert isinstance(annotation, relay.TensorType)
    assert annotation.shape == ()


def test_var_takes_the_name_of_an_element_type_for_a_scalar():
    annotation = relay.var("x", "int64").type_annotation
    assert isinstance(annotation, relay.TensorType)
    assert (annotation.shape, annotation.dtype) == ((), "int64")


def test_var_keeps_a_type_it_is_given():
    ty = relay.TupleType(())
    assert relay.var("x", ty).type_annotation is ty


def test_var_carries_its_span():
    span = relay.Span("f", 1, 1, 1, 2)
    assert relay.var("x", span=span).span is span


def test_var_refuses_type_and_shape_together():
    with pytest.raises(relay.FieldError, match="both type_annotation and shape"):
        relay.var("x", "int32", shape=(1,))


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        (1, "int32"),
        (1.5, "float32"),
        (True, "bool"),
        ([1, 2], "int32"),
        ([[1.0], [2.0]], "float32"),
        (np.arange(3), "int32"),
        (np.float64(1), "float32"),
        (np.float16(1), "float16"),
        (np.uint8(1), "uint8"),
    ],
)
def test_const_without_dtype_holds_64_bits_in_32(value, dtype):
    assert relay.const(value).data.dtype == dtype


def test_const_with_dtype_converts():
    assert relay.const([1, 2], "float16").data.dtype == "float16"


def test_const_takes_a_type_of_tensors_for_its_element_type():
    assert relay.const(3, relay.scalar_type("int8")).data.dtype == "int8"


def test_const_knows_element_types_numpy_lacks():
    assert relay.const(1.5, "bfloat16").data.dtype.name == "bfloat16"


def test_const_does_not_share_memory_with_the_array_it_is_given():
    array = np.zeros(3, "float32")
    constant = relay.const(array)
    array[0] = 1
    assert constant.data[0] == 0


@pytest.mark.parametrize("value", ["text", None, (1, "text", None)])
def test_const_of_other_values_is_what_constant_makes_of_them(value):
    assert relay.const(value).data == relay.Constant(value).data


@pytest.mark.parametrize(
    ("value", "dtype", "message"),
    [
        (2**40, None, "1099511627776 does not fit int32"),
        (300, "uint8", "300 does not fit uint8"),
        (-1, "uint8", "-1 does not fit uint8"),
        (float("nan"), "int32", "invalid value"),
        (object(), None, "a constant holds"),
        ((object(),), None, "a constant holds"),
        ([[1], [1, 2]], None, "where its rows are of one length"),
        (1, "flot32", "flot32"),
        ("text", "int8", "no element type"),
    ],
)
def test_const_says_what_is_wrong(value, dtype, message):
    with pytest.raises(relay.FieldError, match=message):
        relay.const(value, dtype)


def test_const_does_not_wrap_around_within_an_array():
    with pytest.raises(relay.FieldError, match="does not fit int32"):
        relay.const(np.array([0, 2**31]))


def test_var_says_what_a_shape_is_when_given_none():
    with pytest.raises(relay.FieldError, match="a shape is a sequence of dimensions; found 3"):
        relay.var("x", shape=3)
