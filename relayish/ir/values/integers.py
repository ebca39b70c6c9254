"""Arithmetic of integers that numpy does not have, for evaluation in every language."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from relayish.errors import DivisionByZeroError

Values: TypeAlias = "npt.NDArray[Any] | np.generic"  # Any: of whatever element type


def power_of_integers(base: Values, exponent: Values) -> npt.NDArray[Any]:  # Any: as above
    """Return powers of the type of ``base``, which broadcasts with ``exponent``.

    Where the exponent is negative, they are rounded towards zero: 0 but for powers of 1 and -1.

    Raises:
        DivisionByZeroError: If 0 is raised to a negative power.
    """
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
