"""Computing in the element type asked for: exact for integers, rounded once for narrow floats."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.op.evaluation import Array

_SINGLE: Final = 4
"""Bytes of the floating point type in which narrower ones are computed."""
_WHOLE: Final = 2**53
"""Below this float64 holds every whole number."""
_WORTH: Final = 2**15
"""How many multiplications make it worth looking whether float64 will do."""


def widened(data: Array) -> Array:
    """Return ``data`` in float32 if its elements are narrower floats, else ``data`` itself.

    What is computed of it and then cast back has been rounded once, not at every step.
    """
    if data.dtype.kind in "iubc" or data.dtype.itemsize >= _SINGLE:
        return data
    return data.astype(np.float32)


def matrix_product(lhs: Array, rhs: Array, dtype: np.dtype[Any]) -> Array:  # Any: numpy's own
    """Return ``lhs: (…, m, k)`` times ``rhs: (…, k, n)`` as ``numpy.matmul`` does, in ``dtype``.

    The operands count as cast to ``dtype`` first, as in Relay. Integers wrap around.

    Raises:
        EvaluationError: If the operands do not have the same ``k``.

    Complexity:
        A product of integers is computed as one of floats, on the processor's fast paths, where
        float64 holds every partial sum exactly; so it is exact always, and seldom slow.
    """
    if lhs.shape[-1] != rhs.shape[-2]:
        raise EvaluationError(
            f"a product sums over {lhs.shape[-1]} elements of {lhs.shape} "
            f"and {rhs.shape[-2]} of {rhs.shape}; they must be equally many"
        )
    left, right = lhs.astype(dtype, copy=False), rhs.astype(dtype, copy=False)
    if dtype.kind == "b":
        return np.matmul(left, right)
    if dtype.kind not in "iu":
        return np.matmul(widened(left), widened(right)).astype(dtype, copy=False)
    if left.size * right.shape[-1] >= _WORTH and _sums_are_below(_WHOLE, left, right):
        whole = np.matmul(left.astype(np.float64), right.astype(np.float64))
        return whole.astype(np.int64).astype(dtype)
    return np.matmul(left, right)


def _sums_are_below(bound: int, left: Array, right: Array) -> bool:
    terms: int = left.shape[-1]
    return _magnitude(left) * _magnitude(right) * terms < bound


def _magnitude(data: Array) -> int:
    """Return the largest magnitude of the elements of ``data``, which are integers."""
    return max(abs(int(data.min())), abs(int(data.max()))) if data.size else 0
