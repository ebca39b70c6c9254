"""Tensors of which one is made along an axis, and parts that one is cut into."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.axes import normalise_axis
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import Shape, numbers_of


@kernel("Concat", since=(1,))
def concatenate_channels(*inputs: Array, axis: int | None = None) -> Array:
    """Return tensors one behind another, along the axis of channels if none is given."""
    return concatenate_along(inputs, 1 if axis is None else axis)


@kernel("Concat", since=(4, 11, 13))
def concatenate(*inputs: Array, axis: int) -> Array:
    """Return tensors one behind another along ``axis``."""
    return concatenate_along(inputs, axis)


def concatenate_along(inputs: tuple[Array, ...], axis: int) -> Array:
    """Return tensors one behind another along ``axis``.

    Raises:
        EvaluationError: If there is none, or sizes of other axes differ.
    """
    if not inputs:
        raise EvaluationError("no tensor is given to be concatenated; expected one or more")
    along = normalise_axis(axis, inputs[0].ndim)
    outline = _outline(inputs[0], along)
    for data in inputs:
        if data.ndim != inputs[0].ndim or _outline(data, along) != outline:
            raise EvaluationError(
                f"cannot concatenate shapes {inputs[0].shape} and {data.shape} along axis {along}; "
                "expected other sizes to be equal"
            )
    return np.concatenate(inputs, axis=along)


def _outline(data: Array, axis: int) -> Shape:
    return data.shape[:axis] + data.shape[axis + 1 :]


def cut(data: Array, sizes: Shape, axis: int) -> tuple[Array, ...]:
    """Return parts of ``data`` of these sizes along ``axis``.

    Raises:
        EvaluationError: If they are not all of it.
    """
    if sum(sizes) != data.shape[axis] or min(sizes, default=0) < 0:
        raise EvaluationError(
            f"parts of sizes {list(sizes)} along axis {axis} of shape {data.shape}; expected "
            f"sizes that make up {data.shape[axis]}"
        )
    ends = np.cumsum(sizes).tolist()
    before = (slice(None),) * axis
    return tuple(
        data[(*before, slice(end - size, end))] for size, end in zip(sizes, ends, strict=True)
    )


def _equal_parts(data: Array, axis: int, count: int | None) -> Shape:
    """Return the sizes of ``count`` parts that are equal."""
    size = data.shape[axis]
    if not count or size % count:
        raise EvaluationError(
            f"axis {axis} of shape {data.shape} is to be cut into {count} equal parts; expected a "
            "size that is a multiple of their number, or the sizes of the parts"
        )
    return (size // count,) * count


@kernel("Split", since=(1,))
def split_either_way(
    data: Array,
    sizes: Array | None = None,
    *,
    axis: int | None = None,
    split: tuple[int, ...] | None = None,
    num_outputs: int | None = None,
) -> tuple[Array, ...]:
    """Return parts along an axis, of sizes told by an attribute or by an input, or equal."""
    told = split if sizes is None else numbers_of(_as_integers(sizes), "split")
    along = normalise_axis(axis or 0, data.ndim)
    return cut(data, told or _equal_parts(data, along, num_outputs), along)


def _as_integers(sizes: Array) -> Array:
    """Return sizes as integers: the first version tells them in the element type of the data."""
    whole = sizes.astype(np.int64)
    return whole if (whole == sizes).all() else sizes


@kernel("Split", since=(2, 11))
def split_by_attribute(
    data: Array,
    *,
    axis: int = 0,
    split: tuple[int, ...] | None = None,
    num_outputs: int | None = None,
) -> tuple[Array, ...]:
    """Return parts along an axis, of the sizes in ``split``, or equal."""
    along = normalise_axis(axis, data.ndim)
    return cut(data, split or _equal_parts(data, along, num_outputs), along)


@kernel("Split", since=(13,))
def split(
    data: Array, split: Array | None = None, *, axis: int = 0, num_outputs: int | None = None
) -> tuple[Array, ...]:
    """Return parts along an axis, of the sizes in ``split``, or equal."""
    along = normalise_axis(axis, data.ndim)
    if split is None:
        return cut(data, _equal_parts(data, along, num_outputs), along)
    return cut(data, numbers_of(split, "split"), along)


@kernel("Split", since=(18,))
def split_unequally(
    data: Array, split: Array | None = None, *, axis: int = 0, num_outputs: int | None = None
) -> tuple[Array, ...]:
    """Return parts along an axis, of the sizes in ``split``, or equal but for the last."""
    along = normalise_axis(axis, data.ndim)
    if split is not None:
        return cut(data, numbers_of(split, "split"), along)
    if not num_outputs or num_outputs < 0:
        raise EvaluationError(
            f"Split is told neither sizes nor a number of parts, but {num_outputs}; expected either"
        )
    size = data.shape[along]
    part = -(-size // num_outputs)
    last = size - part * (num_outputs - 1)
    if last < 0:
        raise EvaluationError(
            f"axis {along} of shape {data.shape} is to be cut into {num_outputs} parts; expected "
            "no more than there are elements"
        )
    return cut(data, (part,) * (num_outputs - 1) + (last,), along)
