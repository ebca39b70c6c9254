"""Elements found by their places: gathering and scattering, one-hot vectors."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric import indexing
from relayish.numeric.arguments import get_scalar
from relayish.numeric.axes import normalise_axis
from relayish.numeric.precision import widen
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import choice, without_warnings


@kernel("Gather", since=(1, 11, 13))
def gather(data: Array, indices: Array, *, axis: int = 0) -> Array:
    """Return slices of ``data`` along ``axis``, one for each index."""
    along = normalise_axis(axis, data.ndim)
    index = indexing.as_index(indices, data.shape[along], "indices of Gather")
    return np.asarray(np.take(data, index, axis=along), data.dtype)


@kernel("GatherElements", since=(11, 13))
def gather_elements(data: Array, indices: Array, *, axis: int = 0) -> Array:
    """Return the element at each index along ``axis``, whose other places are those of it."""
    return np.asarray(data[indexing.index_along(data.shape, indices, axis)], data.dtype)


@kernel("GatherND", since=(11,))
def gather_slices(data: Array, indices: Array) -> Array:
    """Return the slice of ``data`` that each row of ``indices`` is the place of."""
    return gather_slices_of_batch(data, indices)


@kernel("GatherND", since=(12, 13))
def gather_slices_of_batch(data: Array, indices: Array, *, batch_dims: int = 0) -> Array:
    """Return the slice of ``data`` that each row of ``indices`` is the place of, in its batch."""
    if not 0 <= batch_dims < min(data.ndim, indices.ndim):
        raise EvaluationError(
            f"batch_dims {batch_dims} for data of shape {data.shape} and indices of shape "
            f"{indices.shape}; expected dimensions that the two have in common"
        )
    where = indexing.index_of_rows(data.shape, np.moveaxis(indices, -1, 0), batch_dims)
    return np.asarray(data[where], data.dtype)


@kernel("Scatter", since=(9, 11))
def scatter(data: Array, indices: Array, updates: Array, *, axis: int = 0) -> Array:
    """Return ``data`` with each of ``updates`` at its index along ``axis``."""
    return scatter_elements_by(data, indices, updates, axis=axis)


@kernel("ScatterElements", since=(11, 13))
def scatter_elements(data: Array, indices: Array, updates: Array, *, axis: int = 0) -> Array:
    """Return ``data`` with each of ``updates`` at its index along ``axis``."""
    return scatter_elements_by(data, indices, updates, axis=axis)


@kernel("ScatterElements", since=(16, 18))
def scatter_elements_by(
    data: Array, indices: Array, updates: Array, *, axis: int = 0, reduction: str = "none"
) -> Array:
    """Return ``data`` with each of ``updates`` put, or added, at its index along ``axis``."""
    if updates.shape != indices.shape:
        raise EvaluationError(
            f"updates have shape {updates.shape}; expected that of indices, {indices.shape}"
        )
    return _scattered(data, indexing.index_along(data.shape, indices, axis), updates, reduction)


@kernel("ScatterND", since=(11, 13))
def scatter_slices(data: Array, indices: Array, updates: Array) -> Array:
    """Return ``data`` with each of ``updates`` at the place that a row of ``indices`` is."""
    return scatter_slices_by(data, indices, updates)


@kernel("ScatterND", since=(16, 18))
def scatter_slices_by(
    data: Array, indices: Array, updates: Array, *, reduction: str = "none"
) -> Array:
    """Return ``data`` with each of ``updates`` put, or added, where a row of ``indices`` says."""
    where = indexing.index_of_rows(data.shape, np.moveaxis(np.atleast_1d(indices), -1, 0))
    expected = indices.shape[:-1] + data.shape[len(where) :]
    if updates.shape != expected:
        raise EvaluationError(f"updates have shape {updates.shape}; expected {expected}")
    return _scattered(data, where, updates, reduction)


@without_warnings
def _scattered(data: Array, where: tuple[Array, ...], updates: Array, reduction: str) -> Array:
    choice(reduction, ("none", *indexing.SCATTERED), "reduction")
    return indexing.scatter(data, where, updates, None if reduction == "none" else reduction)


@kernel("OneHot", since=(9, 11, 28))
def one_hot(indices: Array, depth: Array, values: Array, *, axis: int = -1) -> Array:
    """Return ``values[1]`` at each index along a further axis, and ``values[0]`` elsewhere."""
    size = int(get_scalar(depth, "depth of OneHot"))
    if size < 0:
        raise EvaluationError(f"depth {size} of OneHot; expected 0 or more")
    if values.shape != (2,):
        raise EvaluationError(
            f"values of OneHot have shape {values.shape}; expected (2,), for off and on"
        )
    places = widen(indices).astype(np.int64)
    places = np.where(places < 0, places + size, places)
    return indexing.one_hot(places, size, values[1], values[0:1].reshape(()), axis)
