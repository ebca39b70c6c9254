"""Values of all classes that attributes and fields may hold come back, in type and in every bit."""

from __future__ import annotations

import math
import struct
from enum import Enum, Flag, IntEnum
from fractions import Fraction
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest

from relayish.binary import from_binary, register_value, to_binary
from relayish.errors import DuplicateNameError, FieldError, UnknownNameError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import Node, node
from relayish.ir.nodes.span import Span
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.expr import Constant, Expr, Var
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.ir.values.literal import is_same_literal
from relayish.tvm.target import Target
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each

DECLARED = declared_temporarily()
_kinds = known_in_tests(DECLARED)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1


class Mark(Flag):
    A = 1
    B = 2


class Inner(NamedTuple):
    level: Level
    marks: tuple[Mark, ...] = ()


class Outer(NamedTuple):
    inner: Inner
    size: int = 0


class Word(str):
    __slots__ = ()

    def __str__(self) -> str:
        return "shown otherwise"


class Count(int):
    pass


class Ratio(float):
    pass


class Blob(bytes):
    pass


with DECLARED:

    @node("binary_words")
    class Words(Expr):
        words: tuple[Word, ...]
        others: tuple[Count | Ratio | Blob, ...]

    class Painted(Node):
        __slots__ = ()

    @node("binary_paint")
    class Paint(Painted):
        colour: Colour
        outer: Outer
        anything: object = None

    @attrs("test.binary.Painted")
    class PaintedAttrs(Attrs):
        colour: Colour = Colour.RED
        weights: tuple[float, ...] = ()
        name: str = ""


VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 127, 128, -128, 2**31, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1,
    10**5000, -(10**300), 0.0, -0.0, 1.5, math.inf, -math.inf, math.nan, 5e-324, 1e308,
    struct.unpack("<d", struct.pack("<Q", 0x7FF8000000000123))[0], 1j, complex(-0.0, math.inf),
    "", "a", "é\U0001f600", "\ud800", "\x00\n", "x" * 10_000, b"", b"\x00\xff", (), ((),),
    (1, (2.0, ("3",))),
    range(3), range(10, -10, -3), np.dtype("float32"), np.dtype(ml_dtypes.bfloat16),
    np.dtype(">i4"),
    DictAttrs(), DictAttrs({"a": 1, "": (None, True)}), DictAttrs({"nest": DictAttrs({"x": 1.0})}),
    Span("file", 1, 2, 3, 4), VirtualDevice(2, 1, None, "global"),
]  # fmt: skip


def through(value: Any) -> Any:
    data = to_binary((value,))
    (made,) = from_binary(data)
    assert to_binary((made,)) == data
    return made


@each("value", VALUES)
def test_value_comes_back_in_type_and_bits(value: Any) -> None:
    made = through(value)
    assert type(made) is type(value)
    assert is_same_literal(made, value)


def test_equal_numbers_of_several_types_stay_what_they_are() -> None:
    given = (
        1,
        1.0,
        True,
        1j,
        np.int8(1),
        np.int16(1),
        np.float32(1),
        "1",
        b"1",
        0.0,
        -0.0,
        False,
        0,
    )
    made = through(given)
    assert [type(value) for value in made] == [type(value) for value in given]
    assert [repr(value) for value in made] == [repr(value) for value in given]


SCALARS = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
    "float32", "float64", "longdouble", "complex64", "complex128", "clongdouble", "timedelta64[ns]",
    "datetime64[us]", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz",
    "float8_e4m3fnuz", "float8_e5m2fnuz", "int4", "uint4",
]  # fmt: skip


def dtype_of(name: str) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, name) if hasattr(ml_dtypes, name) else name)


@each("name", SCALARS)
def test_array_and_scalar_of_each_element_type_come_back(name: str) -> None:
    dtype = dtype_of(name)
    for shape in ((), (1,), (5,), (2, 3), (0,), (3, 0, 2), (100,)):
        array = np.ones(shape, np.int8).astype(dtype)
        made = through(array)
        assert (made.dtype, made.shape, made.tobytes()) == (dtype, shape, array.tobytes())
        assert type(made) is np.ndarray
    scalar = np.ones((), np.int8).astype(dtype)[()]
    made = through(scalar)
    assert (type(made), made.dtype, made.tobytes()) == (type(scalar), dtype, scalar.tobytes())


@each("name", ["<U3", "S4", ">f4", ">i8", "V5"])
def test_other_arrays_that_attributes_hold_come_back(name: str) -> None:
    array = np.frombuffer(bytes(range(48, 48 + 60)) * 4, "u1").view("u1")
    array = np.zeros(3, name) if "U" in name else np.frombuffer(array.tobytes(), name, 3)
    made = through(DictAttrs({"a": array}))["a"]
    assert (made.dtype, made.tobytes()) == (array.dtype, array.tobytes())


@each("order", ["F", "strided", "reversed", "broadcast"])
def test_array_that_is_not_contiguous_comes_back(order: str) -> None:
    array = np.arange(60, dtype="float32").reshape(3, 4, 5).astype(ml_dtypes.bfloat16)
    given = {
        "F": np.asfortranarray(array),
        "strided": array[:, ::2],
        "reversed": array[::-1],
        "broadcast": np.broadcast_to(array[0], (3, 4, 5)),
    }[order]
    assert through(DictAttrs({"a": given}))["a"].tobytes() == given.tobytes()


def test_bits_of_every_float16_come_back() -> None:
    array = np.arange(2**16, dtype="uint16").view("float16")
    assert through(array).tobytes() == array.tobytes()
    scalars = tuple(array[::97])
    assert [one.tobytes() for one in through(scalars)] == [one.tobytes() for one in scalars]


def test_array_that_two_constants_hold_stays_one() -> None:
    array = Constant(np.arange(100)).data
    one, other, third = from_binary(
        to_binary((Constant(array), Constant(array), Constant(np.arange(100))))
    )
    assert one.data is other.data
    assert third.data is not one.data


@pytest.mark.deep
def test_deep_and_shared_tuples_come_back() -> None:
    deep: Any = ()
    for _ in range(min(DEPTH, 20_000)):
        deep = (deep,)
    shared: Any = (1,)
    for _ in range(200):
        shared = (shared, shared)
    assert is_same_literal(through(deep), deep)
    assert is_same_literal(through(shared), shared)
    assert is_same_literal(from_binary(to_binary(Constant(deep))).data, deep)


def test_members_and_named_tuples_of_fields_come_back() -> None:
    inner = Inner(Level.LOW, (Mark.A, Mark.A | Mark.B, Mark(0)))
    given = Paint(Colour.BLUE, Outer(inner, 3), (Colour.RED, inner))
    made = through(given)
    assert (made.colour, made.outer, made.anything) == (given.colour, given.outer, given.anything)
    assert type(made.outer) is Outer
    assert type(made.outer.inner.level) is Level
    assert type(made.anything[1]) is Inner


def test_attributes_of_a_class_come_back() -> None:
    given = PaintedAttrs(Colour.BLUE, (1.0, -0.0), "x")
    made = through(given)
    assert type(made) is PaintedAttrs
    assert made == given
    assert math.copysign(1, made.weights[1]) == -1


def test_targets_come_back() -> None:
    given = Target("llvm -mcpu=skylake -keys=cpu,avx", host="c")
    made = through(DictAttrs({"target": given}))["target"]
    assert made == given
    assert (made.keys, made.host) == (given.keys, given.host)


def test_values_of_classes_below_those_of_strings_and_numbers_come_back() -> None:
    given = Words((Word("a"), Word("\ud800")), (Count(2**70), Ratio(-0.0), Blob(b"x"), Count(1)))
    made = through(given)
    for value, expected in zip(made.words + made.others, given.words + given.others, strict=True):
        assert type(value) is type(expected)
        assert repr(value) == repr(expected)


class Odd:
    """A class that nobody registered."""


@each(
    "value",
    [Odd(), [1], {1}, {"a": 1}.keys(), int, len, np.array([None]), slice(1), lambda: None,
     np.zeros(2, "i4,f4"), np.array([b"a"], "O"), Colour.RED],
)  # fmt: skip
def test_value_of_another_class_is_refused(value: Any) -> None:
    if value is Colour.RED:
        DECLARED.__exit__()
    try:
        with pytest.raises(FieldError, match=r"cannot be written"):
            to_binary((value,))
    finally:
        if value is Colour.RED:
            DECLARED.__enter__()


def test_what_cannot_be_written_is_refused_with_the_node_that_holds_it() -> None:
    var = Var("inside", span=Span("model.relay", 3, 3, 5, 6))
    held = var.with_fields(virtual_device=VirtualDevice(target=Odd()))
    with pytest.raises(FieldError, match="register_value") as caught:
        to_binary(held)
    assert caught.value.__notes__ == ["in Var(inside) at model.relay:3:5"]


def test_values_of_a_registered_class_come_back_shared() -> None:
    with declared_temporarily():
        register_value(Fraction, "fraction", lambda f: f.as_integer_ratio(), Fraction)
        third = Fraction(1, 3)
        made = through((third, (third, Fraction(10**30))))
        assert made == (third, (third, Fraction(10**30)))
        data = to_binary((third,))
        with pytest.raises(DuplicateNameError, match=r"'fraction'.*Fraction"):
            register_value(Odd, "fraction", lambda _: (), Odd)
    with pytest.raises(UnknownNameError, match=r"'fraction', which nobody registered"):
        from_binary(data)
    with pytest.raises(FieldError, match="register_value"):
        to_binary((Fraction(1, 3),))
