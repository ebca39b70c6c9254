from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.ir.relay.type import Any, SizeVar, TensorType, TupleType
from relayish.op import get_op, make_attrs
from relayish.op.types.dimension import show_shape
from tests.support.checking import (
    assert_same,
    evaluated,
    evaluated_in,
    inferred,
    random_values,
    reference,
)
from tests.support.drawn import DTYPES, axes, filled, hypothesis, shapes, st
from tests.support.seeds import quickly


def type_of_call(name, *types, **attributes):
    return inferred(name, make_attrs(get_op(name), attributes), *types)


def shown(ty):
    """Return the shapes of a type, ``?`` for what is not known, and its element types."""
    if isinstance(ty, TupleType):
        return [shown(field) for field in ty.fields]
    return f"{show_shape(ty.shape)} {ty.dtype}"


@reference("numpy", "concatenate", "stack")
@quickly()
@hypothesis.given(st.data())
def test_joined_tensors_are_those_numpy_makes(data):
    shape = data.draw(shapes())
    dtype, axis = data.draw(st.sampled_from(DTYPES)), data.draw(axes(len(shape)))
    sides = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=4))
    parts = []
    for seed, side in enumerate(sides):
        lengths = list(shape)
        lengths[axis] = side
        parts.append(filled(tuple(lengths), dtype, seed))
    found = evaluated("concatenate", tuple(parts), axis=axis)
    assert_same(found, np.concatenate(parts, axis))
    alike = tuple(filled(shape, dtype, seed) for seed, _ in enumerate(sides))
    beside = data.draw(axes(len(shape) + 1))
    assert_same(evaluated("stack", alike, axis=beside), np.stack(alike, beside))


@reference("numpy", "split")
@quickly()
@hypothesis.given(st.data())
def test_split_is_undone_by_concatenate(data):
    shape = list(data.draw(shapes()))
    axis = data.draw(axes(len(shape)))
    count = data.draw(st.integers(1, 4))
    shape[axis] *= count
    whole = filled(tuple(shape), data.draw(st.sampled_from(DTYPES)))
    parts = evaluated("split", whole, indices_or_sections=count, axis=axis)
    assert_same(parts, np.split(whole, count, axis))
    assert_same(evaluated("concatenate", parts, axis=axis), whole)
    places = data.draw(st.sets(st.integers(1, max(1, shape[axis] - 1)), max_size=3))
    cuts = tuple(sorted(place for place in places if place < shape[axis]))
    found = evaluated("split", whole, indices_or_sections=cuts, axis=axis)
    assert_same(found, np.split(whole, cuts, axis))


def test_split_at_positions():
    data = random_values(5, dtype="int8")
    found = evaluated("split", data, indices_or_sections=(1, 3))
    assert_same(found, (data[:1], data[1:3], data[3:]))


@reference("numpy", "meshgrid")
@pytest.mark.parametrize("indexing", ["ij", "xy"])
@quickly(20)
@hypothesis.given(st.data())
def test_meshgrid_spreads_vectors_as_numpy_does(indexing, data):
    dtype = data.draw(st.sampled_from(DTYPES))
    lines = data.draw(st.lists(shapes(0, 1), min_size=1, max_size=4))
    parts = tuple(filled(shape, dtype, seed) for seed, shape in enumerate(lines))
    expected = tuple(np.meshgrid(*parts, indexing=indexing))
    assert_same(evaluated("meshgrid", parts, indexing=indexing), expected)


@reference("torch", "concatenate", "stack", "split", "meshgrid")
def test_joining_and_parting_agree_with_torch():
    torch = pytest.importorskip("torch")
    parts = tuple(random_values(2, 3, 4, seed=seed) for seed in range(3))
    held = [torch.tensor(part) for part in parts]
    for axis in (-3, -1, 0, 1, 2):
        joined = torch.cat(held, axis)
        assert_same(evaluated("concatenate", parts, axis=axis), joined.numpy())
        assert_same(evaluated("stack", parts, axis=axis), torch.stack(held, axis).numpy())
        cut = torch.tensor_split(joined, (1, 2), axis)
        found = evaluated("split", joined.numpy(), indices_or_sections=(1, 2), axis=axis)
        assert_same(found, [part.numpy() for part in cut])
    lines = [np.arange(n, dtype="int32") for n in (2, 3, 1)]
    for indexing in ("ij", "xy"):
        grids = torch.meshgrid(*map(torch.tensor, lines), indexing=indexing)
        found = evaluated("meshgrid", tuple(lines), indexing=indexing)
        assert_same(found, [grid.numpy() for grid in grids])


def test_sizes_that_are_unknown_in_one_tensor_are_taken_from_another():
    parts = TupleType((TensorType((Any(), 3, 4)), TensorType((2, Any(), Any()))))
    assert shown(type_of_call("concatenate", parts, axis=0)) == "(?, 3, 4) float32"
    assert shown(type_of_call("concatenate", parts, axis=1)) == "(2, ?, 4) float32"
    assert shown(type_of_call("stack", parts, axis=-1)) == "(2, 3, 4, 2) float32"


def test_named_sizes_are_added_and_divided():
    n = SizeVar("n")
    line = TensorType((n,))
    joined = type_of_call("concatenate", TupleType((line, TensorType((3,)))))
    (total,) = joined.shape
    assert (total.name, total.args[0], total.args[1]) == ("tir.Add", n, 3)
    halves = type_of_call("split", line, indices_or_sections=2)
    assert [field.shape[0].name for field in halves.fields] == ["tir.FloorDiv"] * 2
    first, last = type_of_call("split", line, indices_or_sections=(2,)).fields
    assert first.shape == (2,)
    assert (last.shape[0].name, last.shape[0].args) == ("tir.Sub", (n, 2))


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"indices_or_sections": 3}, ["(?, 9) float32"] * 3),
        ({"indices_or_sections": (2,)}, ["(2, 9) float32", "(?, 9) float32"]),
        (
            {"indices_or_sections": (2, 5), "axis": -1},
            ["(?, 2) float32", "(?, 3) float32", "(?, 4) float32"],
        ),
        ({"indices_or_sections": ()}, ["(?, 9) float32"]),
    ],
)
def test_parts_of_an_unknown_size_are_known_but_for_the_last(attributes, expected):
    assert shown(type_of_call("split", TensorType((Any(), 9)), **attributes)) == expected


def test_value_that_cannot_be_is_refused():
    with pytest.raises(EvaluationError, match="cannot be split into 2 equal parts"):
        evaluated("split", np.zeros(5), indices_or_sections=2)
    with pytest.raises(EvaluationError, match="'ij' or 'xy'"):
        evaluated("meshgrid", (np.arange(2),), indexing="ji")


def test_every_evaluated_operator_of_the_family_is_tested():
    assert evaluated_in("relayish.op.tensor.joining") == {
        "concatenate",
        "stack",
        "split",
        "meshgrid",
    }
