"""Order of elements: sorting, the first in order, the distinct; running sums and products."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import Array, narrow, widen

_LARGE: Final = 8
"""So many times the elements that are asked for are no longer all sorted."""


def order(data: Array, axis: int, *, largest: bool) -> Array:
    """Return the places of all elements along ``axis`` in order; equal ones keep theirs."""
    data = widen(data)  # numpy leaves NaNs of types that are not its own where they are
    if not largest:
        return np.argsort(data, axis=axis, kind="stable")
    # sorted backwards, so that equal ones come out in order when they are read backwards
    behind = np.argsort(np.flip(data, axis), axis=axis, kind="stable")
    found: Array = data.shape[axis] - 1 - np.flip(behind, axis)
    return found


def find_top(data: Array, count: int, axis: int, *, largest: bool) -> tuple[Array, Array]:
    """Return the first ``count`` elements along ``axis`` in order, and their places.

    Of equal ones that with the lower place comes first; NaN is larger than all others.

    Raises:
        EvaluationError: If there are not as many.

    Complexity:
        Linear where few of many are asked for, and there is no NaN.
    """
    size = data.shape[axis]
    if not 0 <= count <= size:
        raise EvaluationError(
            f"{count} elements are asked for along axis {axis} of shape {data.shape}; expected 0 "
            f"to {size}"
        )
    rows = np.moveaxis(widen(data), axis, -1)
    if count and rows.size and size >= _LARGE * count and not np.isnan(rows).any():
        among = _find_best(rows, count, largest=largest)
        ranks = order(np.take_along_axis(rows, among, axis=-1), -1, largest=largest)
        chosen = np.take_along_axis(among, ranks, axis=-1)
    else:
        chosen = order(rows, -1, largest=largest)[..., :count]
    places = np.moveaxis(chosen, -1, axis)
    return np.take_along_axis(data, places, axis=axis), places


def _find_best(rows: Array, count: int, *, largest: bool) -> Array:
    """Return the places of the ``count`` best of each row, as they stand; of equal ones the first.

    Complexity:
        Linear: the rows are not sorted.
    """
    last = rows.shape[-1] - count if largest else count - 1
    limit = np.partition(rows, last, axis=-1)[..., last : last + 1]
    better = rows > limit if largest else rows < limit
    equal = rows == limit
    wanted = count - np.count_nonzero(better, axis=-1, keepdims=True)
    chosen = better | (equal & (np.cumsum(equal, axis=-1) <= wanted))
    return np.nonzero(chosen)[-1].reshape(*rows.shape[:-1], count)


def find_distinct(slices: Array, *, by_value: bool) -> tuple[Array, Array, Array]:
    """Return where each distinct slice is first, which each is, and how often each is there.

    Args:
        slices: Slices along the first axis, as elements are of a vector.
        by_value: Whether the distinct ones are sorted; else they come as they stand.
    """
    rows = widen(slices)
    if rows.ndim > 1:
        rows = rows.reshape(len(rows), prod(rows.shape[1:]))
        if not rows.shape[1]:
            first: Array = np.arange(min(len(rows), 1))
            return first, np.zeros(len(rows), np.int64), np.full(len(first), len(rows))
        # compared by the ranks of their elements, which strings have as well
        rows = np.unique(rows, return_inverse=True)[1].reshape(rows.shape)
    _, first, which, counts = np.unique(
        rows,
        axis=0 if rows.ndim > 1 else None,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    which = which.reshape(-1)
    if by_value:
        return first, which, counts
    appearance = np.argsort(first, kind="stable")
    rank = np.empty_like(appearance)
    rank[appearance] = np.arange(len(appearance))
    return first[appearance], rank[which], counts[appearance]


def accumulate(
    function: np.ufunc, data: Array, axis: int, *, exclusive: bool = False, reverse: bool = False
) -> Array:
    """Return what a function of numpy makes of all elements up to each, along ``axis``.

    Args:
        function: ``np.add``, ``np.multiply`` or another with a neutral element.
        data: Any tensor; of narrow floating-point numbers each result is rounded once.
        axis: The axis, counted from the front.
        exclusive: Whether an element itself is left out.
        reverse: Whether it is all elements from the last one back to each.

    Returns:
        As ``data``, in its element type.
    """
    wide = np.flip(widen(data), axis) if reverse else widen(data)
    result = narrow(function.accumulate(wide, axis, wide.dtype), data)
    if exclusive:
        before = (slice(None),) * axis
        shifted = np.full_like(result, function.identity)
        shifted[(*before, slice(1, None))] = result[(*before, slice(None, -1))]
        result = shifted
    return np.flip(result, axis) if reverse else result
