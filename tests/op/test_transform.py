from __future__ import annotations

import numpy as np
import pytest

from tests.support.checking import (
    assert_same,
    evaluated,
    evaluated_in,
    every_index,
    random_values,
    reference,
)
from tests.support.drawn import arrays, axes, filled, hypothesis, shapes, st
from tests.support.seeds import quickly


@reference("formula", "transpose")
@quickly()
@hypothesis.given(st.data())
def test_transpose_moves_axes(data):
    whole = data.draw(arrays(data.draw(shapes(0, 4))))
    order = data.draw(st.permutations(range(whole.ndim)))
    named = tuple(axis - data.draw(st.sampled_from((0, whole.ndim))) for axis in order)
    found = evaluated("transpose", whole, axes=named)
    assert found.shape == tuple(whole.shape[axis] for axis in order)
    for at in every_index(found.shape):
        assert found[at] == whole[tuple(at[order.index(axis)] for axis in range(whole.ndim))]
    reversed_ = tuple(range(whole.ndim))[::-1]
    assert_same(evaluated("transpose", whole, axes=None), np.transpose(whole, reversed_))


@reference("formula", "tile", "dyn.tile")
@quickly()
@hypothesis.given(st.data())
def test_tile_repeats_the_whole(data):
    whole = data.draw(arrays(data.draw(shapes(0, 3))))
    reps = data.draw(shapes(0, 3, 1, 3))
    found = evaluated("tile", whole, reps=reps)
    rank = max(whole.ndim, len(reps))
    sizes = (1,) * (rank - whole.ndim) + whole.shape
    times = (1,) * (rank - len(reps)) + reps
    assert found.shape == tuple(n * r for n, r in zip(sizes, times, strict=True))
    source = whole.reshape(sizes)
    for at in every_index(found.shape):
        assert found[at] == source[tuple(i % n for i, n in zip(at, sizes, strict=True))]
    assert_same(evaluated("dyn.tile", whole, np.array(reps, np.int64)), found)


@reference("torch", "tile", "repeat", "reverse", "transpose", "trilu")
def test_repeating_and_turning_agree_with_torch():
    torch = pytest.importorskip("torch")
    data = random_values(2, 3, 4)
    held = torch.tensor(data)
    assert_same(evaluated("tile", data, reps=(2, 1, 3)), held.repeat(2, 1, 3).numpy())
    assert_same(evaluated("transpose", data, axes=(2, 0, 1)), held.permute(2, 0, 1).numpy())
    for axis in range(-3, 3):
        assert_same(evaluated("reverse", data, axis=axis), held.flip(axis).numpy())
        found = evaluated("repeat", data, repeats=3, axis=axis)
        assert_same(found, held.repeat_interleave(3, axis).numpy())
    for k in range(-4, 5):
        upper, lower = (evaluated("trilu", data, np.int64(k), upper=up) for up in (True, False))
        assert_same(upper, held.triu(k).numpy())
        assert_same(lower, held.tril(k).numpy())


@reference("numpy", "repeat", "reverse")
@quickly()
@hypothesis.given(st.data())
def test_repeat_and_reverse_index_the_axis_anew(data):
    whole = data.draw(arrays())
    axis, times = data.draw(axes(whole.ndim)), data.draw(st.integers(1, 3))
    places = np.arange(whole.shape[axis])
    repeated = np.take(whole, [place for place in places for _ in range(times)], axis)
    assert_same(evaluated("repeat", whole, repeats=times, axis=axis), repeated)
    assert_same(evaluated("reverse", whole, axis=axis), np.take(whole, places[::-1], axis))
    flat = np.array([value for value in whole.ravel() for _ in range(times)], whole.dtype)
    assert_same(evaluated("repeat", whole, repeats=times), flat)


@reference("formula", "reverse_sequence")
@quickly()
@hypothesis.given(st.data())
def test_reverse_sequence_turns_the_beginnings_around(data):
    whole = data.draw(arrays(data.draw(shapes(2, 4))))
    batch, along = data.draw(st.permutations(range(whole.ndim)))[:2]
    count = whole.shape[batch]
    lengths = filled((count,), "int32", 3, low=-1, high=whole.shape[along] + 2)
    named = [axis - data.draw(st.sampled_from((0, whole.ndim))) for axis in (batch, along)]
    found = evaluated("reverse_sequence", whole, lengths, batch_axis=named[0], seq_axis=named[1])
    for at in every_index(whole.shape):
        end = min(max(int(lengths[at[batch]]), 1), whole.shape[along])
        source = list(at)
        if at[along] < end:
            source[along] = end - 1 - at[along]
        assert found[at] == whole[tuple(source)]


@reference("formula", "matrix_set_diag")
@quickly()
@hypothesis.given(st.data())
def test_matrix_set_diag_sets_every_diagonal(data):
    *batch, rows, columns = data.draw(shapes(2, 3))
    k1 = data.draw(st.integers(1 - rows, columns - 1))
    k2 = data.draw(st.integers(k1, columns - 1))
    right = {"super_diag_right_align": data.draw(st.booleans())}
    right["sub_diag_right_align"] = data.draw(st.booleans())
    longest = max(min(rows + min(k, 0), columns - max(k, 0)) for k in range(k1, k2 + 1))
    band = (*batch, longest) if k1 == k2 else (*batch, k2 - k1 + 1, longest)
    matrix, diagonal = filled((*batch, rows, columns), "int32"), filled(band, "int32", 4)
    found = evaluated("matrix_set_diag", matrix, diagonal, k1=k1, k2=k2, **right)
    for at in every_index(matrix.shape):
        *head, row, column = at
        k = column - row
        if not k1 <= k <= k2:
            assert found[at] == matrix[at]
            continue
        place = min(row, column)
        length = min(rows + min(k, 0), columns - max(k, 0))
        aligned = right["super_diag_right_align" if k >= 0 else "sub_diag_right_align"]
        if k1 == k2:
            assert found[at] == diagonal[(*head, place)]
        else:
            shift = longest - length if aligned else 0
            assert found[at] == diagonal[(*head, k2 - k, place + shift)]


def test_every_evaluated_operator_of_the_family_is_tested():
    tested = {"transpose", "tile", "repeat", "reverse", "reverse_sequence", "trilu"}
    assert evaluated_in("relayish.op.tensor.rearrangement") == tested | {"matrix_set_diag"}
