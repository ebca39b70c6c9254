"""Padding before windows are taken."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.numeric.windows import extend


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [(1, 2, [9, 1, 2, 9, 9]), (-1, 1, [2, 9]), (-1, -1, []), (1, -4, []), (-4, 3, [9])],
)
def test_padding_adds_elements_and_takes_away(before: int, after: int, expected: list[int]) -> None:
    found = extend(np.array([1, 2]), (0,), ((before, after),), fill=9)
    assert found.tolist() == expected
