"""Products of matrices, and sums of products along axes that an equation names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import (
    Array,
    ElementType,
    accumulator,
    narrow,
    operand,
    round_to,
    widen,
)

_WORTH: Final = 2**15
"""How many multiplications of integers make it worth looking whether floats will do."""


def matrix_product(lhs: Array, rhs: Array, dtype: ElementType) -> Array:
    """Return ``lhs: (…, m, k)`` times ``rhs: (…, k, n)`` as ``numpy.matmul`` does, in ``dtype``.

    Either may be a vector, of ``k`` elements. The operands count as cast to ``dtype`` first.
    Integers wrap around.

    Raises:
        EvaluationError: If the operands do not have the same ``k``, or their stacks do not
            broadcast.

    Complexity:
        A product of integers is computed as one of floats, on the processor's fast paths, where
        these hold every partial sum exactly; so it is exact always, and seldom slow.
    """
    _check_product(lhs, rhs)
    if dtype.kind == "b":
        return np.asarray(np.matmul(lhs.astype(dtype), rhs.astype(dtype)))
    left, right = operand(lhs, dtype), operand(rhs, dtype)
    few = dtype.kind in "iu" and left.size * right.shape[-1] < _WORTH
    kind = dtype if few else accumulator(dtype, left, right, left.shape[-1])
    product = np.matmul(left.astype(kind, copy=False), right.astype(kind, copy=False))
    return round_to(product, dtype)


def _check_product(lhs: Array, rhs: Array) -> None:
    facing = rhs.shape[-min(rhs.ndim, 2)] if rhs.ndim else None
    if lhs.ndim == 0 or facing is None or lhs.shape[-1] != facing:
        raise EvaluationError(
            f"shapes {lhs.shape} and {rhs.shape} do not multiply; expected as many columns in the "
            "first as rows in the second"
        )
    try:
        np.broadcast_shapes(lhs.shape[:-2], rhs.shape[:-2])
    except ValueError:
        raise EvaluationError(
            f"stacks of shapes {lhs.shape} and {rhs.shape} do not broadcast; expected sizes before "
            "the last two that are equal or 1"
        ) from None


def einsum(equation: str, operands: Sequence[Array]) -> Array:
    """Return the sum of products that an equation of Einstein's form says.

    Returns:
        In the element type of the first of ``operands``; narrow floating-point numbers are rounded
        once.

    Raises:
        EvaluationError: If the equation does not fit them.
    """
    try:
        y = np.einsum(equation.replace(" ", ""), *map(widen, operands), optimize=True)
    except ValueError as error:
        shapes = ", ".join(str(each.shape) for each in operands)
        raise EvaluationError(
            f"the equation {equation!r} does not fit inputs of shapes {shapes}: {error}; "
            "expected a letter for each dimension, of one size wherever it stands"
        ) from error
    return narrow(y, operands[0])
