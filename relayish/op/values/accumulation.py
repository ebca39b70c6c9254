"""In which element type sums of products are computed, so that they are exact and yet fast.

Matrix products of floats run on the processor's fast paths, those of integers do not. Integers are
therefore computed as floats wherever every partial sum is a whole number the float holds exactly.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np

from relayish.errors import EvaluationError
from relayish.op.values.evaluation import Array, is_integral

_SINGLE_BYTES = 4
_EXACT = ((2**24, np.dtype(np.float32)), (2**53, np.dtype(np.float64)))
"""Below these bounds the types hold every whole number."""
_WORTH: Final = 2**15
"""How many multiplications of integers make it worth looking whether floats will do."""

ElementType: TypeAlias = np.dtype[Any]  # Any: known only when the data comes


def matrix_product(lhs: Array, rhs: Array, dtype: ElementType) -> Array:
    """Return ``lhs: (…, m, k)`` times ``rhs: (…, k, n)`` as ``numpy.matmul`` does, in ``dtype``.

    The operands count as cast to ``dtype`` first, as in Relay. Integers wrap around.

    Raises:
        EvaluationError: If the operands do not have the same ``k``.

    Complexity:
        A product of integers is computed as one of floats, on the processor's fast paths, where
        these hold every partial sum exactly; so it is exact always, and seldom slow.
    """
    if lhs.shape[-1] != rhs.shape[-2]:
        raise EvaluationError(
            f"a product sums over {lhs.shape[-1]} elements of {lhs.shape} "
            f"and {rhs.shape[-2]} of {rhs.shape}; they must be equally many"
        )
    if dtype.kind == "b":
        return np.matmul(lhs.astype(dtype, copy=False), rhs.astype(dtype, copy=False))
    left, right = operand(lhs, dtype), operand(rhs, dtype)
    few = dtype.kind in "iu" and left.size * right.shape[-1] < _WORTH
    kind = dtype if few else accumulator(dtype, left, right, left.shape[-1])
    product = np.matmul(left.astype(kind, copy=False), right.astype(kind, copy=False))
    return round_to(product, dtype)


def widen(data: Array) -> Array:
    """Return ``data`` in float32 if its elements are narrower floats, else what they are.

    What is computed of it and then cast back has been rounded once, not at every step. Integers of
    fewer than 8 bits come in a type that numpy itself computes with.
    """
    if data.dtype.kind in "iubc" or data.dtype.itemsize >= _SINGLE_BYTES:
        return data
    return unpack(data) if is_integral(data) else data.astype(np.float32)


def is_whole(dtype: ElementType) -> bool:
    """Return whether ``dtype`` is a type of integers or booleans."""
    return is_integral(np.empty(0, dtype))


def unpack(data: Array) -> Array:
    """Return ``data``, integers of fewer than 8 bits in a type that numpy itself computes with."""
    return data.astype(np.int16) if data.dtype.kind == "V" and is_integral(data) else data


def operand(data: Array, dtype: ElementType) -> Array:
    """Return ``data`` as what it counts as where products are of element type ``dtype``.

    Integers need no cast to other integers: their sums wrap around to the same value later.
    """
    if is_integral(data) and is_whole(dtype):
        return unpack(data)
    return unpack(data.astype(dtype, copy=False))


def accumulator(dtype: ElementType, left: Array, right: Array, terms: int) -> ElementType:
    """Return in which type to compute sums of ``terms`` products that are to be of ``dtype``.

    Floats narrower than float32 are computed in float32, which :func:`round_to` then rounds once.
    """
    if not is_whole(dtype):
        return dtype if dtype.itemsize >= _SINGLE_BYTES else np.dtype(np.float32)
    bound = _magnitude(left) * _magnitude(right) * terms
    return next((exact for limit, exact in _EXACT if bound < limit), dtype)


def round_to(result: Array, dtype: ElementType) -> Array:
    """Return what was computed in an :func:`accumulator` as ``dtype``; integers wrap around."""
    if is_whole(dtype) and result.dtype.kind == "f":
        return result.astype(np.int64).astype(dtype)
    return result.astype(dtype, copy=False)


def _magnitude(data: Array) -> int:
    return max(abs(int(data.min())), abs(int(data.max()))) if data.size else 0
