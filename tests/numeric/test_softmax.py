from __future__ import annotations

import numpy as np
import pytest

from relayish.numeric.softmax import log_softmax, softmax


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_exponentials_do_not_overflow(dtype: type[np.floating]) -> None:
    x = np.array([6e4, 0], dtype)
    assert softmax(x, 0).tolist() == [1, 0]
    assert log_softmax(x, 0).tolist() == [0, dtype(-6e4)]
    assert softmax(x, 0).dtype == log_softmax(x, 0).dtype == dtype


def test_sums_may_be_more_than_the_element_type_counts_to() -> None:
    expected = np.full(100_000, -np.log(1e5), np.float16)
    np.testing.assert_array_equal(log_softmax(np.zeros(100_000, np.float16), 0), expected)


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 2)])
def test_nothing_has_a_softmax_of_nothing(shape: tuple[int, ...]) -> None:
    assert softmax(np.zeros(shape), -1).shape == shape
    with np.errstate(divide="ignore"):
        assert log_softmax(np.zeros(shape), 0).shape == shape


def test_what_is_given_is_not_written_over() -> None:
    x = np.arange(4.0)
    softmax(x, 0)
    log_softmax(x, 0)
    assert x.tolist() == [0, 1, 2, 3]
