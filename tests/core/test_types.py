"""Types of core, their text, and how they are laid out in memory."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from relayish import core
from relayish.core import Layout, StructDef, as_type
from relayish.errors import FieldError
from tests.support.each import each

SPELT = {
    "int32": "int32",
    "int": "int32",
    " float32 * * ": "float32**",
    "int32[ 2,3 ]": "int32[2, 3]",
    "int32*[4]": "int32*[4]",
    "int32[4]*": "int32[4]*",
    "struct  point*": "struct point*",
    "(int32,float32*)->bool": "(int32, float32*) -> bool",
    "()->void": "() -> void",
    "((int32) -> void)*": "((int32) -> void)*",
    "((int32) -> void)": "(int32) -> void",
    "(int32) -> ((bool) -> void)*": "(int32) -> ((bool) -> void)*",
    "(((int32) -> void)*, (int32)) -> void": "(((int32) -> void)*, int32) -> void",
    "((int32) -> void)*[2]": "((int32) -> void)*[2]",
    "(void*)[3]": "void*[3]",
}


@each("given", SPELT)
def test_type_is_told_by_its_text(given):
    made = as_type(given)
    assert made == SPELT[given]
    assert as_type(str(made)) == made


BAD = {
    "": "a type",
    "integer": "names no element type",
    "int32x4": "a primitive type",
    "string": "a primitive type",
    "struct": "names no element type",
    "structure": "names no element type",
    "int32 int32": "the end of the type",
    "* int32": "a type",
    "void[3]": "elements that have a size",
    "((int32) -> void)[3]": "elements that have a size",
    "int32[]": "size of each dimension",
    "int32[0]": "size of each dimension",
    "int32[a]": "a name",
    "(int32": "')'",
    "int32)": "a type",
    "()": "one type in the parentheses",
    "(int32, int32)": "one type in the parentheses",
    "(void) -> int32": "without any write '()'",
    "(int32) ->": "a type",
    "(int32,) -> int32": "a type",
}


@each("given", BAD)
def test_type_is_refused(given):
    with pytest.raises(FieldError) as caught:
        as_type(given)
    assert BAD[given] in str(caught.value)


def test_parts_of_types():
    assert as_type("int32[2, 3]*").pointee.shape == (2, 3)
    assert as_type("int32[2, 3]").element == "int32"
    assert as_type("struct point").struct_name == "point"
    function = as_type("(int32, (bool) -> void, float32[2, 3]) -> int64*")
    assert function.params == ("int32", "(bool) -> void", "float32[2, 3]")
    assert function.result.pointee == "int64"


def test_parts_of_another_form_are_refused():
    with pytest.raises(FieldError, match="int32 is a primitive type; expected a pointer type"):
        _ = as_type("int32").pointee


FORMS = {
    "is_primitive": ("int32", "void", "bool", "float64"),
    "is_pointer": ("int32*", "void*", "((int32) -> void)*"),
    "is_array": ("int32*[2]",),
    "is_struct": ("struct point",),
    "is_function": ("() -> int32*",),
    "is_number": ("int32", "float64"),
    "is_integer": ("int32",),
    "is_float": ("float64",),
    "is_scalar": ("int32", "bool", "float64", "int32*", "void*", "((int32) -> void)*"),
    "is_void": ("void",),
}


@each("question", FORMS)
def test_forms_of_types(question):
    everything = dict.fromkeys(each for found in FORMS.values() for each in found)
    assert tuple(t for t in everything if getattr(as_type(t), question)) == tuple(
        t for t in everything if t in FORMS[question]
    )


def test_makers_of_types():
    assert core.pointer(core.function(["int32"], "bool")) == "((int32) -> bool)*"
    assert core.array("int32", 2, 3).pointer_to() == "int32[2, 3]*"
    assert core.struct("point") == "struct point"
    assert as_type(np.dtype("float64")) == as_type(np.float64) == "float64"


def test_types_are_copied_and_pickled_as_types():
    for made in (copy.deepcopy(as_type("int32*")), pickle.loads(pickle.dumps(as_type("int32*")))):
        assert type(made) is core.Type
        assert made.is_pointer


def test_long_types_are_read_at_once():
    deep = "int32" + "*" * 2000
    assert as_type(deep).pointee == deep[:-1]
    nested = "(" * 500 + "int32" + ") -> void" * 500
    assert as_type(nested).is_function


LAYOUT = Layout(
    {
        "point": StructDef((("tag", "uint8"), ("x", "int64"), ("on", "bool"))),
        "pair": StructDef((("left", "struct point"), ("right", "struct point[2]"))),
        "node": StructDef((("next", "struct node*"), ("value", "float32"))),
        "loop": StructDef((("inner", "struct loop[2]"),)),
    }
)
SIZES = {
    "bool": 1, "int8": 1, "float64": 8, "int32*": 8, "int32[2, 3]": 24, "struct point": 24,
    "struct pair": 72, "struct node": 16, "struct node[3]": 48,
}  # fmt: skip


@each("given", SIZES)
def test_size_of_type(given):
    assert LAYOUT.size_of(given) == SIZES[given]


def test_places_of_fields():
    assert [LAYOUT.offset_of("struct point", name) for name in ("tag", "x", "on")] == [0, 8, 16]


UNSIZED = {
    "void": "have no size",
    "() -> void": "have no size",
    "struct pont": "did you mean point?",
    "struct loop": "contains itself",
}


@each("given", UNSIZED)
def test_layout_refuses(given):
    with pytest.raises(FieldError) as caught:
        LAYOUT.size_of(given)
    assert UNSIZED[given] in str(caught.value)


def test_deep_structures_have_a_size():
    structs = {"s0": StructDef((("x", "int32"),))}
    for level in range(1, 5000):
        structs[f"s{level}"] = StructDef((("inner", f"struct s{level - 1}"),))
    assert Layout(structs).size_of("struct s4999") == 4


@pytest.mark.parametrize("held", ["int33", "int0", "uint3", "int128", "int033", "int0*", "int7[2]"])
def test_integers_of_odd_widths_are_no_types(held):
    with pytest.raises(FieldError, match="expected a primitive type"):
        as_type(held)


@pytest.mark.parametrize("held", ["int1", "int4", "uint8", "int64"])
def test_integers_that_can_be_held_are_types(held):
    assert str(as_type(held)) == held
