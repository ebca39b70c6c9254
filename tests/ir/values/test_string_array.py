"""Tensors of strings as constants and attributes."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import relayish as relay
from relayish.binary import from_binary, to_binary
from relayish.ir.values.string_array import pack_strings, unpack_strings
from tests.support.each import each

ARRAYS = (
    np.array([["a", "b\0"], ["\udc80x", "été"]], object),
    np.array("one", object),
    np.array([], object),
    np.zeros((2, 0), object),
    np.array(["x", "yy"]),
)


def _module(array):
    attrs = relay.DictAttrs({"words": relay.Constant(array).data})
    return relay.IRModule({"main": relay.Function([], relay.Constant(array), attrs=attrs)})


@each("array", ARRAYS)
def test_constant_holds_strings_of_any_shape(array):
    held = relay.Constant(array).data
    assert held.dtype == object
    assert held.tolist() == array.tolist()
    assert held.shape == array.shape
    assert not held.flags.writeable


def test_constant_does_not_follow_the_array_it_was_made_of():
    array = np.array(["a"], object)
    held = relay.Constant(array).data
    array[0] = "b"
    assert held.tolist() == ["a"]


def test_constant_does_not_copy_what_nobody_can_write_to():
    held = relay.Constant(np.array(["a"], object)).data
    assert relay.Constant(held).data is held


@pytest.mark.parametrize("array", [np.array([1, "a"], object), np.array([b"a"], object)])
def test_constant_refuses_other_objects(array):
    with pytest.raises(relay.FieldError, match="found array"):
        relay.Constant(array)


@each("array", ARRAYS)
def test_module_of_strings_survives_all_forms(array):
    mod = _module(array)
    forms = {
        "text": relay.parse(relay.astext(mod)),
        "b2a": relay.a2b(relay.b2a(mod)),
        "binary": from_binary(to_binary(mod)),
        "pickle": pickle.loads(pickle.dumps(mod)),
        "copy": copy.deepcopy(mod),
    }
    for form, other in forms.items():
        assert relay.structural_equal(mod, other), form
        assert relay.structural_hash(mod) == relay.structural_hash(other), form


def test_other_strings_are_not_equal():
    one = relay.Constant(np.array(["a", "b"], object))
    for other in (["a", "c"], [["a"], ["b"]], ["a"], ["a", "b\0"]):
        assert not relay.structural_equal(one, relay.Constant(np.array(other, object)))


def test_type_of_strings_is_a_tensor_of_strings():
    typed = relay.transform.InferType()(_module(np.array(["a", "b"], object)))
    assert typed["main"].body.checked_type == relay.TensorType((2,), "string") or (
        relay.structural_equal(typed["main"].body.checked_type, relay.TensorType((2,), "string"))
    )


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        (b"", (1,)),
        (b"\1" + b"\0" * 7, (1,)),
        (b"\1" + b"\0" * 7 + b"ab", (1,)),
        (b"\1" + b"\0" * 7 + b"\xff", (1,)),
        (b"\xff" * 8 + b"a", (1,)),
        (b"", (1 << 40,)),
    ],
)
def test_damaged_bytes_are_refused(data, shape):
    with pytest.raises(ValueError):  # noqa: PT011 - of the codec, too
        unpack_strings(data, shape)


def test_objects_other_than_strings_are_not_packed():
    with pytest.raises(ValueError, match="no strings"):
        pack_strings(np.array([1], object))
