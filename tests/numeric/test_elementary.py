from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

from relayish.numeric.elementary import elu, round_half_away, scale_negative, sigmoid, softplus
from relayish.numeric.error_function import erf


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64])
def test_the_error_function_is_exact_to_the_last_place(dtype: npt.DTypeLike) -> None:
    spread = np.concatenate([np.linspace(-7, 7, 40001), np.geomspace(1e-300, 1, 2000)])
    with np.errstate(under="ignore"):
        x = spread.astype(dtype).reshape(-1, 1)
    expected = np.array([math.erf(one) for one in x.ravel().tolist()])
    found = erf(x)
    assert found.dtype == dtype
    eps, tiny = (float(getattr(ml_dtypes.finfo(dtype), it)) for it in ("eps", "smallest_subnormal"))
    np.testing.assert_allclose(found[:, 0].astype(float), expected, rtol=eps, atol=tiny)
    some = [float(erf(one)) for one in x[::500, 0]]
    np.testing.assert_allclose(some, expected[::500], rtol=eps, atol=tiny)
    assert np.isnan(erf(np.array([np.nan, 0], dtype)).astype(float)).tolist() == [True, False]


def test_exponentials_that_overflow_leave_zero_and_one() -> None:
    x = np.array([-200, -1e6, np.inf], np.float32)
    with np.errstate(over="ignore"):
        assert sigmoid(x).tolist() == [0, 0, 1]
    assert softplus(np.array([-1e6, 1e6])).tolist() == [0, 1e6]
    assert elu(np.array([-1e6, 1e6]), 0.5).tolist() == [-0.5, 1e6]


def test_the_logistic_function_may_be_written_over_what_it_is_of() -> None:
    x = np.array([0.0, 1.0])
    assert sigmoid(x, x) is x
    assert x.tolist() == [0.5, 1 / (1 + math.exp(-1))]


def test_a_slope_that_is_no_number_leaves_what_is_not_negative() -> None:
    x, slope = np.array([0.5, -1, -1, 0]), np.array([np.nan, np.nan, np.inf, np.inf])
    expected = np.array([0.5, np.nan, -np.inf, 0])
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(scale_negative(x, slope), expected)


def test_zero_is_scaled_where_that_is_asked_for_and_keeps_its_sign() -> None:
    x = np.array([0.0, -0.0, 2])
    with np.errstate(invalid="ignore"):
        found = scale_negative(x, np.array(np.inf), zero=True)
    np.testing.assert_array_equal(found, [np.nan, np.nan, 2])
    for slope, zero in ((0.5, False), (2.0, True)):
        assert np.signbit(scale_negative(x, np.array(slope), zero=zero)).tolist() == [0, 1, 0]
    assert np.signbit(scale_negative(x, np.array(-1.0), zero=True)).tolist() == [1, 0, 0]
    assert np.signbit(scale_negative(x, np.array(-1.0))).tolist() == [0, 1, 0]


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32])
def test_negative_numbers_of_any_kind_are_scaled(dtype: type[np.generic]) -> None:
    found = scale_negative(np.array([-3, 0, 3], dtype), np.array(2, dtype))
    assert found.tolist() == [-6, 0, 3]
    assert found.dtype == dtype


@pytest.mark.parametrize(
    ("given", "expected"),
    [(0.5, 1), (-0.5, -1), (2.5, 3), (0.49999997, 0), (-2.4, -2), (8388609.0, 8388609.0)],
)
def test_halves_are_rounded_away_from_zero(given: float, expected: float) -> None:
    assert round_half_away(np.array(given, np.float32)) == np.float32(expected)


def test_rounding_keeps_what_is_not_finite_and_the_sign_of_zero() -> None:
    x = np.array([np.inf, -np.inf, np.nan, -0.2], np.float32)
    with np.errstate(invalid="ignore"):
        found = round_half_away(x)
    np.testing.assert_array_equal(found[:3], x[:3])
    assert np.signbit(found[3])
