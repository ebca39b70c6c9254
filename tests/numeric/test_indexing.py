from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError, OutOfBoundsError
from relayish.numeric.indexing import (
    SCATTERED,
    index_along,
    index_of_rows,
    one_hot,
    reverse_sequences,
    scatter,
)

X = np.arange(24.0).reshape(2, 3, 4)


@pytest.mark.parametrize("axis", [0, 1, 2, -2])
@pytest.mark.parametrize("cut", [0, 1])
def test_elements_are_found_along_an_axis_where_they_stand(axis: int, cut: int) -> None:
    shape = [size - cut for size in X.shape]
    shape[axis] = 5
    size = X.shape[axis]
    places = np.random.default_rng(0).integers(-size, size, shape)
    found = X[index_along(X.shape, places, axis)]
    for where in np.ndindex(*shape):
        source = list(where)
        source[axis] = places[where]
        assert found[where] == X[tuple(source)]


@pytest.mark.parametrize("shape", [(2, 4, 4), (2, 3), (2, 3, 4, 1)])
def test_no_more_is_found_along_other_axes_than_there_is(shape: tuple[int, ...]) -> None:
    with pytest.raises(EvaluationError, match="expected no more along axes other than 0"):
        index_along(X.shape, np.zeros(shape, int), 0)


@pytest.mark.parametrize("place", [2, -3])
def test_places_before_the_first_or_behind_the_last_are_refused(place: int) -> None:
    with pytest.raises(OutOfBoundsError, match=f"axis 0 holds {place}; expected -2 to 1"):
        index_along(X.shape, np.full((1, 1, 1), place), 0)
    with pytest.raises(OutOfBoundsError, match=f"axis 0 holds {place}; expected -2 to 1"):
        index_of_rows(X.shape, [np.array([place])])
    with pytest.raises(EvaluationError, match="expected integers"):
        index_of_rows(X.shape, [np.zeros(1)])


def test_rows_of_places_stay_in_their_batch() -> None:
    rows = [np.array([[1], [2]]), np.array([[0], [-1]])]
    assert X[index_of_rows(X.shape, rows, 1)].tolist() == [[X[0, 1, 0]], [X[1, 2, -1]]]
    with pytest.raises(EvaluationError, match="that the two have in common"):
        index_of_rows(X.shape, [np.zeros((3, 1), int)], 1)


@pytest.mark.parametrize("how", [None, *SCATTERED])
@pytest.mark.parametrize("dtype", ["f2", "f4", "i1", "i8"])
@pytest.mark.parametrize("by_element", [True, False])
def test_updates_are_scattered_one_after_another(
    how: str | None, dtype: str, by_element: bool
) -> None:
    data = np.arange(1, 7).astype(dtype).reshape(3, 2).T  # not contiguous, nor written over
    places = [np.array([1, 0, -1, 1])]
    if by_element:
        places.append(np.array([2, 1, -1, 0]))
    updates = np.array([[4, 1, 2], [3, 2, 5], [3, 3, 2], [2, 4, 1]]).astype(dtype)
    updates = updates[:, 0] if by_element else updates
    expected = data.copy()
    for at, update in zip(zip(*places, strict=True), updates, strict=True):
        expected[at] = update if how is None else SCATTERED[how](expected[at], update)
    found = scatter(data, index_of_rows(data.shape, places), updates, how)
    assert found.dtype == dtype
    assert found.tolist() == expected.tolist()
    assert data.tolist() == [[1, 3, 5], [2, 4, 6]]


def test_sums_of_narrow_numbers_are_rounded_once() -> None:
    x, ones = np.full(1, 2048, "f2"), np.ones(2, "f2")
    assert scatter(x, (np.array([0, 0]),), ones, "add").tolist() == [2050]


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_one_is_on_at_each_place_that_is_there(axis: int) -> None:
    found = one_hot(np.array([[0, 3], [-1, 4]]), 4, 9, np.int8(5), axis)
    assert found.dtype == np.int8
    assert np.moveaxis(found, axis, -1).tolist() == [
        [[9, 5, 5, 5], [5, 5, 5, 9]],
        [[5, 5, 5, 5], [5, 5, 5, 5]],
    ]
    assert one_hot(np.array(1), 2, 1, np.float32(0), 0).tolist() == [0, 1]


@pytest.mark.parametrize("batch", [0, 1])
def test_the_beginning_of_each_sequence_is_reversed(batch: int) -> None:
    rows = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    data = rows if batch == 0 else rows.T
    found = reverse_sequences(data, np.array([2, 0, 3]), 1 - batch, batch)
    assert (found if batch == 0 else found.T).tolist() == [[2, 1, 3], [4, 5, 6], [9, 8, 7]]
