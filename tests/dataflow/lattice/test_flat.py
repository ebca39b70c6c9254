"""Flat lattices, and which values are the same."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from relayish.dataflow.lattice import BOTTOM, TOP, UNREACHABLE, Flat, same_value
from tests.support.each import each

NAN = float("nan")


def test_values_that_differ_are_joined_to_the_top():
    assert Flat().join(3, 4) is TOP


def test_values_that_are_the_same_stay():
    assert Flat().join(3, 3) == 3
    assert math.isnan(Flat().join(NAN, -NAN))


def test_values_that_differ_meet_at_the_bottom():
    assert Flat().meet(3, 4) is BOTTOM


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (NAN, float("nan")),
        (0.0, 0.0),
        (1, 1),
        ("ab", "".join("ab")),
        ((1, 2.0), (1, 2.0)),
        (complex(NAN, 0), complex(float("nan"), 0)),
        (np.float32(1), np.float32(1)),
        (np.zeros((2, 3)), np.zeros((2, 3))),
        (np.array([NAN]), np.array([NAN])),
        (np.array(["a", None], dtype=object), np.array(["a", None], dtype=object)),
        ([1, 2], [1, 2]),
    ],
)
def test_values_are_the_same(a, b):
    assert same_value(a, b)
    assert same_value(a, copy.deepcopy(a))


@each(
    ("a", "b"),
    [
        (0.0, -0.0),
        (NAN, 0.0),
        (1, 1.0),
        (1, True),
        (complex(0, 0.0), complex(0, -0.0)),
        ((0.0,), (-0.0,)),
        ((1,), (1, 1)),
        ((1,), (True,)),
        (np.float32(1), np.float64(1)),
        (np.float32(0.0), np.float32(-0.0)),
        (np.zeros((2, 3)), np.zeros((3, 2))),
        (np.zeros(2, np.int32), np.zeros(2, np.int64)),
        (np.array([1, None], dtype=object), np.array([True, None], dtype=object)),
        ("a", "b"),
    ],
)
def test_values_are_told_apart(a, b):
    assert not same_value(a, b)
    assert Flat().join(a, b) is TOP
    assert not Flat().equal(a, b)
    assert not Flat().leq(a, b)


def test_values_are_compared_as_the_user_says():
    parities = Flat(same=lambda a, b: a % 2 == b % 2)
    assert parities.join(3, 5) == 3
    assert parities.join(3, 4) is TOP


def test_symbols_show_their_names():
    assert repr((BOTTOM, TOP)) == "(BOTTOM, TOP)"
    assert f"{BOTTOM} {TOP} {UNREACHABLE}" == "BOTTOM TOP UNREACHABLE"


def test_symbols_are_no_values():
    assert not Flat().equal(BOTTOM, "bottom")
    assert not Flat(same=lambda _a, _b: True).equal(TOP, 3)
