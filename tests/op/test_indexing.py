from __future__ import annotations

import numpy as np
import pytest
from checking import assert_same, evaluated, evaluated_in, every_index, random_values

from relayish.errors import EvaluationError


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize(
    ("mode", "place"),
    [("clip", lambda i: min(max(i, 0), 2)), ("wrap", lambda i: i % 3)],
)
def test_take_picks_along_an_axis(axis, mode, place):
    data = random_values(3, 3, 3)
    indices = np.array([[0, -1], [2, 7]], np.int32)
    rows = np.moveaxis(data, axis, 0)
    picked = np.array([[rows[place(i)] for i in row] for row in indices.tolist()], np.float32)
    expected = np.moveaxis(picked, (0, 1), (axis % 3, axis % 3 + 1))
    assert_same(evaluated("take", data, indices, axis=axis, mode=mode), expected)


def test_take_without_axis_looks_at_the_flat_tensor():
    data = random_values(2, 3)
    assert_same(evaluated("take", data, np.int64(4)), data[1, 1])
    assert_same(evaluated("take", data, np.array([9, -9])), np.array([data[1, 2], data[0, 0]]))


def test_take_goes_through_batches_side_by_side():
    data, indices = random_values(2, 3, 4), np.array([[0, 1], [3, 2]])
    found = evaluated("take", data, indices, axis=2, batch_dims=1)
    assert_same(found, np.stack([data[0][:, [0, 1]], data[1][:, [3, 2]]]))
    assert_same(evaluated("take", data, indices, axis=2, batch_dims=-1), found)
    with pytest.raises(EvaluationError, match="equal batches"):
        evaluated("take", data, np.zeros((3, 1), np.int32), axis=2, batch_dims=1)


def test_take_that_cannot_be_is_refused():
    with pytest.raises(EvaluationError, match="is not clip, wrap or fast"):
        evaluated("take", np.zeros(3), np.int32(0), mode="slow")
    with pytest.raises(EvaluationError, match="mode fast"):
        evaluated("take", np.zeros(3), np.int32(3), mode="fast")
    with pytest.raises(EvaluationError, match="no elements"):
        evaluated("take", np.zeros((0, 3)), np.int32(0), axis=0)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_gather_picks_element_by_element(axis):
    data = random_values(3, 4)
    indices = np.array([[2, 0, 1], [0, 1, 2]])
    expected = np.empty((2, 3), np.float32)
    for row, column in every_index((2, 3)):
        at = indices[row, column]
        expected[row, column] = data[at, column] if axis == 0 else data[row, at]
    assert_same(evaluated("gather", data, indices, axis=axis), expected)


def test_gather_nd_picks_slices_by_columns_of_indices():
    data = random_values(2, 3, 4)
    indices = np.array([[0, 1, 1], [2, 0, 1]])
    assert_same(
        evaluated("gather_nd", data, indices), np.stack([data[0, 2], data[1, 0], data[1, 1]])
    )
    batched = evaluated("gather_nd", data, np.array([[2, 0]]), batch_dims=1)
    assert_same(batched, np.stack([data[0, 2], data[1, 0]]))


def test_index_out_of_the_tensor_is_refused():
    data = np.zeros((2, 3))
    with pytest.raises(EvaluationError, match="gather"):
        evaluated("gather", data, np.array([[5]]), axis=0)
    with pytest.raises(EvaluationError, match="out of axis 1"):
        evaluated("gather_nd", data, np.array([[0], [3]]))
    with pytest.raises(EvaluationError, match="more than the axes"):
        evaluated("gather_nd", data, np.array([[0], [0], [0]]))
    with pytest.raises(EvaluationError, match="out of axis 0"):
        evaluated("scatter_elements", data, np.array([[2]]), np.array([[1.0]]))


SCATTERS = {
    "update": lambda _, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "min": min,
    "max": max,
}


@pytest.mark.parametrize("reduction", sorted(SCATTERS))
@pytest.mark.parametrize("axis", [0, 1])
def test_scatter_elements_puts_each_update_in_its_place(axis, reduction):
    data, updates = random_values(3, 4), random_values(2, 2, seed=9)
    indices = np.array([[1, -1], [1, 0]])
    expected = data.copy()
    for row, column in every_index((2, 2)):
        at = indices[row, column]
        where = (at, column) if axis == 0 else (row, at)
        expected[where] = SCATTERS[reduction](expected[where], updates[row, column])
    found = evaluated("scatter_elements", data, indices, updates, axis=axis, reduction=reduction)
    assert_same(found, expected)


def test_scatter_elements_can_take_the_mean():
    found = evaluated(
        "scatter_elements",
        np.array([1, 2], np.float32),
        np.array([0, 0]),
        np.array([3, 5], np.float32),
        reduction="mean",
    )
    assert_same(found, np.array([3, 2], np.float32))


@pytest.mark.parametrize("mode", ["update", "add"])
def test_scatter_nd_puts_slices_by_columns_of_indices(mode):
    data, updates = random_values(2, 3), random_values(2, 3, seed=9)
    found = evaluated("scatter_nd", data, np.array([[1, 0]]), updates, mode=mode)
    swapped = updates[[1, 0]]
    assert_same(found, swapped if mode == "update" else data + swapped)


def test_scatter_refuses_other_ways():
    with pytest.raises(EvaluationError, match="no way to scatter"):
        evaluated("scatter_nd", np.zeros(2), np.array([[0]]), np.zeros(1), mode="divide")


@pytest.mark.parametrize("axis", [-1, 0, 1])
def test_one_hot_marks_the_index(axis):
    indices = np.array([0, 2, -1, 3])
    on, off = np.int32(5), np.int32(-5)
    expected = np.full((4, 3), -5.0, np.float32)
    expected[0, 0] = expected[1, 2] = 5
    expected = expected.T if axis == 0 else expected
    found = evaluated("one_hot", indices, on, off, depth=3, axis=axis, dtype="float32")
    assert_same(found, expected)
    assert_same(
        evaluated("dyn.one_hot", indices, on, off, np.int32(3), axis=axis, dtype="float32"), found
    )


@pytest.mark.parametrize("axis", [0, 1])
def test_sequence_mask_replaces_what_is_too_late(axis):
    data, lengths = random_values(2, 3, 2), np.array([1, 2, 0] if axis == 0 else [2, 0])
    expected = data.copy()
    for index in every_index(data.shape):
        if index[axis] >= lengths[index[1 - axis]]:
            expected[index] = -1
    assert_same(evaluated("sequence_mask", data, lengths, mask_value=-1, axis=axis), expected)
    with pytest.raises(EvaluationError, match="is not 0 or 1"):
        evaluated("sequence_mask", data, lengths, axis=2)


def test_sparse_to_dense_fills_the_rest():
    expected = np.array([[0, 9, 0], [8, 0, 0]], np.int32)
    places, values = np.array([[0, 1], [1, 0]]), np.array([9, 8], np.int32)
    found = evaluated("sparse_to_dense", places, values, np.int32(0), output_shape=(2, 3))
    assert_same(found, expected)
    assert_same(
        evaluated("dyn.sparse_to_dense", places, values, np.int32(0), np.array([2, 3])), found
    )
    line = evaluated("sparse_to_dense", np.array([1, 2]), values, np.int32(7), output_shape=(4,))
    assert_same(line, np.array([7, 9, 8, 7], np.int32))
    point = evaluated("sparse_to_dense", np.int32(1), np.int32(3), np.int32(0), output_shape=(2,))
    assert_same(point, np.array([0, 3], np.int32))


def test_where_chooses_element_by_element():
    condition = np.array([[True], [False]])
    x, y = random_values(3), random_values(2, 3)
    assert_same(evaluated("where", condition, x, y), np.stack([x, y[1]]))


def test_adv_index_broadcasts_its_indices():
    data = random_values(3, 4)
    found = evaluated("adv_index", (data, np.array([[0], [2]]), np.array([1, 3])))
    assert_same(found, np.array([[data[0, 1], data[0, 3]], [data[2, 1], data[2, 3]]]))


def test_argwhere_lists_positions():
    assert_same(
        evaluated("argwhere", np.array([[0, 3], [1, 0]])), np.array([[0, 1], [1, 0]], np.int32)
    )


def test_unravel_index_gives_a_row_for_each_axis():
    found = evaluated("unravel_index", np.array([5, 0, 11], np.int32), np.array([3, 4]))
    assert_same(found, np.array([[1, 0, 2], [1, 0, 3]], np.int32))
    assert_same(evaluated("unravel_index", np.int64(5), np.array([3, 4])), np.array([1, 1]))


def test_invert_permutation():
    assert_same(
        evaluated("invert_permutation", np.array([2, 0, 1], np.int32)),
        np.array([1, 2, 0], np.int32),
    )


def test_every_evaluated_operator_of_the_family_is_tested():
    tested = {"take", "gather", "gather_nd", "scatter_elements", "scatter_nd", "one_hot", "where"}
    tested |= {"sequence_mask", "sparse_to_dense", "adv_index", "argwhere", "unravel_index"}
    assert evaluated_in("relayish.op.indexing") == tested | {"invert_permutation"}
