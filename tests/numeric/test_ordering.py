from __future__ import annotations

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from relayish.errors import EvaluationError
from relayish.numeric.ordering import accumulate, find_distinct, find_top, order

TYPES = [np.float32, np.int64, np.uint8, np.float16, ml_dtypes.bfloat16]


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", [(64,), (3, 200), (57, 2), (4, 3), (0, 100)])
def test_equal_elements_come_in_order_by_place(
    largest: bool, dtype: npt.DTypeLike, shape: tuple[int, ...]
) -> None:
    data = np.random.default_rng(0).integers(0, 9, shape).astype(dtype)
    for axis in range(len(shape)):
        rows = data.astype(int)
        expected = np.argsort(-rows if largest else rows, axis=axis, kind="stable")
        assert order(data, axis, largest=largest).tolist() == expected.tolist()
        for count in {0, min(shape[axis], 1), min(shape[axis], 7), shape[axis]}:
            values, places = find_top(data, count, axis, largest=largest)
            first = np.take(expected, np.arange(count), axis)
            assert places.tolist() == first.tolist()
            assert values.tolist() == np.take_along_axis(data, first, axis).tolist()


def test_what_is_no_number_is_the_largest() -> None:
    data = np.zeros(100)
    data[[3, 50]] = np.nan
    assert find_top(data, 3, 0, largest=True)[1].tolist() == [3, 50, 0]
    assert find_top(data, 2, 0, largest=False)[1].tolist() == [0, 1]


@pytest.mark.parametrize("count", [4, -1])
def test_no_more_is_first_than_there_is(count: int) -> None:
    with pytest.raises(EvaluationError, match=f"{count} elements are asked for .* 0 to 3"):
        find_top(np.zeros(3), count, 0, largest=True)


@pytest.mark.parametrize("by_value", [False, True])
@pytest.mark.parametrize("width", [None, 0, 2])
def test_distinct_slices_are_found_with_how_often_they_are_there(
    by_value: bool, width: int | None
) -> None:
    data = np.array([2, 1, 2, 3, 1, 2])
    data = data if width is None else np.repeat(data[:, None], width, 1)
    first, which, counts = find_distinct(data, by_value=by_value)
    listed = [str(one) for one in data.tolist()]
    expected = sorted(set(listed)) if by_value else list(dict.fromkeys(listed))
    assert [listed[place] for place in first] == expected
    assert first.tolist() == [listed.index(one) for one in expected]
    assert [expected[place] for place in which] == listed
    assert counts.tolist() == [listed.count(one) for one in expected]


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", [np.float16, np.uint64, np.int8])
def test_running_results_are_those_of_a_loop(
    exclusive: bool, reverse: bool, dtype: npt.DTypeLike
) -> None:
    data = np.random.default_rng(1).integers(1, 3, (3, 4)).astype(dtype)
    for function in (np.add, np.multiply):
        found = accumulate(function, data, 1, exclusive=exclusive, reverse=reverse)
        assert found.dtype == dtype
        for row, results in zip(data, found, strict=True):
            for place, result in enumerate(results):
                part = row[place + exclusive :] if reverse else row[: place + 1 - exclusive]
                assert result == function.reduce(part, dtype=dtype)


def test_running_sums_of_narrow_numbers_are_rounded_once() -> None:
    data = np.array([2048, 1, 1], np.float16)
    assert accumulate(np.add, data, 0).tolist() == [2048, 2048, 2050]
