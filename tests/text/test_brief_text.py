"""Texts of programs to be compared: without inferred types, constants by what they hold."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.text.relay.brief_text import ConstantNames, brief_text
from relayish.transform import InferType
from tests.support.each import each

MOD = relay.parse("""#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) -> Tensor[(2), float32] {
  let %y: Tensor[(2), float32] = nn.relu(%x);
  add(%y, 1f)
}""")


def test_text_is_the_same_when_types_were_inferred():
    text = brief_text(MOD)
    assert "let %y = nn.relu(%x);" in text
    assert brief_text(InferType()(MOD)) == text
    assert "ty=float32" in brief_text(InferType()(MOD), show_types=True)


@each(
    ("one", "other"),
    [
        (np.zeros((2, 3), "float32"), np.zeros((3, 2), "float32")),
        (np.zeros(2, "float32"), np.zeros(2, "int32")),
        (np.array([1.0, 2.0]), np.array([2.0, 1.0])),
        (np.array(["a"], object), np.array(["b"], object)),
    ],
)
def test_constants_have_one_name_when_they_are_equal_and_only_then(one, other):
    names = ConstantNames()
    assert names.of(one) == names.of(one.copy())
    assert names.of(one) != names.of(other)


def test_constant_is_not_read_when_it_is_large():
    assert ConstantNames(largest=16).of(np.zeros(3)) == "float64[3]"


@pytest.mark.parametrize("shape", [(0, 3), (), (2, 2)])
def test_constant_has_a_name_when_it_is_empty_or_not_contiguous(shape):
    assert ConstantNames().of(np.zeros(shape).T).startswith("float64[")


def test_types_of_results_are_left_out_when_asked():
    assert "-> Tensor[(2), float32] {" in brief_text(MOD)
    assert "def @main(%x: Tensor[(2), float32]) {" in brief_text(MOD, show_results=False)


def test_value_is_found_by_the_name_it_goes_by():
    names, value = ConstantNames(), np.ones(3)
    assert names.named(names.of(value)) is value
    assert names.named("float64[3]") is None
