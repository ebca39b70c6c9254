from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.numeric.reduction import find_extreme, mean_along, reduce_along


def test_sums_of_integers_wrap_around_and_those_of_narrow_numbers_are_rounded_once() -> None:
    assert reduce_along(np.add, np.full(3, 100, np.int8), (0,)) == 44
    narrow = np.array([[2048, 1, 1]], np.float16)
    assert reduce_along(np.add, narrow, (1,), keepdims=True).tolist() == [[2050]]
    assert reduce_along(np.multiply, np.zeros((2, 0), np.float16), (1,)).tolist() == [1, 1]


def test_means_of_integers_are_rounded_towards_zero() -> None:
    data = np.array([[7, -7], [0, 0]])
    assert mean_along(data, (0,), keepdims=True).tolist() == [[3, -3]]
    assert mean_along(np.ones(300, np.int8), (0,)) == 0  # of a sum that wrapped around to 44
    with pytest.raises(EvaluationError, match="the mean of no int64"):
        mean_along(data[:0], (0,))


def test_the_mean_of_nothing_is_nan_silently() -> None:
    with np.errstate(invalid="ignore"):
        assert np.isnan(mean_along(np.zeros((2, 0)), (1,), keepdims=True)).tolist() == [[1], [1]]


@pytest.mark.parametrize("find", [np.argmax, np.argmin])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("axes", [(0,), (1,), (-1 % 3,), (0, 2), (0, 1, 2)])
def test_extremes_are_the_first_or_last_of_equal_ones(
    find: np.ufunc, last: bool, axes: tuple[int, ...]
) -> None:
    data = np.random.default_rng(0).integers(0, 3, (4, 2, 5)).astype(np.float16)
    found = find_extreme(find, data, axes, keepdims=True, last=last)
    sizes = [data.shape[axis] for axis in axes]
    for at in np.ndindex(*found.shape):
        part = data[tuple(slice(None) if axis in axes else n for axis, n in enumerate(at))]
        best = part.max() if find is np.argmax else part.min()
        places = np.flatnonzero(part.reshape(np.prod(sizes)) == best)
        assert found[at] == places[-1 if last else 0]
    assert find_extreme(find, data, axes, last=last).tolist() == found.squeeze(axes).tolist()


def test_nothing_has_no_extreme() -> None:
    with pytest.raises(EvaluationError, match=r"axes \(1,\) of shape \(2, 0\) have no element"):
        find_extreme(np.argmax, np.zeros((2, 0)), (1,))
