from __future__ import annotations

import copy
import pickle
from typing import Any, ClassVar

import numpy as np
import pytest

from relayish.errors import (
    DeclarationError,
    DuplicateNameError,
    FieldError,
    FrozenNodeError,
    UnknownNameError,
)
from relayish.ir.attributes.attrs import Attrs, attrs, attrs_class
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.values.dtype import DType


@attrs("test.WindowAttrs")
class WindowAttrs(Attrs):
    """Of every kind of field."""

    known: ClassVar[int] = 7
    size: int
    strides: tuple[int, ...] = (1, 1)
    scale: float = 1.0
    wrap: bool = False
    layout: str = "NCHW"
    dtype: DType | None = None
    axis: int | tuple[int, ...] | None = None
    anything: Any = None
    nested: DictAttrs | None = None
    nothing: None = None


@attrs("test.PaddedWindowAttrs")
class PaddedWindowAttrs(WindowAttrs):
    """With a required field after inherited optional ones."""

    padding: int
    strides: tuple[int, ...] = (2, 2)


@attrs("test.NoAttrs")
class NoAttrs(Attrs):
    """Without fields."""


def test_fields_are_listed_in_order_with_their_defaults():
    made = WindowAttrs(3)
    assert made.keys()[:3] == ("size", "strides", "scale")
    assert dict(made.items())["strides"] == (1, 1)
    assert dict(made.shown_items()) == {"size": 3}
    assert WindowAttrs.known == 7


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"strides": [1, 2]}, (1, 2)),
        ({"strides": np.array([1, 2])}, (1, 2)),
        ({"strides": (np.int64(1),)}, (1,)),
        ({"scale": 2}, 2.0),
        ({"scale": np.float32(0.5)}, 0.5),
        ({"wrap": 1}, True),
        ({"wrap": 0}, False),
        ({"wrap": np.bool_(True)}, True),
        ({"dtype": "float32"}, "float32"),
        ({"dtype": np.dtype("int8")}, "int8"),
        ({"dtype": None}, None),
        ({"axis": 2}, 2),
        ({"axis": [0, 1]}, (0, 1)),
        ({"axis": None}, None),
        ({"anything": [1]}, [1]),
        ({"nested": DictAttrs({"a": 1})}, DictAttrs({"a": 1})),
        ({"nothing": None}, None),
    ],
)
def test_values_are_converted_where_nothing_is_lost(given, kept):
    (name,) = given
    found = WindowAttrs(1, **given)[name]
    assert found == kept
    assert type(found) is type(kept)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"size": "3"}, r"WindowAttrs.size: expected an int; found '3'"),
        ({"size": 1.0}, r"WindowAttrs.size: expected an int; found 1.0"),
        ({"size": True}, r"WindowAttrs.size: expected an int; found True"),
        ({"strides": "12"}, r"WindowAttrs.strides: expected tuple\[int, \.\.\.\]; found '12'"),
        ({"strides": 3}, r"WindowAttrs.strides: expected tuple\[int, \.\.\.\]; found 3"),
        ({"strides": (1, "a")}, r"WindowAttrs.strides: expected an int; found 'a'"),
        ({"scale": "1"}, r"WindowAttrs.scale: expected a float; found '1'"),
        ({"scale": True}, r"WindowAttrs.scale: expected a float; found True"),
        ({"wrap": 2}, r"WindowAttrs.wrap: expected True or False; found 2"),
        ({"wrap": "yes"}, r"WindowAttrs.wrap: expected True or False; found 'yes'"),
        ({"layout": None}, r"WindowAttrs.layout: expected a str; found None"),
        ({"dtype": "flot"}, r"WindowAttrs.dtype: expected .*found 'flot'"),
        ({"axis": "a"}, r"WindowAttrs.axis: expected .*found 'a'"),
        ({"nested": {}}, r"WindowAttrs.nested: expected .*found \{\}"),
        ({"nothing": 0}, r"WindowAttrs.nothing: expected None; found 0"),
    ],
)
def test_wrong_value_is_an_error_that_names_the_field(given, message):
    with pytest.raises(FieldError, match=message):
        WindowAttrs(**{"size": 1, **given})


def test_instance_of_a_class_is_checked(declarations):
    @attrs("test.HoldingAttrs")
    class HoldingAttrs(Attrs):
        held: NoAttrs

    assert HoldingAttrs(NoAttrs()).held == NoAttrs()
    with pytest.raises(FieldError, match=r"HoldingAttrs.held: expected NoAttrs; found 3"):
        HoldingAttrs(3)


def test_unknown_or_missing_field_is_a_type_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'sise'"):
        WindowAttrs(1, sise=2)
    with pytest.raises(TypeError, match="missing 1 required"):
        WindowAttrs()


def test_inherited_fields_follow_and_defaults_may_change():
    made = PaddedWindowAttrs(1, size=2)
    assert (made.padding, made.size, made.strides) == (1, 2, (2, 2))
    assert made.keys()[0] == "padding"
    assert isinstance(made, WindowAttrs)
    assert made != WindowAttrs(2)
    assert dict(made.shown_items()) == {"padding": 1, "size": 2}


def test_attributes_are_equal_by_class_and_value():
    assert WindowAttrs(1) == WindowAttrs(1)
    assert WindowAttrs(1) != WindowAttrs(2)
    assert hash(WindowAttrs(1)) == hash(WindowAttrs(1))
    assert NoAttrs() == NoAttrs()
    assert NoAttrs() != WindowAttrs(1)
    assert len({WindowAttrs(1), WindowAttrs(1), NoAttrs()}) == 2


def test_attributes_are_frozen():
    made = WindowAttrs(1)
    with pytest.raises(FrozenNodeError, match=r"use attrs.with_values\(size=\.\.\.\)"):
        made.size = 2
    with pytest.raises(FrozenNodeError, match="cannot delete attribute 'size'"):
        del made.size
    assert not hasattr(made, "__dict__")


def test_with_values_checks_and_keeps_the_rest():
    made = WindowAttrs(1, layout="NHWC").with_values(size=2)
    assert (made.size, made.layout) == (2, "NHWC")
    with pytest.raises(FieldError, match="size: expected an int"):
        made.with_values(size="a")


def test_attributes_are_read_by_name():
    made = WindowAttrs(1)
    assert made["size"] == made.get("size") == made.size == 1
    assert made.get("other") is None
    assert made.get("other", 3) == 3
    assert "size" in made
    assert "other" not in made
    assert 3 not in made
    with pytest.raises(
        UnknownNameError, match="WindowAttrs has no attribute 'sise'; did you mean s"
    ):
        made["sise"]


@pytest.mark.parametrize("made", [WindowAttrs(1, axis=(1,)), NoAttrs(), DictAttrs({"a": [1]})])
def test_attributes_are_pickled_and_copied(made):
    assert pickle.loads(pickle.dumps(made)) == made
    assert copy.deepcopy(made) == made


def test_attributes_show_themselves():
    assert repr(NoAttrs()) == "NoAttrs()"
    assert repr(WindowAttrs(1)).startswith("WindowAttrs(size=1, strides=(1, 1), scale=1.0, ")
    assert repr(DictAttrs({"a": 1})) == "DictAttrs({'a': 1})"


def test_shown_items_tell_values_of_different_types_apart():
    assert dict(WindowAttrs(1, axis=None, anything=0).shown_items()) == {"size": 1, "anything": 0}


def test_attribute_class_is_found_by_its_key():
    assert attrs_class("test.WindowAttrs") is WindowAttrs
    assert attrs_class("test.Missing") is None


def test_key_declared_twice_is_an_error_naming_both():
    message = r"'test.NoAttrs' is declared twice; .* by .*\.NoAttrs and by .*Other; "
    with pytest.raises(DuplicateNameError, match=message):

        @attrs("test.NoAttrs")
        class Other(Attrs):
            pass


def test_undeclared_class_cannot_be_made():
    class Bare(Attrs):
        __slots__ = ()

    class Child(NoAttrs):
        __slots__ = ()

    for kind in (Bare, Child, Attrs):
        with pytest.raises(DeclarationError, match=f"{kind.__name__} is not declared; decorate it"):
            kind()


def test_annotation_that_cannot_be_checked_is_an_error_at_first_use(declarations):
    @attrs("test.OddAttrs")
    class OddAttrs(Attrs):
        pair: tuple[int, str]

    with pytest.raises(DeclarationError, match=r"tuple\[int, str\] is not of the form"):
        OddAttrs((1, "a"))


def test_wrong_default_is_an_error_at_first_use(declarations):
    @attrs("test.WrongAttrs")
    class WrongAttrs(Attrs):
        size: int = "three"

    with pytest.raises(FieldError, match=r"WrongAttrs.size: expected an int; found 'three'"):
        WrongAttrs()


def test_items_of_tuples_are_converted_where_equal_ones_would_do():
    strides = WindowAttrs(1, strides=(np.int64(2), 3)).strides
    assert strides == (2, 3)
    assert [type(item) for item in strides] == [int, int]
    given = (4, 5)
    assert WindowAttrs(1, strides=given).strides is given


def test_dict_attrs_hold_any_names():
    made = DictAttrs({"a b": [1, [2]], "inner": {"c": 1}, 3: None})
    assert made.keys() == ("a b", "inner", "3")
    assert made["a b"] == (1, (2,))
    assert made["inner"] == DictAttrs({"c": 1})
    assert made.get("a") is None
    assert made.get("inner") == DictAttrs({"c": 1})
    assert dict(made.shown_items()) == dict(made.items())
    assert len(made) == 3
    assert not DictAttrs()
    with pytest.raises(UnknownNameError, match="no attribute 'iner'; did you mean inner"):
        made["iner"]
    with pytest.raises(FrozenNodeError):
        made.inner = {}
    with pytest.raises(UnknownNameError, match=r"no attribute 0$"):
        made[0]  # as a list would be asked


def test_dict_attrs_are_equal_whatever_their_order():
    one, other = DictAttrs({"a": 1, "b": 2}), DictAttrs({"b": 2, "a": 1})
    assert one == other
    assert hash(one) == hash(other)
    assert one != DictAttrs({"a": 1})
    assert one != {"a": 1, "b": 2}
    assert one.with_values(b=3) == DictAttrs({"a": 1, "b": 3})
    assert one["b"] == 2
