"""The greatest element of windows."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.numeric.pooling import find_greatest
from relayish.numeric.windows import Windows

PAIRS = Windows((0,), (2,), (2,), (1,), (3,))
LOW = -np.inf


@pytest.mark.parametrize(
    ("data", "places", "greatest", "found"),
    [
        ([1, 2, 4, 3, 5, 5], range(6), [2, 4, 5], [1, 2, 4]),
        ([np.nan, 2, 4, np.nan, np.nan, np.nan], range(6), [np.nan] * 3, [0, 3, 4]),
        # what has no place is taken only where nothing has one
        ([LOW, LOW, 7, LOW, 7, 8], [-1, 0, 1, -1, -1, -1], [LOW, 7, 7], [0, 1, -1]),
        ([9, 1, 1, 9, 1, 2], [-1, 0, 1, -1, 2, 3], [1, 1, 2], [0, 1, 3]),
    ],
)
def test_greatest_element_is_found_with_its_place(data, places, greatest, found):
    values, at = find_greatest(np.array(data, np.float32), np.array(places), PAIRS)
    assert np.array_equal(values, greatest, equal_nan=True)
    assert at.tolist() == found


def test_windows_without_elements_have_no_greatest():
    with pytest.raises(EvaluationError, match="expected a kernel_shape above 0"):
        find_greatest(np.zeros(4), np.arange(4), PAIRS._replace(kernel=(0,)))
