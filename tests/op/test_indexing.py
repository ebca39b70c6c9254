from __future__ import annotations

import itertools

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
    every_index,
    inferred,
    random_values,
    reference,
)
from tests.support.drawn import INDEX_DTYPES, arrays, axes, filled, hypothesis, shapes, st
from tests.support.seeds import quickly

PLACES = {
    "clip": lambda at, size: min(max(at, 0), size - 1),
    "wrap": lambda at, size: at % size,
    "fast": lambda at, _: at,
}


def type_of_call(name, *types, **attributes):
    return inferred(name, make_attrs(get_op(name), attributes), *types)


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


@reference("numpy", "take")
def test_take_without_axis_looks_at_the_flat_tensor():
    data = random_values(2, 3)
    assert_same(evaluated("take", data, np.int64(4)), data[1, 1])
    assert_same(evaluated("take", data, np.array([9, -9])), np.array([data[1, 2], data[0, 0]]))


def test_take_that_cannot_be_is_refused():
    with pytest.raises(EvaluationError, match="is not clip, wrap or fast"):
        evaluated("take", np.zeros(3), np.int32(0), mode="slow")
    with pytest.raises(EvaluationError, match="mode fast"):
        evaluated("take", np.zeros(3), np.int32(3), mode="fast")
    with pytest.raises(EvaluationError, match="no elements"):
        evaluated("take", np.zeros((0, 3)), np.int32(0), axis=0)
    with pytest.raises(EvaluationError, match="equal batches"):
        evaluated("take", np.zeros((2, 3)), np.zeros((3, 1), np.int32), axis=1, batch_dims=1)


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


def test_index_out_of_the_tensor_is_refused():
    data = np.zeros((2, 3))
    with pytest.raises(EvaluationError, match="axis 0 holds 5; expected -2 to 1"):
        evaluated("gather", data, np.array([[5]]), axis=0)
    with pytest.raises(EvaluationError, match="axis 1 holds 3; expected -3 to 2"):
        evaluated("gather_nd", data, np.array([[0], [3]]))
    with pytest.raises(EvaluationError, match="indices of 3 axes"):
        evaluated("gather_nd", data, np.array([[0], [0], [0]]))
    with pytest.raises(EvaluationError, match="axis 0 holds 2; expected -2 to 1"):
        evaluated("adv_index", (data, np.array([2])))
    with pytest.raises(EvaluationError, match="no permutation of 0 to 2"):
        evaluated("invert_permutation", np.array([0, 0, 2]))
    with pytest.raises(EvaluationError, match="has no elements"):
        evaluated("unravel_index", np.array([0]), np.array([2, 0]))


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


def test_sequence_mask_of_another_axis_is_refused():
    with pytest.raises(EvaluationError, match="is not 0 or 1"):
        evaluated("sequence_mask", np.zeros((1, 1, 1)), np.array([1]), axis=2)


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


N = SizeVar("n")
T = TensorType


@pytest.mark.parametrize(
    ("name", "types", "attributes", "expected"),
    [
        ("take", [T((Any(), 8)), T((), "int32")], {"axis": 0}, "(8,)"),
        ("take", [T((Any(), N)), T((2, Any()), "int64")], {"axis": 1}, "(?, 2, ?)"),
        ("take", [T((N, 8)), T((), "int32")], {}, "()"),
        ("take", [T((Any(), 8)), T((4, 2), "int32")], {"axis": 1, "batch_dims": 1}, "(4, 2)"),
        ("gather", [T((Any(), 3)), T((N, 3), "int32")], {"axis": 0}, "(n, 3)"),
        ("gather_nd", [T((2, 3, N)), T((2, Any()), "int32")], {}, "(?, n)"),
        ("gather_nd", [T((2, 3, N)), T((Any(), 4), "int32")], {"index_rank": 1}, "(4, 3, n)"),
        ("gather_nd", [T((2, 3)), T((1, Any()), "int32")], {"batch_dims": 1}, "(2,)"),
        ("one_hot", [T((N, 2), "int32"), T(()), T(())], {"depth": 5, "axis": 1}, "(n, 5, 2)"),
        ("where", [T((Any(), 1), "bool"), T((3,)), T((2, 1))], {}, "(2, 3)"),
        ("adv_index", [TupleType((T((2, 3, N)), T((Any(), 1), "int32")))], {}, "(?, 1, 3, n)"),
        ("argwhere", [T((2, 3, N))], {}, "(?, 3)"),
        ("unravel_index", [T((N,), "int64"), T((Any(),), "int32")], {}, "(?, n)"),
        ("sequence_mask", [T((5, N, 2)), T((Any(),), "int32")], {}, "(5, n, 2)"),
    ],
)
def test_dimensions_that_are_not_numbers_are_carried_along(name, types, attributes, expected):
    assert show_shape(type_of_call(name, *types, **attributes).shape) == expected


def test_every_evaluated_operator_of_the_family_is_tested():
    tested = {"take", "gather", "gather_nd", "one_hot", "sequence_mask", "where", "adv_index"}
    tested |= {"argwhere", "unravel_index", "invert_permutation"}
    indexing = evaluated_in("relayish.op.tensor.indexing")
    assert indexing | evaluated_in("relayish.op.tensor.masking") == tested


def test_places_of_several_axes_keep_them_in_type_and_value():
    places, sizes = np.array([[0, 5, 7], [11, 2, 1]]), np.array([3, 4])
    expected = (2, 2, 3)  # Relay's type is (2, 2), of which it cannot compute a value
    types = TensorType(places.shape, "int64"), TensorType(sizes.shape, "int64")
    assert inferred("unravel_index", None, *types).shape == expected
    assert_same(
        evaluated("unravel_index", places, sizes), np.array(np.unravel_index(places, sizes))
    )
