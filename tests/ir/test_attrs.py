from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from relayish.errors import (
    DeclarationError,
    DuplicateNameError,
    FieldError,
    FrozenNodeError,
    UnknownNameError,
)
from relayish.ir.attrs import Attrs, DictAttrs, attrs, attrs_class
from relayish.ir.dtype import DType


@attrs("test.WindowAttrs")
class WindowAttrs(Attrs):
    size: tuple[int, ...]
    stride: int = 1
    scale: float = 1.0
    dtype: DType | None = None
    exact: bool = False


@attrs("test.LateAttrs")
class LateAttrs(Attrs):
    mode: str = "edge"
    width: int  # type: ignore[misc]


def test_values_are_converted_where_nothing_is_lost():
    given = WindowAttrs([1, np.int64(2)], scale=2, dtype=np.dtype("int8"), exact=1)
    assert given == WindowAttrs((1, 2), 1, 2.0, "int8", exact=True)
    assert [type(v) for _, v in given.items()] == [tuple, int, float, str, bool]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"size": (1,), "stride": 1.5}, "WindowAttrs.stride: expected an int; found 1.5"),
        ({"size": (1,), "stride": True}, "expected an int; found True"),
        ({"size": 1}, r"WindowAttrs.size: expected tuple\[int, ...\]; found 1"),
        ({"size": "12"}, "found '12'"),
        ({"size": (1,), "dtype": "real"}, "WindowAttrs.dtype: "),
        ({"size": (1,), "exact": 2}, "expected True or False; found 2"),
    ],
)
def test_value_of_another_type_is_refused(values, message):
    with pytest.raises(FieldError, match=message):
        WindowAttrs(**values)


def test_equality_and_hash_look_at_class_and_fields():
    one, same, other = WindowAttrs((1,)), WindowAttrs((1,)), WindowAttrs((2,))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != LateAttrs(width=1)


def test_attributes_are_frozen():
    given = WindowAttrs((1,))
    with pytest.raises(FrozenNodeError, match=r"with_values\(stride=...\)"):
        given.stride = 2
    with pytest.raises(FrozenNodeError, match="cannot delete"):
        del given.stride
    assert given.with_values(stride=2).stride == 2


def test_shown_items_leave_defaults_out():
    assert dict(WindowAttrs((1,), 1, 2.0).shown_items()) == {"size": (1,), "scale": 2.0}


def test_fields_are_found_by_name():
    given = WindowAttrs((1,))
    assert given["stride"] == given.get("stride") == 1
    assert given.get("keys", "none") == "none"
    assert "stride" in given
    with pytest.raises(UnknownNameError, match="did you mean stride"):
        given["strides"]


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda a: pickle.loads(pickle.dumps(a))]
)
@pytest.mark.parametrize("given", [WindowAttrs((1, 2), dtype="int8"), LateAttrs(width=3)])
def test_copies_are_equal(given, copied):
    assert copied(given) == given


def test_required_field_after_optional_ones_is_given_by_name():
    assert LateAttrs(width=3).mode == "edge"
    with pytest.raises(TypeError):
        LateAttrs("edge", 3)


def test_missing_and_unknown_fields_are_refused():
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'size'"):
        WindowAttrs()
    with pytest.raises(TypeError, match="unexpected keyword argument 'strides'"):
        WindowAttrs((1,), strides=2)


def test_type_key_is_claimed_once():
    assert attrs_class("test.WindowAttrs") is WindowAttrs
    with pytest.raises(DuplicateNameError, match="declared twice"):
        attrs("test.WindowAttrs")(type("Other", (Attrs,), {"__slots__": ()}))


def test_class_that_is_not_declared_has_no_instances():
    with pytest.raises(DeclarationError, match="Bare is not declared"):
        type("Bare", (Attrs,), {})()


def test_annotation_that_cannot_be_checked_is_refused_at_first_use():
    @attrs("test.PairAttrs")
    class PairAttrs(Attrs):
        pair: tuple[int, str]

    with pytest.raises(DeclarationError, match=r"not of the form tuple\[T, ...\]"):
        PairAttrs((1, "a"))


def test_default_of_another_type_is_refused_at_first_use():
    @attrs("test.WrongAttrs")
    class WrongAttrs(Attrs):
        count: int = "many"

    with pytest.raises(FieldError, match=r"WrongAttrs\.count: expected an int; found 'many'"):
        WrongAttrs()


def test_dict_attrs_take_any_names_and_values():
    given = DictAttrs({"Primitive": 1, "shape": [1, [2]]})
    assert given["shape"] == (1, (2,))
    assert given.with_values(Primitive=2) != given
    with pytest.raises(FrozenNodeError):
        given.shape = ()
