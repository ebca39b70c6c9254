"""What follows from the order of elements: the largest, the distinct, running sums."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from relayish.errors import EvaluationError
from relayish.onnx.kernels.axes import axis_of
from relayish.onnx.kernels.precision import widen
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import number_of, without_warnings


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
    axis = axis_of(x, axis)
    size = x.shape[axis]
    if not 0 <= k <= size:
        raise EvaluationError(
            f"{k} elements are asked for along axis {axis} of shape {x.shape}; expected 0 to {size}"
        )
    wide = widen(x)
    if largest:  # sorted backwards, so that equal ones come out in order when read backwards
        behind = np.argsort(np.flip(wide, axis), axis=axis, kind="stable")
        order = np.flip(size - 1 - behind, axis)
    else:
        order = np.argsort(wide, axis=axis, kind="stable")
    places = np.take(order, np.arange(k), axis=axis).astype(np.int64, copy=False)
    return np.take_along_axis(x, places, axis=axis), places


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
        slices = np.moveaxis(x, axis_of(x, axis), 0)
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
    along = axis_of(x, number_of(axis, "axis"))
    wide = widen(x)
    data = np.flip(wide, along) if reverse else wide
    if exclusive and x.shape[along]:
        head = np.full_like(np.take(data, [0], axis=along), neutral)
        data = np.concatenate([head, np.delete(data, -1, axis=along)], axis=along)
    result = function(data, axis=along, dtype=data.dtype)
    return (np.flip(result, along) if reverse else result).astype(x.dtype, copy=False)
