from __future__ import annotations

import numpy as np
import pytest
from checking import assert_same, evaluated, evaluated_in, every_index, random_values

from relayish.errors import EvaluationError


def gathered(shape, source, position):
    """Build a tensor whose element at ``index`` is that of ``source`` at ``position(*index)``."""
    result = np.empty(shape, source.dtype)
    for index in every_index(shape):
        result[index] = source[position(*index)]
    return result


@pytest.mark.parametrize("axes", [None, (2, 0, 1), (0, -1, 1)])
def test_transpose_moves_axes(axes):
    data = random_values(2, 3, 4)
    order = (2, 1, 0) if axes is None else [a % 3 for a in axes]
    shape = [data.shape[a] for a in order]
    expected = gathered(shape, data, lambda *at: tuple(at[order.index(a)] for a in range(3)))
    assert_same(evaluated("transpose", data, axes=axes), expected)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concatenate_and_stack_and_split_agree(axis):
    parts = tuple(random_values(2, 2, seed=seed) for seed in range(3))
    joined = evaluated("concatenate", parts, axis=axis)
    assert_same(evaluated("split", joined, indices_or_sections=3, axis=axis), parts)
    stacked = evaluated("stack", parts, axis=axis)
    for place, part in enumerate(parts):
        assert_same(np.moveaxis(stacked, axis, 0)[place], part)


def test_split_at_positions():
    data = random_values(5, dtype="int8")
    found = evaluated("split", data, indices_or_sections=(1, 3))
    assert_same(found, (data[:1], data[1:3], data[3:]))


def test_split_refuses_parts_that_are_not_equal():
    with pytest.raises(EvaluationError, match="cannot be split into 2 equal parts"):
        evaluated("split", np.zeros(5), indices_or_sections=2)


@pytest.mark.parametrize(
    ("begin", "end", "strides", "expected"),
    [
        ((1,), (4,), (1,), [1, 2, 3]),
        ((1,), (4,), None, [1, 2, 3]),
        ((-3,), (100,), (1,), [3, 4, 5]),
        ((5,), (1,), (-2,), [5, 3]),
        ((-1,), (-100,), (-1,), [5, 4, 3, 2, 1, 0]),
        ((0,), (-1,), (2,), [0, 2, 4]),
        ((4,), (2,), (1,), []),
    ],
)
def test_strided_slice_clips_its_bounds(begin, end, strides, expected):
    data = np.arange(6, dtype=np.int32)
    found = evaluated("strided_slice", data, begin=begin, end=end, strides=strides)
    assert_same(found, np.array(expected, np.int32))
    steps = np.array(strides or (1,))
    assert_same(evaluated("dyn.strided_slice", data, np.array(begin), np.array(end), steps), found)


def test_strided_slice_by_size_and_by_axes():
    data = random_values(3, 4, 5)
    found = evaluated("strided_slice", data, begin=(1, 2), end=(2, -1), slice_mode="size")
    assert_same(found, data[1:3, 2:])
    found = evaluated("strided_slice", data, begin=(1,), end=(3,), axes=(-1,))
    assert_same(found, data[:, :, 1:3])


def test_strided_set_changes_a_copy():
    data = np.zeros((3, 4), np.int32)
    data.flags.writeable = False
    new = np.array([[7, 8]], np.int32)
    found = evaluated(
        "strided_set", data, new, np.array([1, 0]), np.array([2, 4]), np.array([1, 2])
    )
    assert_same(found, np.array([[0, 0, 0, 0], [7, 0, 8, 0], [0, 0, 0, 0]], np.int32))


def test_slice_like_cuts_to_the_shape_of_another():
    data, like = random_values(3, 4), np.zeros((2, 3))
    assert_same(evaluated("slice_like", data, like), data[:2, :3])
    assert_same(evaluated("slice_like", data, like, axes=(-1,)), data[:, :3])


@pytest.mark.parametrize("reps", [(2,), (2, 3), (2, 1, 2), ()])
def test_tile_repeats_the_whole(reps):
    data = random_values(2, 3, dtype="int8")
    rank = max(2, len(reps))
    shape = (1,) * (rank - 2) + data.shape
    times = (1,) * (rank - len(reps)) + reps
    expected = gathered(
        tuple(n * r for n, r in zip(shape, times, strict=True)),
        data.reshape(shape),
        lambda *at: tuple(i % n for i, n in zip(at, shape, strict=True)),
    )
    assert_same(evaluated("tile", data, reps=reps), expected)
    assert_same(evaluated("dyn.tile", data, np.array(reps, np.int64)), expected)


def test_repeat_repeats_each_element():
    data = np.array([[1, 2], [3, 4]], np.int32)
    assert_same(evaluated("repeat", data, repeats=2, axis=1), data[:, [0, 0, 1, 1]])
    assert_same(evaluated("repeat", data, repeats=2), np.array([1, 1, 2, 2, 3, 3, 4, 4], np.int32))


def test_reverse_turns_an_axis_around():
    data = random_values(2, 3)
    assert_same(evaluated("reverse", data, axis=-1), data[:, [2, 1, 0]])


def test_reverse_sequence_turns_the_beginnings_around():
    data = np.arange(8, dtype=np.int32).reshape(4, 2)
    found = evaluated(
        "reverse_sequence", data, np.array([3, 1], np.int32), seq_axis=0, batch_axis=1
    )
    assert_same(found, np.array([[4, 1], [2, 3], [0, 5], [6, 7]], np.int32))
    with pytest.raises(EvaluationError, match="expected two axes"):
        evaluated("reverse_sequence", data, np.array([1]), seq_axis=0, batch_axis=0)


@pytest.mark.parametrize("indexing", ["ij", "xy"])
def test_meshgrid_spreads_vectors(indexing):
    first, second = np.arange(2, dtype=np.int32), np.arange(3, dtype=np.int32)
    down = np.array([[0, 0, 0], [1, 1, 1]], np.int32)
    along = np.array([[0, 1, 2], [0, 1, 2]], np.int32)
    expected = (down, along) if indexing == "ij" else (down.T, along.T)
    assert_same(evaluated("meshgrid", (first, second), indexing=indexing), expected)


def test_meshgrid_refuses_other_ways():
    with pytest.raises(EvaluationError, match="'ij' or 'xy'"):
        evaluated("meshgrid", (np.arange(2),), indexing="ji")


@pytest.mark.parametrize("k", [-1, 0, 2])
@pytest.mark.parametrize("upper", [False, True])
def test_trilu_keeps_a_triangle(k, upper):
    data = random_values(2, 3, 4)
    expected = data.copy()
    for n, row, column in every_index(data.shape):
        if (column - row < k) if upper else (column - row > k):
            expected[n, row, column] = 0
    assert_same(evaluated("trilu", data, np.int32(k), upper=upper), expected)


def test_sliding_window_shows_every_window():
    data = random_values(2, 5, 7)
    found = evaluated("sliding_window", data, axis=1, window_shape=(3, 2), strides=(2, 3))
    expected = gathered((2, 2, 2, 3, 2), data, lambda n, y, x, v, u: (n, 2 * y + v, 3 * x + u))
    assert_same(found, expected)


def test_matrix_set_diag_sets_one_or_several_diagonals():
    data = np.zeros((2, 3), np.int32)
    one = evaluated("matrix_set_diag", data, np.array([1, 2], np.int32), k1=1, k2=1)
    assert_same(one, np.array([[0, 1, 0], [0, 0, 2]], np.int32))
    band = np.array([[1, 2], [3, 4], [5, 0]], np.int32)
    several = evaluated("matrix_set_diag", data, band, k1=-1, k2=1)
    assert_same(several, np.array([[3, 1, 0], [5, 4, 2]], np.int32))


def test_every_evaluated_operator_of_the_family_is_tested():
    assert evaluated_in("relayish.op.transform") == {
        "transpose",
        "concatenate",
        "stack",
        "split",
        "strided_slice",
        "strided_set",
        "slice_like",
        "tile",
        "repeat",
        "reverse",
        "reverse_sequence",
        "layout_transform",
        "meshgrid",
        "trilu",
        "sliding_window",
        "matrix_set_diag",
    }
