"""Padding before windows are taken."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relayish.numeric.pooling import count_elements
from relayish.numeric.windows import Windows, extend


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [(1, 2, [9, 1, 2, 9, 9]), (-1, 1, [2, 9]), (-1, -1, []), (1, -4, []), (-4, 3, [9])],
)
def test_padding_adds_elements_and_takes_away(before: int, after: int, expected: list[int]) -> None:
    found = extend(np.array([1, 2]), (0,), ((before, after),), fill=9)
    assert found.tolist() == expected


@given(st.tuples(*[st.integers(1, 9)] * 4), st.integers(-3, 30), st.integers(-3, 30))
def test_elements_that_count_are_those_between_the_ends(
    sizes: tuple[int, int, int, int], low: int, high: int
) -> None:
    size, stride, spread, count = sizes
    windows = Windows((1,), (size,), (stride,), (spread,), (count,))
    found = count_elements(windows, 2, [(low, high)])
    places = [[at * stride + tap * spread for tap in range(size)] for at in range(count)]
    assert found.tolist() == [[max(sum(low <= p < high for p in row), 1) for row in places]]
