"""Reduction: what elements along axes have in common, and where the extreme ones are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import Array, divide_sum, is_whole, narrow, widen


def reduce_along(
    function: np.ufunc, data: Array, axes: Sequence[int], keepdims: bool = False
) -> Array:
    """Return what a function of numpy makes of the elements along ``axes``.

    Returns:
        In the element type of ``data``: integers wrap around, narrow floating-point numbers are
        rounded once.
    """
    wide = widen(data)
    return narrow(function.reduce(wide, tuple(axes), wide.dtype, keepdims=keepdims), data)


def mean_along(data: Array, axes: Sequence[int], keepdims: bool = False) -> Array:
    """Return the mean along ``axes``, as :func:`reduce_along` does.

    Integers are rounded towards zero; of no floating-point number the mean is NaN.

    Raises:
        EvaluationError: If it is of no integer.
    """
    total = reduce_along(np.add, widen(data), axes, keepdims)
    return narrow(divide_by_count(total, prod(data.shape[axis] for axis in axes)), data)


def divide_by_count(total: Array, count: int) -> Array:
    """Return a sum by how many there are, in its element type, rounded towards zero for integers.

    Raises:
        EvaluationError: If there are no integers.
    """
    if not is_whole(total.dtype):
        return np.asarray(total / total.dtype.type(count))
    if count == 0:
        raise EvaluationError(f"the mean of no {total.dtype} is not defined")
    return divide_sum(total, np.asarray(count), total.dtype)


def find_extreme(
    find: Callable[..., Array],  # of numpy, with keywords of its own
    data: Array,
    axes: Sequence[int],
    *,
    keepdims: bool = False,
    last: bool = False,
) -> Array:
    """Return where ``np.argmax`` or ``np.argmin`` finds the first, or last, of extreme elements.

    Several axes count as one, of which they are the digits in order.

    Raises:
        EvaluationError: If there is no element along them.
    """
    kept = tuple(axis for axis in range(data.ndim) if axis not in axes)
    count = prod(data.shape[axis] for axis in axes)
    if not count:
        raise EvaluationError(
            f"axes {tuple(axes)} of shape {data.shape} have no element; expected one to be found"
        )
    rows = np.transpose(widen(data), (*kept, *axes))
    rows = rows.reshape((*(data.shape[axis] for axis in kept), count))
    found = count - 1 - find(rows[..., ::-1], axis=-1) if last else find(rows, axis=-1)
    return np.expand_dims(found, tuple(axes)) if keepdims else np.asarray(found)
