from __future__ import annotations

import numpy as np
import pytest

from relayish.interpreter import ConstructorValue, RefValue, normalise, same_value
from relayish.interpreter.value import as_argument, count_elements
from relayish.ir.relay.adt import Constructor
from relayish.ir.relay.expr import Constant
from relayish.ir.relay.type import GlobalTypeVar
from tests.support.depth import DEPTH
from tests.support.each import each

NAN = float("nan")


@each(
    ("left", "right", "same"),
    [
        (np.float32(NAN), np.float32(NAN), True),
        (np.float32(NAN), -np.float32(NAN), True),
        (np.float32(NAN), np.float64(NAN), False),
        (np.float32(0.0), np.float32(-0.0), False),
        (np.int32(1), np.int64(1), False),
        (np.int32(1), np.bool_(1), False),
        (np.array([1.0, NAN]), np.array([1.0, NAN]), True),
        (np.array([1.0, NAN]), np.array([2.0, NAN]), False),
        (np.array([0.0, NAN]), np.array([-0.0, NAN]), False),
        (np.ones((2, 3)), np.ones((3, 2)), False),
        (np.ones((0,)), np.ones((0,)), True),
        (np.arange(6).reshape(2, 3).T, np.arange(6).reshape(2, 3).T.copy(), True),
        ((np.int32(1), ()), (np.int32(1), ()), True),
        ((np.int32(1),), (np.int32(1), np.int32(1)), False),
        ("a", "a", True),
        ("a", "b", False),
        (None, None, True),
        (None, (), False),
        (RefValue(np.int32(1)), RefValue(np.int32(1)), True),
        (RefValue(np.int32(1)), RefValue(np.int32(2)), False),
    ],
)
def test_same_value(left, right, same):
    assert same_value(left, right) is same


def test_same_value_tells_constructors_apart():
    header = GlobalTypeVar("T")
    one, other = Constructor("A", (), header), Constructor("A", (), header)
    assert same_value(ConstructorValue(0, (), one), ConstructorValue(0, (), one))
    assert not same_value(ConstructorValue(0, (), one), ConstructorValue(0, (), other))


def test_same_value_ends_on_cyclic_references():
    one, other = RefValue(None), RefValue(None)
    one.value, other.value = (one,), (other,)
    assert same_value(one, other)


def test_same_value_looks_at_a_shared_value_once():
    one = other = np.int32(1)
    for _ in range(100):
        one, other = (one, one), (other, other)
    assert same_value(one, other)


@pytest.mark.deep
def test_same_value_is_not_recursive():
    one = other = np.int32(1)
    for _ in range(DEPTH):
        one, other = (one,), (other,)
    assert same_value(one, other)


def test_normalise_freezes_arrays_in_place():
    array = np.ones(3)
    assert normalise(array) is array
    assert not array.flags.writeable


def test_normalise_turns_rank_0_into_a_scalar():
    assert type(normalise((np.array(1.5),))[0]) is np.float64


def test_as_argument_takes_lists_python_numbers_and_constants():
    assert as_argument([1, [2.5, Constant(True)]]) == (1, (2.5, True))


@pytest.mark.deep
def test_as_argument_is_not_recursive():
    nest = 1
    for _ in range(DEPTH):
        nest = (nest,)
    found = as_argument(nest)
    while isinstance(found, tuple):
        (found,) = found
    assert found == 1


def test_as_argument_refuses_objects():
    with pytest.raises(TypeError, match="a constant holds"):
        as_argument(object())


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (np.float32(1), 1),
        (np.ones((2, 3)), 6),
        ((np.ones(2), (np.ones(3), "text", None)), 7),
        ((), 0),
        ("text", 1),
    ],
)
def test_elements_of_a_value_are_those_of_its_tensors_and_whatever_else_it_holds(value, count):
    assert count_elements(value) == count
