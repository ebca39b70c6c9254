"""Kernels by the order of elements: the largest, the distinct, running sums."""

from __future__ import annotations

import numpy as np

from relayish.numeric.arguments import get_scalar
from relayish.numeric.axes import normalise_axis
from relayish.numeric.ordering import accumulate, find_distinct, find_top
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import without_warnings


@kernel("TopK", since=(1,))
def top_of_attribute(x: Array, *, k: int, axis: int = -1) -> tuple[Array, Array]:
    """Return the ``k`` largest elements along an axis, and where they are."""
    return _top(x, k, axis, largest=True)


@kernel("TopK", since=(10,))
def top(x: Array, k: Array, *, axis: int = -1) -> tuple[Array, Array]:
    """Return the ``k`` largest elements along an axis, and where they are."""
    return _top(x, get_scalar(k, "k of TopK"), axis, largest=True)


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
    return _top(x, get_scalar(k, "k of TopK"), axis, largest=bool(largest))


def _top(x: Array, k: int, axis: int, *, largest: bool) -> tuple[Array, Array]:
    values, places = find_top(x, k, normalise_axis(axis, x.ndim), largest=largest)
    return values, places.astype(np.int64, copy=False)


@kernel("Unique", since=(11, 28))
def unique(
    x: Array,
    *,
    axis: int | None = None,
    sorted: int = 1,  # noqa: A002 (the name of the attribute)
) -> tuple[Array, Array, Array, Array]:
    """Return distinct elements or slices, where each is first, which each is, how many are."""
    slices = x.reshape(-1) if axis is None else np.moveaxis(x, normalise_axis(axis, x.ndim), 0)
    first, which, counts = find_distinct(slices, by_value=bool(sorted))
    found = slices[first]
    return (
        found if axis is None else np.moveaxis(found, 0, axis),
        first.astype(np.int64),
        which.astype(np.int64),
        counts.astype(np.int64),
    )


@kernel("NonZero", since=(9, 13))
def non_zero(x: Array) -> Array:
    """Return the places of elements other than 0, a column for each."""
    if not x.ndim:
        return np.zeros((0, int(bool(x))), np.int64)
    return np.array(np.nonzero(x), np.int64)


@kernel("CumSum", since=(11, 14))
def cumulative_sum(x: Array, axis: Array, *, exclusive: int = 0, reverse: int = 0) -> Array:
    """Return sums of all elements up to each, along an axis."""
    return _cumulative(np.add, x, axis, exclusive, reverse)


@kernel("CumProd", since=(26,))
def cumulative_product(x: Array, axis: Array, *, exclusive: int = 0, reverse: int = 0) -> Array:
    """Return products of all elements up to each, along an axis."""
    return _cumulative(np.multiply, x, axis, exclusive, reverse)


@without_warnings
def _cumulative(function: np.ufunc, x: Array, axis: Array, exclusive: int, reverse: int) -> Array:
    along = normalise_axis(get_scalar(axis, "axis"), x.ndim)
    return accumulate(function, x, along, exclusive=bool(exclusive), reverse=bool(reverse))
