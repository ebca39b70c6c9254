"""Powers of numbers of any kind, for evaluation in every language."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from relayish.errors import DivisionByZeroError
from relayish.numeric.precision import is_whole

Values: TypeAlias = "npt.NDArray[Any] | np.generic"  # Any: of whatever element type


def power(base: Values, exponent: Values) -> npt.NDArray[Any]:  # Any: as above
    """Return powers of the type of ``base``, which broadcasts with ``exponent``.

    Floats have those that IEEE 754 has: of -0 and of negative infinity to a half, which are no
    square roots, 0 and infinity. Integers whose exponent is negative are rounded towards zero: 0
    but for powers of 1 and -1.

    Raises:
        DivisionByZeroError: If an integer 0 is raised to a negative power.
    """
    if is_whole(base.dtype):
        return _power_of_integers(base, exponent)
    if base.dtype.kind != "c" and np.equal(exponent, 0.5).any():  # numpy may take square roots
        is_other = np.equal(exponent, 0.5) & (np.equal(base, 0) | np.isinf(base))
        base = np.where(is_other, np.abs(base), base)
    return np.asarray(np.power(base, exponent))


def _power_of_integers(base: Values, exponent: Values) -> npt.NDArray[Any]:  # Any: as above
    negative = np.less(exponent, 0)
    if not negative.any():
        return np.asarray(np.power(base, exponent.astype(base.dtype)))
    base, exponent = np.broadcast_arrays(base, exponent)
    if (np.equal(base, 0) & (exponent < 0)).any():
        raise DivisionByZeroError(
            "0 is raised to a negative power; expected exponents of 0 or more where the base is 0"
        )
    is_one = np.equal(np.bitwise_and(exponent, 1), 0) | (base == 1)
    small = np.where((base == 1) | (base == -1), np.where(is_one, 0 * base + 1, base), 0 * base)
    least = np.where(exponent < 0, 0 * exponent, exponent)
    return np.where(exponent < 0, small, np.power(base, least.astype(base.dtype)))
