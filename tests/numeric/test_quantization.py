from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.numeric.quantization import convert_saturated, requantize, spread_scale

X = np.zeros((2, 3, 4))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int4", "uint2"])
@pytest.mark.parametrize("source", [np.float32, np.float64, np.int64])
def test_what_is_out_of_range_is_at_an_end_of_it(dtype: str, source: type[np.generic]) -> None:
    target = np.dtype(getattr(ml_dtypes, dtype, dtype))
    bounds = ml_dtypes.iinfo(target)
    found = convert_saturated(np.array([-(10**9), 0, 1, 10**9], source), target)
    assert found.dtype == target
    assert found.astype(int).tolist() == [bounds.min, 0, 1, bounds.max]


def test_no_number_is_0_among_integers_and_itself_elsewhere() -> None:
    special = np.array([np.nan, np.inf, -np.inf])
    assert convert_saturated(special, np.dtype(np.int8)).tolist() == [0, 127, -128]
    fractions = np.dtype(ml_dtypes.float8_e4m3fn)
    assert np.isnan(convert_saturated(special, fractions).astype(float)).tolist() == [1, 0, 0]
    assert np.isnan(convert_saturated(special, fractions, saturate=False).astype(float)).all()


def test_scales_belong_to_all_to_an_axis_or_to_blocks_of_it() -> None:
    for one in (np.ones(()), np.ones(1)):
        assert spread_scale(one, X, 1).shape == spread_scale(one, X, 1, 2).shape == ()
    assert spread_scale(np.ones((1, 1)), X, 1).shape == ()
    assert spread_scale(np.ones((1, 1, 1)), X[:1, :1, :1], 1, 1).shape == (1, 1, 1)
    assert spread_scale(np.arange(3), X, -2).tolist() == [[[0], [1], [2]]]
    blocks = spread_scale(np.arange(12).reshape(2, 3, 2), X, 2, 3)
    assert blocks[0].tolist() == [[0, 0, 0, 1], [2, 2, 2, 3], [4, 4, 4, 5]]
    with pytest.raises(EvaluationError, match="one number, or 3 for axis 1"):
        spread_scale(np.arange(2), X, 1)
    with pytest.raises(EvaluationError, match=r"expected \(2, 3, 2\), one number for each 3"):
        spread_scale(np.arange(3), X, 2, 3)


def test_sums_are_requantised_to_the_nearest_of_two_the_even_one() -> None:
    total, zero = np.array([-1000, 1, 3, 1000]), np.array(1, np.int8)
    assert requantize(total, np.float32(0.5), zero).tolist() == [-128, 1, 3, 127]
