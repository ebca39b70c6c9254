from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.support.checking import (
    assert_same,
    evaluated,
    evaluated_in,
    every_index,
    reference,
)
from tests.support.drawn import INDEX_DTYPES, arrays, axes, filled, hypothesis, shapes, st
from tests.support.seeds import quickly

PLACES = {
    "clip": lambda at, size: min(max(at, 0), size - 1),
    "wrap": lambda at, size: at % size,
    "fast": lambda at, _: at,
}


@reference("formula", "take")
@pytest.mark.parametrize("mode", sorted(PLACES))
@quickly(25)
@hypothesis.given(st.data())
def test_take_picks_along_an_axis_in_batches(mode, data):
    whole = data.draw(arrays(data.draw(shapes(1, 3))))
    if data.draw(st.booleans()):
        whole = whole[..., :0]  # nothing beside what is taken, or to take from
    axis = data.draw(st.integers(0, whole.ndim - 1))
    batch = data.draw(st.integers(0, axis))
    size = whole.shape[axis]
    rest = data.draw(shapes(0, 2, 0, 3)) if size else (0,)
    bounds = {"low": 0, "high": max(size, 1)} if mode == "fast" else {"low": -7, "high": 8}
    dtype = data.draw(st.sampled_from(INDEX_DTYPES))
    indices = filled(whole.shape[:batch] + rest, dtype, 3, **bounds)
    asked = data.draw(st.sampled_from((batch, batch - indices.ndim) if rest else (batch,)))
    named = axis - data.draw(st.sampled_from((0, whole.ndim)))
    found = evaluated("take", whole, indices, axis=named, batch_dims=asked, mode=mode)
    assert found.shape == whole.shape[:axis] + rest + whole.shape[axis + 1 :]
    for at in every_index(found.shape):
        picked = (*at[:batch], *at[axis : axis + len(rest)])
        place = PLACES[mode](int(indices[picked]), size)
        assert found[at] == whole[(*at[:axis], place, *at[axis + len(rest) :])]


@reference("torch", "gather")
@quickly()
@hypothesis.given(st.data())
def test_gather_picks_element_by_element(data):
    torch = pytest.importorskip("torch")
    whole = data.draw(arrays(dtype="float32"))
    axis = data.draw(axes(whole.ndim))
    shape = [data.draw(st.integers(1, size)) for size in whole.shape]
    shape[axis] = data.draw(st.integers(1, 5))
    indices = filled(tuple(shape), "int64", 4, low=0, high=whole.shape[axis])
    expected = torch.gather(torch.tensor(whole), axis, torch.tensor(indices))
    assert_same(evaluated("gather", whole, indices, axis=axis), expected.numpy())


@reference("formula", "gather_nd")
@quickly()
@hypothesis.given(st.data())
def test_gather_nd_picks_slices_by_columns_of_indices(data):
    whole = data.draw(arrays(data.draw(shapes(1, 4, 1, 3))))
    count = data.draw(st.integers(1, whole.ndim))
    batch = data.draw(st.integers(0, whole.ndim - count))
    rest = whole.shape[:batch] + data.draw(shapes(0, 2, 1, 3))
    if batch and len(rest) == 0:
        return
    columns = [
        filled(rest, "int32", axis, low=-whole.shape[axis], high=whole.shape[axis])
        for axis in range(batch, batch + count)
    ]
    found = evaluated("gather_nd", whole, np.stack(columns), batch_dims=batch, index_rank=count)
    assert found.shape == rest + whole.shape[batch + count :]
    for at in every_index(rest):
        picked = (*at[:batch], *(int(column[at]) for column in columns))
        assert_same(np.asarray(found[at]), np.asarray(whole[picked]))


@reference("formula", "one_hot", "dyn.one_hot")
@quickly()
@hypothesis.given(st.data())
def test_one_hot_marks_the_index(data):
    shape, depth = data.draw(shapes(0, 3)), data.draw(st.integers(1, 4))
    indices = filled(shape, data.draw(st.sampled_from(("int32", "int64"))), 6, low=-1, high=5)
    place = data.draw(st.integers(0, len(shape)))
    axis = data.draw(st.sampled_from((place, place - len(shape) - 1)))
    on, off = np.int32(5), np.int32(-5)
    dtype = data.draw(st.sampled_from((None, "int8", "float32")))
    found = evaluated("one_hot", indices, on, off, depth=depth, axis=axis, dtype=dtype)
    assert str(found.dtype) == (dtype or "int32")
    assert found.shape == (*shape[:place], depth, *shape[place:])
    for at in every_index(found.shape):
        picked = (*at[:place], *at[place + 1 :])
        assert found[at] == (5 if indices[picked] == at[place] else -5)
    if dtype is not None:
        size = np.int32(depth)
        loosely = evaluated("dyn.one_hot", indices, on, off, size, axis=axis, dtype=dtype)
        assert_same(loosely, found)


@reference("formula", "sequence_mask")
@quickly(20)
@hypothesis.given(st.data())
def test_sequence_mask_replaces_what_is_too_late(data):
    dtype = data.draw(st.sampled_from(("float32", "int8")))
    whole = data.draw(arrays(data.draw(shapes(2, 4)), dtype))
    axis = data.draw(st.sampled_from((0, 1)))
    lengths = filled((whole.shape[1 - axis],), "int32", 3, low=0, high=6)
    expected = whole.copy()
    for index in every_index(whole.shape):
        if index[axis] >= lengths[index[1 - axis]]:
            expected[index] = -1
    found = evaluated("sequence_mask", whole, lengths, mask_value=-1, axis=axis)
    assert_same(found, expected)


@reference("numpy", "where")
@quickly()
@hypothesis.given(st.data())
def test_where_chooses_element_by_element(data):
    full = data.draw(shapes(0, 3))

    def thinned():
        kept = [data.draw(st.sampled_from((size, 1))) for size in full]
        return tuple(kept[data.draw(st.integers(0, len(kept))) :])

    condition = filled(thinned(), data.draw(st.sampled_from(("bool", "int32", "float32"))), 1)
    x, y = filled(thinned(), "int32", 2), filled(thinned(), "int32", 3)
    expected = np.where(condition != 0, x, y)
    assert_same(np.asarray(evaluated("where", condition, x, y)), expected)


@reference("numpy", "adv_index")
@quickly()
@hypothesis.given(st.data())
def test_adv_index_broadcasts_its_indices(data):
    whole = data.draw(arrays(data.draw(shapes(1, 3))))
    count = data.draw(st.integers(1, whole.ndim))
    spread = data.draw(st.sampled_from(list(itertools.product((1, 3), (1, 2)))))
    parts = []
    for axis in range(count):
        shape = tuple(data.draw(st.sampled_from((size, 1))) for size in spread)
        parts.append(filled(shape, "int64", axis, low=0, high=whole.shape[axis]))
    spread = np.broadcast_shapes(*(part.shape for part in parts))
    found = evaluated("adv_index", (whole, *parts))
    assert found.shape == spread + whole.shape[count:]
    for at in every_index(spread):
        picked = tuple(int(np.broadcast_to(part, spread)[at]) for part in parts)
        assert_same(np.asarray(found[at]), np.asarray(whole[picked]))


@reference("formula", "argwhere")
@quickly(20)
@hypothesis.given(st.data())
def test_argwhere_lists_positions_in_order(data):
    condition = data.draw(arrays(data.draw(shapes(1, 3, 0, 4)), low=-1, high=2))
    expected = [at for at in every_index(condition.shape) if condition[at]]
    found = evaluated("argwhere", condition)
    assert_same(found, np.array(expected, np.int32).reshape((-1, condition.ndim)))


@reference("numpy", "unravel_index")
@quickly(20)
@hypothesis.given(st.data())
def test_unravel_index_gives_a_row_for_each_axis(data):
    sizes = data.draw(shapes(1, 4))
    dtype = data.draw(st.sampled_from(("int32", "int64")))
    places = filled(data.draw(shapes(0, 2)), dtype, 2, low=0, high=int(np.prod(sizes)))
    places = places[()] if places.ndim == 0 else places
    expected = np.array(np.unravel_index(places, sizes)).astype(dtype)
    assert_same(evaluated("unravel_index", places, np.array(sizes, "int32")), expected)


@reference("formula", "invert_permutation")
@quickly(20)
@hypothesis.given(st.permutations(range(6)))
def test_invert_permutation_is_undone_by_itself(order):
    order = np.array(order, np.int32)
    found = evaluated("invert_permutation", order)
    assert found[order].tolist() == list(range(6))
    assert_same(evaluated("invert_permutation", found), order)


def test_every_evaluated_operator_of_the_family_is_tested():
    tested = {"take", "gather", "gather_nd", "one_hot", "sequence_mask", "where", "adv_index"}
    tested |= {"argwhere", "unravel_index", "invert_permutation"}
    indexing = evaluated_in("relayish.op.tensor.indexing")
    assert indexing | evaluated_in("relayish.op.tensor.masking") == tested
