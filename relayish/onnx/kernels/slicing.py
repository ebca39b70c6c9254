"""Parts of a tensor: slices, windows, triangles, what a condition selects, reversed sequences."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.arguments import get_scalar
from relayish.numeric.axes import normalise_axes, normalise_axis
from relayish.numeric.indexing import reverse_sequences
from relayish.numeric.windows import extend
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import Shape, check_rank, choice, numbers_of


def blank(data: Array) -> Array:
    """Return what elements that stand for nothing are: 0, false, or the empty string."""
    return np.array("" if data.dtype.kind == "O" else 0, data.dtype)


@kernel("Slice", since=(1,))
def slice_by_attributes(
    data: Array,
    *,
    starts: tuple[int, ...],
    ends: tuple[int, ...],
    axes: tuple[int, ...] | None = None,
) -> Array:
    """Return elements from ``starts`` to before ``ends``, along some axes."""
    return _slice(data, starts, ends, axes, None)


@kernel("Slice", since=(10, 11, 13))
def slice_by_inputs(
    data: Array,
    starts: Array,
    ends: Array,
    axes: Array | None = None,
    steps: Array | None = None,
) -> Array:
    """Return each ``steps``-th element from ``starts`` to before ``ends``, along some axes."""
    return _slice(
        data,
        numbers_of(starts, "starts of Slice"),
        numbers_of(ends, "ends of Slice"),
        None if axes is None else numbers_of(axes, "axes of Slice"),
        None if steps is None else numbers_of(steps, "steps of Slice"),
    )


def _slice(
    data: Array, starts: Shape, ends: Shape, axes: Shape | None, steps: Shape | None
) -> Array:
    axes = tuple(range(len(starts))) if axes is None else axes
    steps = (1,) * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps):
        raise EvaluationError(
            f"Slice has {len(starts)} starts, {len(ends)} ends, {len(axes)} axes and {len(steps)} "
            "steps; expected as many of each"
        )
    if 0 in steps:
        raise EvaluationError(f"steps {list(steps)} of Slice; expected none that is 0")
    where = [slice(None)] * data.ndim
    for axis, start, end, step in zip(
        normalise_axes(axes, data.ndim), starts, ends, steps, strict=True
    ):
        where[axis] = _clamped(start, end, step, data.shape[axis])
    return data[tuple(where)]


def _clamped(start: int, end: int, step: int, size: int) -> slice:
    """Return what is meant by bounds of which negative ones count from behind.

    A slice of Python means the same, but for a start before the first element: going backwards,
    ONNX begins at the first element, and Python nowhere.
    """
    if step > 0:
        return slice(start, end, step)
    first = min(max(start + size if start < 0 else start, 0), size - 1)
    last = min(max(end + size if end < 0 else end, -1), size - 1)
    return slice(first, None if last < 0 else last, step) if size else slice(0)


@kernel("CenterCropPad", since=(18,))
def crop_or_pad(data: Array, shape: Array, *, axes: tuple[int, ...] | None = None) -> Array:
    """Return the middle of ``data``, or it in the middle of zeros, for each axis."""
    sizes = numbers_of(shape, "shape of CenterCropPad")
    along = normalise_axes(range(data.ndim) if axes is None else axes, data.ndim)
    if len(sizes) != len(along) or min(sizes, default=0) < 0:
        raise EvaluationError(
            f"shape {list(sizes)} of CenterCropPad; expected {len(along)} sizes of 0 or more"
        )
    more = [size - data.shape[axis] for axis, size in zip(along, sizes, strict=True)]
    sides = [(before := int(count / 2), count - before) for count in more]  # towards zero
    return extend(data, along, sides, blank(data))


@kernel("Trilu", since=(14,))
def triangle(data: Array, k: Array | None = None, *, upper: int = 1) -> Array:
    """Return matrices with zeros below the ``k``-th diagonal, or above it."""
    if data.ndim < 2:
        raise EvaluationError(f"Trilu of shape {data.shape}; expected matrices")
    diagonal = 0 if k is None else int(get_scalar(k, "k of Trilu"))
    rows, columns = np.ogrid[: data.shape[-2], : data.shape[-1]]
    kept = columns - rows >= diagonal if upper else columns - rows <= diagonal
    return np.where(kept, data, blank(data))


@kernel("Compress", since=(9, 11, 28))
def compress(data: Array, condition: Array, *, axis: int | None = None) -> Array:
    """Return the slices, or elements if there is no axis, for which ``condition`` is true."""
    check_rank(condition, 1, "condition of Compress")
    if axis is None:
        data, axis = data.reshape(-1), 0
    along = normalise_axis(axis, data.ndim)
    (places,) = np.nonzero(condition)
    if len(places) and places[-1] >= data.shape[along]:
        raise EvaluationError(
            f"condition selects place {places[-1]} along axis {along} of shape {data.shape}; "
            f"expected less than {data.shape[along]}"
        )
    return np.take(data, places, axis=along)


@kernel("ReverseSequence", since=(10, 28))
def reverse_sequence(
    data: Array, lengths: Array, *, batch_axis: int = 1, time_axis: int = 0
) -> Array:
    """Return sequences with as many first elements reversed as each is long."""
    if {batch_axis, time_axis} != {0, 1} or data.ndim < 2:
        raise EvaluationError(
            f"batch_axis {batch_axis} and time_axis {time_axis} of a tensor of shape {data.shape}; "
            "expected 0 and 1, of two dimensions or more"
        )
    count, steps = data.shape[batch_axis], data.shape[time_axis]
    if lengths.shape != (count,):
        raise EvaluationError(f"sequence_lens has shape {lengths.shape}; expected {(count,)}")
    if ((lengths < 0) | (lengths > steps)).any():
        raise EvaluationError(
            f"sequence_lens {lengths.tolist()} of sequences of {steps} steps; expected 0 to {steps}"
        )
    return reverse_sequences(data, lengths, time_axis, batch_axis)


@kernel("TensorScatter", since=(24,))
def write_into_cache(
    past_cache: Array,
    update: Array,
    write_indices: Array | None = None,
    *,
    axis: int = -2,
    mode: str = "linear",
) -> Array:
    """Return a cache of sequences with ``update`` written at a place of its own in each."""
    choice(mode, ("linear", "circular"), "mode of TensorScatter")
    along = normalise_axis(axis, past_cache.ndim)
    full, count = past_cache.shape[along], update.shape[along]
    expected = (*past_cache.shape[:along], count, *past_cache.shape[along + 1 :])
    if along == 0 or update.shape != expected or count > full:
        raise EvaluationError(
            f"update of shape {update.shape} to a cache of shape {past_cache.shape} along axis "
            f"{along}; expected other sizes to be equal, and another axis than 0"
        )
    batch = past_cache.shape[0]
    first = np.zeros(batch, np.int64) if write_indices is None else write_indices
    if first.shape != (batch,):
        raise EvaluationError(f"write_indices has shape {first.shape}; expected {(batch,)}")
    places = first[:, None] + np.arange(count)
    if mode == "circular":
        places = places % full
    elif ((places < 0) | (places >= full)).any():
        raise EvaluationError(
            f"write_indices {first.tolist()} for {count} elements in a cache of {full}; expected "
            "them to end within it"
        )
    result = past_cache.copy()
    by_time = np.moveaxis(result, along, 1)
    by_time[np.arange(batch)[:, None], places] = np.moveaxis(update, along, 1)
    return result
