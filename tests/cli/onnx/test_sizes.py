"""Sizes of dimensions without one."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx import helper, numpy_helper

from relayish.cli.onnx.inputs import MOST_ELEMENTS, MOST_OF_FURTHER, Input, plans
from relayish.cli.onnx.sizes import Dimensions, lengths_in, parse_sum
from relayish.errors import OptionError
from relayish.frontend.onnx import from_onnx
from tests.support.small_models import FLOAT, model_of

pytestmark = pytest.mark.references

LENGTHS = (12, 100)


def sizes(*dims: str, lengths: tuple[int, ...] | None = None, **known: int) -> list[dict[str, int]]:
    """Return what is tried for the axes of one input: the usual ones, or those that follow."""
    found = Dimensions({dim: axis for axis, dim in enumerate(dims)}, known)
    return [
        dict(each)
        for each in (found.usual() if lengths is None else found.further(lambda: lengths))
    ]


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        ("past + 1", [["past"], [1]]),
        ("past_length+n", [["past_length"], ["n"]]),
        ("2*s0 + s1*3", [[2, "s0"], ["s1", 3]]),
        ("past", None),
        ("x[1]", None),
        ("past plus + 1", None),
        ("1 + 2", None),
        ("a + ", None),
        ("?", None),
        ("a + 9999999999", None),
    ],
)
def test_names_that_are_sums_of_products_say_their_size(name: str, terms: Any) -> None:
    assert parse_sum(name) == terms


def test_sums_have_the_size_of_what_they_name() -> None:
    for each in sizes("batch", "past", "past + n", "2*n", "past + 1"):
        n, odd = divmod(each["2*n"], 2)
        assert not odd
        assert each["past + n"] == each["past"] + n
        assert each["past + 1"] == each["past"] + 1


def test_sizes_that_are_known_are_the_only_ones() -> None:
    for found in sizes("a", "b"), sizes("a", "b", lengths=LENGTHS):
        assert {each["b"] for each in found} > {8}
    for found in sizes("a", "b", b=7), sizes("a", "b", lengths=LENGTHS, b=7):
        assert {each["b"] for each in found} == {7}
        assert len({each["a"] for each in found}) > 1
    assert sizes("a", "b + 1", a=3, **{"b + 1": 9})[0] == {"a": 3, "b + 1": 9}
    assert sizes("a", lengths=LENGTHS, a=3) == []
    assert sizes("a", a=3) == [{"a": 3}]


def test_lengths_of_the_model_come_after_the_usual_sizes_and_nothing_comes_twice() -> None:
    usual, further = sizes("n", "m"), sizes("n", "m", lengths=(64, *LENGTHS))
    assert further[:2] == [{"n": 2, "m": 12}, {"n": 1, "m": 12}]
    assert {"n": 12, "m": 8} in further
    assert {"n": 64, "m": 64} in further
    keys = [tuple(each.items()) for each in usual + further]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("names", [*itertools.permutations(["past", "total", "step"])])
def test_one_dimension_may_be_the_sum_of_two(names: tuple[str, ...]) -> None:
    further = sizes("batch", *names, lengths=())
    assert any(
        1 < each["past"] == each["total"] - each["step"] and each["step"] > 1 for each in further
    )
    assert {"batch": 2, "past": 8, "step": 1, "total": 8} in further
    assert any(each["step"] == 1 and 1 < each["past"] == each["total"] - 1 for each in further)
    assert any(each["total"] == each["past"] + 1 and each["step"] > 1 for each in further)


def test_further_sizes_are_bounded() -> None:
    many = [f"n{number}" for number in range(50)]
    assert len(sizes(*many, lengths=tuple(range(3, 40)))) <= 300
    assert len(sizes(*many[:8], lengths=tuple(range(3, 40)))) == 300


def test_inputs_are_of_a_size_that_memory_has_unless_asked_for() -> None:
    cube = [Input("x", "float32", ("a", "b", "c", "d"))]
    for found, _ in plans(cube):
        assert np.prod([float(each) for each in found.values()]) <= MOST_ELEMENTS
    for found, _ in plans(cube, None, lambda: [100]):
        assert np.prod([float(each) for each in found.values()]) <= MOST_OF_FURTHER
    large = dict.fromkeys("abcd", 512)
    assert [found for found, _ in plans(cube, large)] == [large]


def test_lengths_are_those_of_shapes_and_then_those_of_weights() -> None:
    nodes = [
        helper.make_node("Reshape", ["x", "s"], ["a"]),
        helper.make_node("Constant", [], ["t"], value_ints=[5, 7]),
        helper.make_node("Constant", [], ["u"], value=numpy_helper.from_array(np.array([12]))),
        helper.make_node("Add", ["a", "w"], ["b"]),
        helper.make_node("Reshape", ["b", "t"], ["c"]),
        helper.make_node("Expand", ["c", "u"], ["y"]),
    ]
    constants = {"s": np.array([1, 12, -1]), "w": np.zeros((1, 30), "float32")}
    model = model_of(nodes, {"x": (FLOAT, ["n"])}, {"y": (FLOAT, ["a", "b"])}, constants)
    found = lengths_in(from_onnx(model))
    assert found[0] == 12
    assert set(found[:4]) == {12, 5, 7, 35}
    assert found[-2:] == [3, 30]


def test_lengths_are_neither_long_nor_of_tables() -> None:
    node = helper.make_node("Sum", ["x", "a", "b", "c"], ["y"])
    constants = {
        "a": np.array([2, 3, -1, 4096, 4097]),
        "b": np.full(8, 70),
        "c": np.full((9, 4097), 80),
    }
    model = model_of([node], {"x": (FLOAT, ["n"])}, {"y": (FLOAT, ["n"])}, constants)
    assert sorted(lengths_in(from_onnx(model))) == [3, 5, 8, 9, 70, 4096]


def test_the_least_size_is_tried_where_all_are_large() -> None:
    wide = Input("x", "float32", ("n", 5000, 5000), False)
    assert {tuple(found.items()) for found, _ in plans([wide])} == {(("n", 1),)}
    with pytest.raises(OptionError, match=r"with n=1, the least .* 40,000,000,000 elements"):
        list(plans([Input("x", "float32", ("n", 200_000, 200_000), False)]))
