"""Powers: those of IEEE 754, however many there are at once."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from relayish.numeric.power import power
from tests.support.each import each

BASES = [-math.inf, -1.0, -0.0, 0.0, 1.0, 4.0, math.inf, math.nan]
EXPONENTS = [-0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, math.inf, math.nan]


def expected(base: float, exponent: float) -> float:
    """The power, as the library of C has it."""
    try:
        return math.pow(base, exponent)
    except ValueError:  # Python refuses what is no number, and poles
        return math.nan if base else math.inf


@pytest.mark.parametrize(
    "dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64, ml_dtypes.float8_e5m2]
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@each("exponent", EXPONENTS)
def test_powers_of_floats_are_those_of_c(dtype, exponent):
    right = np.array([expected(base, exponent) for base in BASES])
    bases, one = np.array(BASES, dtype), np.array(exponent, dtype)
    for found in (
        power(bases, one),
        power(bases, np.full(len(BASES), one)),
        power(bases[:, None], one[None])[:, 0],
        np.array([power(base, one[()]) for base in bases]),
    ):
        assert found.dtype == dtype
        wide = found.astype(float)
        np.testing.assert_array_equal(wide, right)
        np.testing.assert_array_equal(np.signbit(wide)[right == 0], np.signbit(right)[right == 0])


def test_the_root_of_a_negative_number_stays_none():
    with np.errstate(invalid="ignore"):
        assert np.isnan(power(np.array([-4.0]), np.array(0.5))).all()


def test_complex_numbers_keep_their_powers():
    found = power(np.array([-4 + 0j, 0j]), np.array(0.5 + 0j))
    np.testing.assert_allclose(found, [2j, 0], atol=1e-12)
