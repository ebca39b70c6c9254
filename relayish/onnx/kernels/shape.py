"""Shapes: what they are, and the same elements in another one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric import padding
from relayish.numeric.arguments import get_scalar
from relayish.numeric.axes import normalise_axes, normalise_axis
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import Shape, broadcast_shape, numbers_of


@kernel("Identity", since=(1, 13, 14, 16, 19, 21, 23, 24, 25))
def identity(x: Any) -> Any:  # Any: a value of any type
    """Return the value itself."""
    return x


@kernel("Shape", since=(1, 13))
def shape_of(data: Array) -> Array:
    """Return the sizes of the dimensions."""
    return np.array(data.shape, np.int64)


@kernel("Shape", since=(15, 19, 21, 23, 24, 25))
def part_of_shape(data: Array, *, start: int = 0, end: int | None = None) -> Array:
    """Return the sizes of dimensions from ``start`` to before ``end``, which are cut to fit."""
    return np.array(data.shape[start:end], np.int64)


@kernel("Size", since=(1, 13, 19, 21, 23, 24, 25))
def size_of(data: Array) -> Array:
    """Return the number of elements."""
    return np.array(data.size, np.int64)


@kernel("Reshape", since=(1,))
def reshape_to_attribute(data: Array, *, shape: tuple[int, ...] | None = None) -> Array:
    """Return the elements in another shape: 0 keeps a size, -1 is what remains."""
    return _reshape(data, shape or (), allowzero=0)


@kernel("Reshape", since=(5, 13))
def reshape(data: Array, shape: Array) -> Array:
    """Return the elements in another shape: 0 keeps a size, -1 is what remains."""
    return _reshape(data, numbers_of(shape, "shape of Reshape"), allowzero=0)


@kernel("Reshape", since=(14, 19, 21, 23, 24, 25))
def reshape_with_zeros(data: Array, shape: Array, *, allowzero: int = 0) -> Array:
    """Return the elements in another shape: -1 is what remains, and 0 may mean no element."""
    return _reshape(data, numbers_of(shape, "shape of Reshape"), allowzero)


def _reshape(data: Array, shape: Shape, allowzero: int) -> Array:
    sizes = shape
    if not allowzero:
        if 0 in shape[data.ndim :]:
            raise EvaluationError(
                f"shape {list(shape)} keeps sizes that {data.shape} does not have; expected 0 "
                f"among the first {data.ndim} only"
            )
        sizes = tuple(size or data.shape[place] for place, size in enumerate(shape))
    fits = sizes.count(-1) <= 1 and min(sizes, default=0) >= -1
    if fits and -1 in sizes:
        others = math.prod(size for size in sizes if size != -1)
        fits = others != 0 and data.size % others == 0
        sizes = tuple(data.size // max(others, 1) if size == -1 else size for size in sizes)
    if not fits or math.prod(sizes) != data.size:
        raise EvaluationError(
            f"cannot reshape {data.shape} to {list(shape)}; expected {data.size} elements, and no "
            "more than one size of -1, which the others determine"
        )
    return data.reshape(sizes)


@kernel("Flatten", since=(1, 9, 11, 13, 21, 23, 24, 25))
def flatten(data: Array, *, axis: int = 1) -> Array:
    """Return a matrix: dimensions before ``axis`` are rows, the others columns."""
    if not -data.ndim <= axis <= data.ndim:
        raise EvaluationError(
            f"axis {axis} of Flatten; expected {-data.ndim} to {data.ndim}, for shape {data.shape}"
        )
    before = axis + data.ndim if axis < 0 else axis
    return data.reshape(math.prod(data.shape[:before]), math.prod(data.shape[before:]))


@kernel("Squeeze", since=(1, 11))
def squeeze_attribute(data: Array, *, axes: tuple[int, ...] | None = None) -> Array:
    """Return the elements without axes of size 1: those named, or all."""
    return _squeeze(data, axes)


@kernel("Squeeze", since=(13, 21, 23, 24, 25))
def squeeze(data: Array, axes: Array | None = None) -> Array:
    """Return the elements without axes of size 1: those named, or all."""
    return _squeeze(data, None if axes is None else numbers_of(axes, "axes of Squeeze"))


def _squeeze(data: Array, axes: Shape | None) -> Array:
    if axes is None:
        return np.squeeze(data)
    away = normalise_axes(axes, data.ndim)
    for axis in away:
        if data.shape[axis] != 1:
            raise EvaluationError(
                f"axis {axis} of shape {data.shape} is to be squeezed; expected one of size 1"
            )
    return np.squeeze(data, axis=away)


@kernel("Unsqueeze", since=(1, 11))
def unsqueeze_attribute(data: Array, *, axes: tuple[int, ...]) -> Array:
    """Return the elements with further axes of size 1; ``axes`` count those of the result."""
    return _unsqueeze(data, axes)


@kernel("Unsqueeze", since=(13, 21, 23, 24, 25))
def unsqueeze(data: Array, axes: Array) -> Array:
    """Return the elements with further axes of size 1; ``axes`` count those of the result."""
    return _unsqueeze(data, numbers_of(axes, "axes of Unsqueeze"))


def _unsqueeze(data: Array, axes: Shape) -> Array:
    return np.expand_dims(data, normalise_axes(axes, data.ndim + len(axes)))


@kernel("Transpose", since=(1, 13, 21, 23, 24, 25))
def transpose(data: Array, *, perm: tuple[int, ...] | None = None) -> Array:
    """Return the elements with their axes in another order, reversed if none is given."""
    if perm is None:
        return np.transpose(data)
    if len(perm) != data.ndim:
        raise EvaluationError(
            f"perm {list(perm)} orders {len(perm)} axes; expected {data.ndim}, for {data.shape}"
        )
    return np.transpose(data, normalise_axes(perm, data.ndim))


@kernel("Expand", since=(8, 13))
def expand(data: Array, shape: Array) -> Array:
    """Return the elements repeated, as broadcasting with a tensor of ``shape`` does."""
    sizes = numbers_of(shape, "shape of Expand")
    if min(sizes, default=0) < 0:
        raise EvaluationError(f"shape {list(sizes)} of Expand; expected sizes of 0 or more")
    return np.broadcast_to(data, broadcast_shape(data, np.broadcast_to(np.False_, sizes)))


@kernel("Tile", since=(1,))
def tile_axis(data: Array, tiles: Array, axis: Array) -> Array:
    """Return the elements repeated along one axis."""
    repeats = [1] * data.ndim
    along = normalise_axis(int(get_scalar(axis, "axis of Tile")), data.ndim)
    repeats[along] = int(get_scalar(tiles, "tiles of Tile"))
    return _tile(data, tuple(repeats))


@kernel("Tile", since=(6, 13))
def tile(data: Array, repeats: Array) -> Array:
    """Return the elements repeated along each axis."""
    return _tile(data, numbers_of(repeats, "repeats of Tile"))


def _tile(data: Array, repeats: Shape) -> Array:
    if len(repeats) != data.ndim or min(repeats, default=0) < 0:
        raise EvaluationError(
            f"repeats {list(repeats)} of a tensor of shape {data.shape}; expected {data.ndim} of "
            "0 or more"
        )
    return padding.tile(data, repeats)
