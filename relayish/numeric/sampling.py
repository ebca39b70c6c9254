"""Sampling: values between the elements of images, at the points of grids or anywhere else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Final, TypeAlias

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import Array, ElementType, compute_dtype, weighing_dtype, widen
from relayish.numeric.resizing import cubic_weights

_Taps: TypeAlias = list[tuple[Array, Array]]
"""Whole numbers along one axis and their weights, ``(n, p)``, for each neighbour of the places."""

_METHODS: Final = ("nearest", "linear", "cubic")
_AROUND: Final = ("zeros", "border", "reflection")
_SLOPE: Final = -0.75


def sample_linear(data: Array, places: Sequence[Array]) -> Array:
    """Return ``data`` at places between its elements, where it is linear; outside it is 0.

    Args:
        data: (n, c, *sizes)
        places: For each of the sizes (n, p), counted in elements. What is no number lies outside.

    Returns:
        (n, c, p), in the element type for weighted sums of ``data``.
    """
    wide = data.astype(weighing_dtype(data.dtype), copy=False)
    with np.errstate(invalid="ignore"):
        return _gather(wide, [_linear_taps(place) for place in places])


def sample_grid(data: Array, grid: Array, method: str, padding_mode: str, aligned: bool) -> Array:
    """Return ``data`` at the points of a grid.

    Args:
        data: (n, c, *sizes)
        grid: (n, rank, p): coordinates along each axis, those of the last one first, from -1 to 1.
        method: ``nearest``, ``linear`` or ``cubic``.
        padding_mode: What is outside: ``zeros``, elements at the ``border``, or those inside once
            more, in ``reflection``.
        aligned: Whether -1 and 1 are the middles of the elements at the ends, not their far sides.

    Returns:
        (n, c, p), in an element type at least as wide as that of ``data``.

    Raises:
        EvaluationError: If there is no such method or padding mode.
    """
    for what, found, known in (("mode", method, _METHODS), ("padding_mode", padding_mode, _AROUND)):
        if found not in known:
            raise EvaluationError(f"{what} is {found!r}; expected one of {', '.join(known)}")
    points, sizes = widen(grid), data.shape[2:]
    work = compute_dtype(data.dtype) if method == "nearest" else weighing_dtype(data.dtype)
    taps: list[_Taps] = []
    with np.errstate(invalid="ignore"):
        for size, numbers in zip(sizes, points.swapaxes(0, 1)[::-1], strict=True):
            low, high = (0.0, size - 1.0) if aligned else (-0.5, size - 0.5)
            places = low + (numbers + 1) * ((high - low) / 2)
            if method == "cubic":  # it is the neighbours that are brought inside, not the point
                taps.append(
                    [
                        (_bring_inside(at, low, high, size, padding_mode), weight)
                        for at, weight in _cubic_taps(places)
                    ]
                )
            else:
                inside = _bring_inside(places, low, high, size, padding_mode)
                taps.append(_linear_taps(inside) if method == "linear" else _nearest_taps(inside))
        return _gather(data.astype(work, copy=False), taps)


def affine_grid(maps: Array, lines: Sequence[Array]) -> Array:
    """Return where affine maps take the points of a grid.

    Args:
        maps: (n, rank, rank + 1): a matrix for each, and a shift behind it.
        lines: The coordinates of the points along each axis.

    Returns:
        (n, rank, *points), the coordinates of the last axis first, in the type to compute in.
    """
    rank = len(lines)
    columns = np.moveaxis(widen(maps), 2, 0)[(..., *(None,) * rank)]
    result: Array = columns[rank]
    for axis, line in enumerate(lines):
        along = line.astype(columns.dtype).reshape(-1, *(1,) * (rank - 1 - axis))
        result = result + columns[rank - 1 - axis] * along
    return result


def _gather(data: Array, taps: Sequence[_Taps]) -> Array:
    """Return weighted sums of elements of ``data: (n, c, *sizes)``, 0 where one lies outside."""
    batch, channels, *sizes = data.shape
    count = taps[0][0][0].shape[1]
    total: Array = np.zeros((batch, channels, count), data.dtype)
    if not prod(sizes):
        return total
    axes = [
        [_settle(*tap, size, data.dtype) for tap in near]
        for near, size in zip(taps, sizes, strict=True)
    ]
    flat, part = data.reshape(batch, channels, prod(sizes)), np.empty_like(total)
    for corner in product(*axes):
        index, weight = corner[0]
        for size, (at, share) in zip(sizes[1:], corner[1:], strict=True):
            index, weight = index * size + at, weight * share
        for image, found, places in zip(flat, part, index, strict=True):
            np.take(image, places, axis=1, out=found, mode="clip")
        part *= weight[:, None]
        nothing = weight == 0  # not even of what is infinite
        if nothing.any():
            np.copyto(part, 0, where=nothing[:, None])
        total += part
    return total


def _settle(places: Array, weights: Array, size: int, dtype: ElementType) -> tuple[Array, Array]:
    """Return places as indices, and weights of ``dtype``, 0 where a place lies outside."""
    inside = (places >= 0) & (places <= size - 1)
    return np.where(inside, places, 0).astype(np.int64), np.where(inside, weights, 0).astype(dtype)


def _nearest_taps(places: Array) -> _Taps:
    return [(np.rint(places), np.ones_like(places))]


def _linear_taps(places: Array) -> _Taps:
    first = np.floor(places)
    after = places - first
    return [(first, 1 - after), (first + 1, after)]


def _cubic_taps(places: Array) -> _Taps:
    first = np.floor(places)
    after = places - first
    return [(first + n, cubic_weights(np.abs(after - n), _SLOPE)) for n in range(-1, 3)]


def _bring_inside(places: Array, low: float, high: float, size: int, padding_mode: str) -> Array:
    """Return where places outside are taken to lie; with zeros around they stay where they are."""
    if padding_mode == "zeros":
        return places
    if padding_mode == "reflection":
        span = high - low
        if span <= 0:
            return np.zeros_like(places)
        folded = np.abs(places - low) % (2 * span)
        places = low + np.minimum(folded, 2 * span - folded)
    return np.clip(places, 0, size - 1)
