"""Elements found by their places: gathering and scattering, one-hot vectors, reversed sequences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from relayish.errors import EvaluationError, OutOfBoundsError
from relayish.numeric.axes import normalise_axis
from relayish.numeric.precision import Array, is_integral, narrow, widen

SCATTERED: Final = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
"""What becomes of an element and an update of it, by name."""


def as_index(places: Array, size: int, what: str) -> Array:
    """Return places of an axis, of which negative ones count from the back, as numpy's index.

    Raises:
        EvaluationError: If they are no integers.
        OutOfBoundsError: If the axis has no such elements.
    """
    if not is_integral(places.dtype):
        raise EvaluationError(f"{what} has elements of {places.dtype}; expected integers")
    index = places.astype(np.intp, copy=False)
    if not index.size:
        return index
    least, most = int(index.min()), int(index.max())
    if least < -size or most >= size:
        raise OutOfBoundsError(
            f"{what} holds {least if least < -size else most}; expected {-size} to {size - 1}"
        )
    return index


def index_along(shape: Sequence[int], places: Array, axis: int) -> tuple[Array, ...]:
    """Return an index for each axis: that which is given, and for the others that of the place.

    Args:
        shape: Of what is indexed.
        places: Indices along ``axis``, no more than ``shape`` along any other.
        axis: The axis.

    Raises:
        EvaluationError: If they are more, or no integers.
        OutOfBoundsError: If the axis has no such elements.
    """
    along = normalise_axis(axis, len(shape))
    fits = places.ndim == len(shape) and all(
        other == along or count <= size
        for other, (count, size) in enumerate(zip(places.shape, shape, strict=True))
    )
    if not fits:
        raise EvaluationError(
            f"indices of shape {places.shape} for data of shape {tuple(shape)}; expected no more "
            f"along axes other than {along}"
        )
    where: list[Array] = list(np.ogrid[tuple(slice(size) for size in places.shape)])
    where[along] = as_index(places, shape[along], f"indices of axis {along}")
    return tuple(where)


def index_of_rows(
    shape: Sequence[int], rows: Array | Sequence[Array], batch_dims: int = 0
) -> tuple[Array, ...]:
    """Return the index of elements, or slices, whose places along each axis are given.

    Args:
        shape: Of what is indexed.
        rows: The places along each of the first axes behind the batch, all of one shape.
        batch_dims: How many axes ``shape`` and that shape have in common, first of all.

    Raises:
        EvaluationError: If there are too many of them, or the axes are not common.
        OutOfBoundsError: If an axis has no such elements.
    """
    places = rows[0].shape if len(rows) else ()
    most = len(shape) - batch_dims
    if not 1 <= len(rows) <= most or places[:batch_dims] != tuple(shape[:batch_dims]):
        raise EvaluationError(
            f"indices of {len(rows)} axes and of shape {places} for data of shape {tuple(shape)}; "
            f"expected 1 to {most} behind {batch_dims} dimensions that the two have in common"
        )
    batch = np.indices(places, sparse=True)[:batch_dims] if batch_dims else ()
    return (
        *batch,
        *(
            as_index(along, shape[axis], f"indices of axis {axis}")
            for axis, along in enumerate(rows, batch_dims)
        ),
    )


def scatter(data: Array, where: tuple[Array, ...], updates: Array, how: str | None) -> Array:
    """Return ``data`` with each of ``updates`` at its index: in its place, or :data:`SCATTERED`.

    Sums and products of narrow floating-point numbers are rounded once. What falls together at
    single elements is counted through, which takes numpy a fraction of the time of tuples.
    """
    if how is None:
        result = data.copy()
        result[where] = updates
        return result
    result, combine, given = np.array(widen(data), order="C"), SCATTERED[how], widen(updates)
    if len(where) == data.ndim > 1 and given.size:
        places = np.ravel_multi_index(where, data.shape, mode="wrap")
        combine.at(result.reshape(-1), places.reshape(-1), given.reshape(-1))
    else:
        combine.at(result, where, given)
    return narrow(result, data)


def one_hot(places: Array, depth: int, on: object, off: Array, axis: int) -> Array:
    """Return ``on`` at each place along a new ``axis`` of size ``depth``, and ``off`` elsewhere.

    A place that is not there is off everywhere. The result has the element type of ``off``.
    """
    along = normalise_axis(axis, places.ndim + 1)
    shape = (*places.shape[:along], depth, *places.shape[along:])
    result: Array = np.full(shape, off, off.dtype)
    rows, places = np.atleast_2d(np.moveaxis(result, along, -1)), np.atleast_1d(places)
    known = np.nonzero((places >= 0) & (places < depth) & (places == np.floor(places)))
    rows[(*known, places[known].astype(np.int64))] = on
    return result


def reverse_sequences(data: Array, lengths: Array, time: int, batch: int) -> Array:
    """Return sequences with as many first elements reversed as each is long.

    Args:
        data: Sequences along the axis ``time``, of which there are several along ``batch``.
        lengths: (batch,) of integers, from 0 on to the size of ``time``.
        time: An axis, counted from the front.
        batch: Likewise, another.
    """
    source = np.moveaxis(data, (batch, time), (0, 1))
    places, ends = np.arange(source.shape[1]), lengths[:, None]
    turned = np.where(places < ends, ends - 1 - places, places)
    rows = np.arange(source.shape[0])[:, None]
    return np.moveaxis(source[rows, turned], (0, 1), (batch, time))
