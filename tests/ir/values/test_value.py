from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import FieldError
from relayish.ir.nodes.span import Span
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Constant
from relayish.ir.relay.type import TensorType
from relayish.ir.values.dtype import check_dtype, numpy_dtype
from relayish.ir.values.literal import hash_literal, is_same_literal
from relayish.ir.values.value import as_value
from tests.support.each import each

# Values of constants


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        (1, "int32"),
        (True, "bool"),
        (1.5, "float32"),
        (np.int8(1), "int8"),
        (np.float64(1), "float64"),
        (ml_dtypes.bfloat16(1), "bfloat16"),
        (np.array(1, "int64"), "int64"),
    ],
)
def test_rank_0_is_held_as_a_scalar(given, dtype):
    found = as_value(given)
    assert isinstance(found, (np.generic, ml_dtypes.bfloat16))
    assert found.dtype.name == dtype
    assert found == given


def test_arrays_are_read_only():
    found = as_value(np.zeros(3))
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 1


def test_arrays_somebody_may_write_to_are_copied():
    array = np.zeros(3)
    view = array[:2]
    view.flags.writeable = False
    for given in (array, view):
        found = as_value(given)
        array[0] = 5
        assert found[0] == 0
        array[0] = 0


def test_read_only_array_is_held_as_it_is():
    array = np.zeros(3)
    array.flags.writeable = False
    assert as_value(array) is array


def test_array_of_foreign_byte_order_is_held_in_our_own():
    found = as_value(np.array([1, 2], ">i4"))
    assert found.dtype == np.dtype("int32")
    assert found.dtype.isnative
    assert list(found) == [1, 2]


def test_nan_payloads_and_signed_zeros_survive():
    bits = np.array([0x7FA00001, 0x80000000, 0xFFC00000], "uint32")
    found = as_value(bits.view("float32"))
    assert list(found.view("uint32")) == list(bits)
    assert as_value(bits.view("float32")[0]).tobytes() == bits[0].tobytes()


def test_values_that_are_no_tensors():
    assert as_value(None) is None
    assert as_value("a") == "a"
    assert as_value([1, ("a", None)]) == (1, ("a", None))
    assert type(as_value([1])[0]) is np.int32


def test_anything_that_gives_an_array_is_taken():
    class Tensor:
        def __array__(self, dtype=None, copy=None):
            return np.arange(2)

    assert list(as_value(Tensor())) == [0, 1]


@pytest.mark.parametrize(
    "given",
    [
        object(),
        {},
        b"bytes",
        1j,
        np.array([object()]),
        np.array(["a", 1], object),
        np.str_("a").__class__,
        np.datetime64("2020-01-01"),
        np.zeros(2, "i4,i4"),
        np.zeros((), "i4,i4")[()],
        np.void(b"abc"),
        [1, object()],
        Constant,
    ],
    ids=lambda given: type(given).__name__,
)
def test_other_values_are_refused(given):
    with pytest.raises(FieldError, match=r"Constant.data: a constant holds a number, an array"):
        Constant(given)


@pytest.mark.parametrize("given", [2**31, -(2**31) - 1, 10**30])
def test_integers_that_do_not_fit_say_what_to_do(given):
    with pytest.raises(
        FieldError, match=f"{given} does not fit int32.*const\\({given}, 'int64'\\)"
    ):
        Constant(given)


# Literals

LITERALS = {
    "1": 1,
    "1.0": 1.0,
    "True": True,
    "0.0": 0.0,
    "-0.0": -0.0,
    "nan": float("nan"),
    "-nan": -float("nan"),
    "'1'": "1",
    "b'1'": b"1",
    "None": None,
    "()": (),
    "(1,)": (1,),
    "(1.0,)": (1.0,),
    "(True,)": (True,),
    "((1,),)": ((1,),),
    "int8": np.int8(1),
    "int32": np.int32(1),
    "bool": np.bool_(True),
    "f32": np.float32(1),
    "f32 0": np.float32(0),
    "f32 -0": np.float32(-0.0),
    "nan 1": np.array([0x7FC00000], "uint32").view("float32")[0],
    "nan 2": np.array([0x7FC00001], "uint32").view("float32")[0],
    "bf16": ml_dtypes.bfloat16(1),
    "f16": np.float16(1),
    "[1]": np.array([1], "int32"),
    "[[1]]": np.array([[1]], "int32"),
    "[1] int8": np.array([1], "int8"),
    "[] int32": np.zeros(0, "int32"),
    "[] 0x2": np.zeros((0, 2), "int32"),
}


@each("left", LITERALS)
def test_literal_is_the_same_as_itself_only(left):
    for right, value in LITERALS.items():
        assert is_same_literal(LITERALS[left], value) == (left == right)


@each("name", LITERALS)
def test_equal_literals_have_equal_hashes(name):
    value = LITERALS[name]
    other = value.copy() if isinstance(value, np.ndarray) else value
    assert hash_literal(value) == hash_literal(other)


def test_different_literals_mostly_have_different_hashes():
    assert len({hash_literal(value) for value in LITERALS.values()}) == len(LITERALS)


def test_equal_values_of_other_classes_have_equal_hashes():
    for one, other in (
        (frozenset("abcdefgh"), frozenset("hgfedcba")),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (Span("f", 1, 1, 1, 1), Span("f", 1, 1, 1, 1)),
    ):
        assert is_same_literal(one, other)
        assert hash_literal(one) == hash_literal(other)


# Element types


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("float32", "float32"),
        ("uint1", "bool"),
        ("bool", "bool"),
        ("bfloat16", "bfloat16"),
        ("int4", "int4"),
        ("float32x4", "float32x4"),
        ("handle", "handle"),
        ("e4m3_float8", "e4m3_float8"),
        ("custom[posit]8", "custom[posit]8"),
        ("void", "void"),
        (np.float64, "float64"),
        (np.dtype("uint8"), "uint8"),
        (np.dtype(">i4"), "int32"),
        (ml_dtypes.bfloat16, "bfloat16"),
        (bool, "bool"),
    ],
)
def test_element_type_has_one_name(given, name):
    assert check_dtype(given) == name


@pytest.mark.parametrize(
    "given", ["", "float23", "flot32", "int32 ", "Int32", 3, None, object, str]
)
def test_other_names_are_no_element_types(given):
    with pytest.raises(FieldError, match="names no element type; use a name such as 'float32'"):
        check_dtype(given)


def test_element_types_have_numpy_types():
    assert numpy_dtype("float32") == np.float32
    assert numpy_dtype("bfloat16") == ml_dtypes.bfloat16
    assert numpy_dtype("e4m3_float8") == ml_dtypes.float8_e4m3fn
    for name in ("float32x4", "handle", "uint7"):
        with pytest.raises(FieldError, match=f"element type '{name}' cannot be held"):
            numpy_dtype(name)


# Spans


def test_span_shows_where_it_starts():
    assert str(Span("model.relay", 12, 13, 8, 2)) == "model.relay:12:8"


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ((1, 1, 2, 5), (1, 1, 7, 9), (1, 1, 2, 9)),
        ((1, 1, 7, 9), (1, 1, 2, 5), (1, 1, 2, 9)),
        ((1, 3, 5, 2), (2, 2, 1, 90), (1, 3, 5, 2)),
        ((2, 2, 9, 10), (1, 4, 20, 3), (1, 4, 20, 3)),
    ],
)
def test_merged_span_covers_both(one, other, both):
    merged = Span("a", *one).merge(Span("b", *other))
    assert merged == Span("a", *both)


def test_list_that_contains_itself_is_refused():
    endless = [1]
    endless.append(endless)
    with pytest.raises(FieldError, match="a list that contains itself has no value"):
        Constant(endless)


def test_values_shared_within_a_value_are_compared_once():
    one, other = (1,), (1,)
    for _ in range(100):
        one, other = (one, one), (other, other)
    assert is_same_literal(one, other)
    assert hash_literal(one) == hash_literal(other)
    value = as_value(one)
    assert value[0] is value[1]
    assert not is_same_literal(one, (other, ()))


def test_class_that_numpy_cannot_read_is_no_element_type():
    class Odd:
        dtype = "nonsense"

    with pytest.raises(FieldError, match="names no element type"):
        check_dtype(Odd)


@pytest.mark.parametrize("kind", [np.ma.MaskedArray, np.memmap, np.recarray])
def test_array_of_another_class_becomes_a_plain_one(kind):
    given = np.arange(6, dtype="float32").reshape(2, 3).view(kind)
    found = as_value(given)
    assert type(found) is np.ndarray
    assert found.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert not np.shares_memory(found, given)


@pytest.mark.parametrize(
    ("name", "full"), [("int", "int32"), ("uint", "uint32"), ("float", "float32")]
)
def test_name_of_an_element_type_without_a_width_means_32_bits(name, full):
    assert check_dtype(name) == full
    assert numpy_dtype(name).name == full
    assert const(1, name).data.dtype.name == full
    assert TensorType((), name).dtype == full


def test_array_over_bytes_is_held_as_it_is_where_it_is_aligned() -> None:
    data = bytes(80)
    aligned, askew = np.frombuffer(data, "int64", 9), np.frombuffer(data, "int64", 9, offset=1)
    assert as_value(aligned) is aligned
    held = as_value(askew)
    assert held is not askew
    assert held.flags.aligned


def test_array_over_bytes_that_change_is_copied() -> None:
    array = np.frombuffer(memoryview(bytearray(80)).toreadonly(), "int64")
    assert not array.flags.writeable
    assert as_value(array) is not array
