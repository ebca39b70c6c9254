"""Elements found by their places: gathering and scattering, one-hot vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from relayish.errors import EvaluationError, OutOfBoundsError
from relayish.numeric.axes import normalise_axis
from relayish.numeric.precision import is_integral, widen
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import choice, number_of, without_warnings

_SCATTER: Final[dict[str, Callable[[Array, Array], Array]]] = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


def _check_places(places: Array, size: int, what: str) -> None:
    if not is_integral(places.dtype):
        raise EvaluationError(f"{what} has elements of {places.dtype}; expected integers")
    if not places.size:
        return
    least, most = int(places.min()), int(places.max())
    if least < -size or most >= size:
        raise OutOfBoundsError(
            f"{what} holds {least if least < -size else most}; expected {-size} to {size - 1}"
        )


@kernel("Gather", since=(1, 11, 13))
def gather(data: Array, indices: Array, *, axis: int = 0) -> Array:
    """Return slices of ``data`` along ``axis``, one for each index."""
    along = normalise_axis(axis, data.ndim)
    _check_places(indices, data.shape[along], "indices of Gather")
    return np.asarray(np.take(data, indices, axis=along), data.dtype)


@kernel("GatherElements", since=(11, 13))
def gather_elements(data: Array, indices: Array, *, axis: int = 0) -> Array:
    """Return the element at each index along ``axis``, whose other places are those of it."""
    return np.asarray(data[_places_along(data, indices, axis)], data.dtype)


def _places_along(data: Array, indices: Array, axis: int) -> tuple[Array, ...]:
    """Return an index for each axis: one that is given, and for the others that of the place."""
    along = normalise_axis(axis, data.ndim)
    fits = indices.ndim == data.ndim and all(
        place == along or count <= size
        for place, (count, size) in enumerate(zip(indices.shape, data.shape, strict=False))
    )
    if not fits:
        raise EvaluationError(
            f"indices of shape {indices.shape} for data of shape {data.shape}; expected no more "
            f"along axes other than {along}"
        )
    _check_places(indices, data.shape[along], "indices")
    where: list[Array] = list(np.ogrid[tuple(slice(size) for size in indices.shape)])
    where[along] = indices
    return tuple(where)


@kernel("GatherND", since=(11,))
def gather_slices(data: Array, indices: Array) -> Array:
    """Return the slice of ``data`` that each row of ``indices`` is the place of."""
    return gather_slices_of_batch(data, indices)


@kernel("GatherND", since=(12, 13))
def gather_slices_of_batch(data: Array, indices: Array, *, batch_dims: int = 0) -> Array:
    """Return the slice of ``data`` that each row of ``indices`` is the place of, in its batch."""
    common = indices.shape[:batch_dims]
    if not 0 <= batch_dims < min(data.ndim, indices.ndim) or common != data.shape[:batch_dims]:
        raise EvaluationError(
            f"batch_dims {batch_dims} for data of shape {data.shape} and indices of shape "
            f"{indices.shape}; expected dimensions that the two have in common"
        )
    where = _places_of_rows(data, indices, batch_dims)
    batch: list[Array] = []
    for axis in range(batch_dims):
        shape = [1] * (indices.ndim - 1)
        shape[axis] = data.shape[axis]
        batch.append(np.arange(data.shape[axis]).reshape(shape))
    return np.asarray(data[(*batch, *where)], data.dtype)


def _places_of_rows(data: Array, indices: Array, skipped: int = 0) -> tuple[Array, ...]:
    """Return the columns of ``indices``: each has the places along an axis."""
    count = indices.shape[-1] if indices.ndim else 0
    if not 1 <= count <= data.ndim - skipped:
        raise EvaluationError(
            f"indices of shape {indices.shape} for data of shape {data.shape}; expected rows of 1 "
            f"to {data.ndim - skipped} places"
        )
    columns = tuple(np.moveaxis(indices, -1, 0))
    for axis, column in enumerate(columns, skipped):
        _check_places(column, data.shape[axis], f"indices of axis {axis}")
    return columns


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
    return _scattered(data, _places_along(data, indices, axis), updates, reduction)


@kernel("ScatterND", since=(11, 13))
def scatter_slices(data: Array, indices: Array, updates: Array) -> Array:
    """Return ``data`` with each of ``updates`` at the place that a row of ``indices`` is."""
    return scatter_slices_by(data, indices, updates)


@kernel("ScatterND", since=(16, 18))
def scatter_slices_by(
    data: Array, indices: Array, updates: Array, *, reduction: str = "none"
) -> Array:
    """Return ``data`` with each of ``updates`` put, or added, where a row of ``indices`` says."""
    where = _places_of_rows(data, indices)
    expected = indices.shape[:-1] + data.shape[len(where) :]
    if updates.shape != expected:
        raise EvaluationError(f"updates have shape {updates.shape}; expected {expected}")
    return _scattered(data, where, updates, reduction)


@without_warnings
def _scattered(data: Array, where: tuple[Array, ...], updates: Array, reduction: str) -> Array:
    choice(reduction, ("none", *_SCATTER), "reduction")
    if reduction == "none":
        result = data.copy()
        result[where] = updates
        return result
    wide = widen(data)
    result = wide.copy() if wide is data else wide
    function = _SCATTER[reduction]
    if isinstance(function, np.ufunc):
        function.at(result, where, widen(updates))
    return result.astype(data.dtype, copy=False)


@kernel("OneHot", since=(9, 11, 28))
def one_hot(indices: Array, depth: Array, values: Array, *, axis: int = -1) -> Array:
    """Return ``values[1]`` at each index along a further axis, and ``values[0]`` elsewhere."""
    size = int(number_of(depth, "depth of OneHot"))
    if size < 0:
        raise EvaluationError(f"depth {size} of OneHot; expected 0 or more")
    if values.shape != (2,):
        raise EvaluationError(
            f"values of OneHot have shape {values.shape}; expected (2,), for off and on"
        )
    along = normalise_axis(axis, indices.ndim + 1)
    places = widen(indices).astype(np.int64).reshape(-1)
    (known,) = np.nonzero((places >= -size) & (places < size))
    rows = np.full((indices.size, size), values[:1].reshape(()), values.dtype)
    rows[known, places[known]] = values[1:].reshape(())
    return np.moveaxis(rows.reshape(*indices.shape, size), -1, along)
