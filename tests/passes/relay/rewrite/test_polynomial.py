"""Coefficients of polynomials."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.passes.relay.rewrite.simplify.polynomial import _convert_to_dtype


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_coefficient_is_rounded_unless_it_is_subnormal_or_infinite(dtype: str) -> None:
    limits = np.finfo(dtype)
    tiny, largest = float(limits.tiny), float(limits.max)
    assert [_convert_to_dtype(number, dtype) for number in (tiny, -largest)] == [
        limits.tiny,
        -limits.max,
    ]
    assert _convert_to_dtype(tiny / 2, dtype) is None
    assert _convert_to_dtype(float("inf"), dtype) is None
