"""Kernels by the order of elements: the largest, the distinct, running sums."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.axes import normalise_axis
from relayish.numeric.precision import widen
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import number_of, without_warnings

_LARGE: Final = 8
"""So many times the elements that are asked for are no longer all sorted."""


@kernel("TopK", since=(1,))
def top_of_attribute(x: Array, *, k: int, axis: int = -1) -> tuple[Array, Array]:
    """Return the ``k`` largest elements along an axis, and where they are."""
    return _top(x, k, axis, largest=True)


@kernel("TopK", since=(10,))
def top(x: Array, k: Array, *, axis: int = -1) -> tuple[Array, Array]:
    """Return the ``k`` largest elements along an axis, and where they are."""
    return _top(x, number_of(k, "k of TopK"), axis, largest=True)


@kernel("TopK", since=(11, 24))
def top_or_bottom(
    x: Array,
    k: Array,
    *,
    axis: int = -1,
    largest: int = 1,
    sorted: int = 1,  # noqa: A002, ARG001 (the attribute; where it is 0 any order will do)
) -> tuple[Array, Array]:
    """Return the ``k`` largest or smallest elements along an axis, and where they are."""
    return _top(x, number_of(k, "k of TopK"), axis, largest=bool(largest))


def _top(x: Array, k: int, axis: int, *, largest: bool) -> tuple[Array, Array]:
    """Return elements and their places, in order; of equal ones that with the lower place first."""
    axis = normalise_axis(axis, x.ndim)
    size = x.shape[axis]
    if not 0 <= k <= size:
        raise EvaluationError(
            f"{k} elements are asked for along axis {axis} of shape {x.shape}; expected 0 to {size}"
        )
    rows = np.moveaxis(widen(x), axis, -1)
    if k and rows.size and size >= _LARGE * k and not np.isnan(rows).any():
        among = _best(rows, k, largest=largest)
        order = _order(np.take_along_axis(rows, among, axis=-1), largest=largest)
        chosen = np.take_along_axis(among, order, axis=-1)
    else:
        chosen = _order(rows, largest=largest)[..., :k]
    places = np.moveaxis(chosen, -1, axis).astype(np.int64, copy=False)
    return np.take_along_axis(x, places, axis=axis), places


def _order(rows: Array, *, largest: bool) -> Array:
    """Return the places of all elements of each row in order; equal ones keep theirs."""
    if not largest:
        return np.argsort(rows, axis=-1, kind="stable")
    # sorted backwards, so that equal ones come out in order when they are read backwards
    behind = np.argsort(rows[..., ::-1], axis=-1, kind="stable")
    order: Array = (rows.shape[-1] - 1 - behind)[..., ::-1]
    return order


def _best(rows: Array, k: int, *, largest: bool) -> Array:
    """Return the places of the ``k`` best of each row, as they stand; of equal ones the first.

    Complexity:
        Linear: the rows are not sorted.
    """
    last = rows.shape[-1] - k if largest else k - 1
    limit = np.partition(rows, last, axis=-1)[..., last : last + 1]
    better = rows > limit if largest else rows < limit
    equal = rows == limit
    wanted = k - np.count_nonzero(better, axis=-1, keepdims=True)
    chosen = better | (equal & (np.cumsum(equal, axis=-1) <= wanted))
    return np.nonzero(chosen)[-1].reshape(*rows.shape[:-1], k)


@kernel("Unique", since=(11, 28))
def unique(
    x: Array,
    *,
    axis: int | None = None,
    sorted: int = 1,  # noqa: A002 (the name of the attribute)
) -> tuple[Array, Array, Array, Array]:
    """Return distinct elements or slices, where each is first, which each is, how many are."""
    if axis is None:
        slices, elements = x.reshape(-1), widen(x).reshape(-1)
        _, first, inverse, counts = np.unique(
            elements, return_index=True, return_inverse=True, return_counts=True
        )
    else:
        slices = np.moveaxis(x, normalise_axis(axis, x.ndim), 0)
        rows = widen(slices).reshape(len(slices), math.prod(slices.shape[1:]))
        first, inverse, counts = _distinct_rows(rows)
    inverse = inverse.reshape(-1)
    if not sorted:
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        first, counts, inverse = first[order], counts[order], rank[inverse]
    found = slices[first]
    return (
        found if axis is None else np.moveaxis(found, 0, axis),
        first.astype(np.int64),
        inverse.astype(np.int64),
        counts.astype(np.int64),
    )


def _distinct_rows(rows: Array) -> tuple[Array, Array, Array]:
    """Return where each distinct row is first, which each row is, and how many are the same.

    Rows are compared by the ranks of their elements, which strings have as well.
    """
    if not rows.shape[1]:
        count = min(len(rows), 1)
        return np.zeros(count, np.int64), np.zeros(len(rows), np.int64), np.full(count, len(rows))
    _, ranks = np.unique(rows, return_inverse=True)
    _, first, inverse, counts = np.unique(
        ranks.reshape(rows.shape),
        axis=0,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )
    return first, inverse, counts


@kernel("NonZero", since=(9, 13))
def non_zero(x: Array) -> Array:
    """Return the places of elements other than 0, a column for each."""
    if not x.ndim:
        return np.zeros((0, int(bool(x))), np.int64)
    return np.array(np.nonzero(x), np.int64)


@kernel("CumSum", since=(11, 14))
def cumulative_sum(x: Array, axis: Array, *, exclusive: int = 0, reverse: int = 0) -> Array:
    """Return sums of all elements up to each, along an axis."""
    return _cumulative(np.cumsum, x, axis, exclusive, reverse, 0)


@kernel("CumProd", since=(26,))
def cumulative_product(x: Array, axis: Array, *, exclusive: int = 0, reverse: int = 0) -> Array:
    """Return products of all elements up to each, along an axis."""
    return _cumulative(np.cumprod, x, axis, exclusive, reverse, 1)


@without_warnings
def _cumulative(
    function: Callable[..., Array],  # of numpy, with keywords of its own
    x: Array,
    axis: Array,
    exclusive: int,
    reverse: int,
    neutral: int,
) -> Array:
    along = normalise_axis(number_of(axis, "axis"), x.ndim)
    wide = widen(x)
    data = np.flip(wide, along) if reverse else wide
    if exclusive and x.shape[along]:
        head = np.full_like(np.take(data, [0], axis=along), neutral)
        data = np.concatenate([head, np.delete(data, -1, axis=along)], axis=along)
    result = function(data, axis=along, dtype=data.dtype)
    return (np.flip(result, along) if reverse else result).astype(x.dtype, copy=False)
