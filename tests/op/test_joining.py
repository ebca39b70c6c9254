from __future__ import annotations

import numpy as np
import pytest

from relayish.ir.relay.type import TupleType
from relayish.op.types.dimension import show_shape
from tests.support.checking import (
    assert_same,
    evaluated,
    evaluated_in,
    random_values,
    reference,
)
from tests.support.drawn import DTYPES, axes, filled, hypothesis, shapes, st
from tests.support.seeds import quickly


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


def test_every_evaluated_operator_of_the_family_is_tested():
    assert evaluated_in("relayish.op.tensor.joining") == {
        "concatenate",
        "stack",
        "split",
        "meshgrid",
    }
