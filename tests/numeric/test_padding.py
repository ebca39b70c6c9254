from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.numeric.padding import pad, tile

ROW = [1, 2, 3, 4]
AROUND = {  # what comes before and behind a row, however far one goes
    "edge": ([1] * 9, [4] * 9),
    "reflect": ([4, 3, 2, 1, 2, 3, 4, 3, 2], [3, 2, 1, 2, 3, 4, 3, 2, 1]),
    "symmetric": ([1, 1, 2, 3, 4, 4, 3, 2, 1], [4, 3, 2, 1, 1, 2, 3, 4, 4]),
    "wrap": ([4, 1, 2, 3, 4, 1, 2, 3, 4], [1, 2, 3, 4, 1, 2, 3, 4, 1]),
    "constant": ([7] * 9, [7] * 9),
}


@pytest.mark.parametrize("mode", AROUND)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("before", [0, 1, 9, -2])
@pytest.mark.parametrize("after", [0, 3, 9, -1])
def test_elements_are_added_and_taken_away(mode: str, axis: int, before: int, after: int) -> None:
    ahead, behind = AROUND[mode]
    whole = [*ahead, *ROW, *behind]
    data = np.array([ROW, ROW], np.int8)
    data = data.T if axis == 0 else data
    sides = [(0, 0), (0, 0)]
    sides[axis] = (before, after)
    found = pad(data, sides, mode, 7)
    assert found.dtype == np.int8
    expected = [whole[9 - before : 13 + after]] * 2
    assert (found.T if axis == 0 else found).tolist() == expected
    assert data.reshape(-1).tolist() == (ROW * 2 if axis else np.repeat(ROW, 2).tolist())


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
def test_one_element_is_its_own_neighbour_and_nothing_has_none(mode: str) -> None:
    assert pad(np.array([5]), [(2, 1)], mode).tolist() == [5, 5, 5, 5]
    assert pad(np.zeros((0, 2)), [(0, 0), (1, 0)], mode).shape == (0, 3)
    with pytest.raises(EvaluationError, match="axis 0 of size 0 has nothing to pad it with"):
        pad(np.zeros(0), [(0, 1)], mode)


def test_corners_are_copies_of_corners() -> None:
    found = pad(np.array([[1, 2], [3, 4]]), [(1, 0), (0, 1)], "edge")
    assert found.tolist() == [[1, 2, 2], [1, 2, 2], [3, 4, 4]]


def test_a_mode_that_there_is_not_is_refused() -> None:
    with pytest.raises(EvaluationError, match="mode of a padding is 'odd'; expected constant"):
        pad(np.zeros(1), [(1, 1)], "odd")


def test_repeating_nothing_takes_no_time() -> None:
    assert tile(np.arange(2), (2, 2)).tolist() == [[0, 1, 0, 1], [0, 1, 0, 1]]
    for data, times in ((np.zeros((1, 0)), (1 << 40, 1)), (np.zeros((1, 1)), (1 << 40, 0))):
        assert tile(data, times).shape == (1 << 40, 0)
