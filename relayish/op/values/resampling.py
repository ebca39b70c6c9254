"""Resampling along axes: nearest elements, and straight or cubic lines between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

import numpy as np

from relayish.errors import EvaluationError
from relayish.op.values.accumulation import widen
from relayish.op.values.evaluation import Array, is_integral

_NUDGE: Final = 1e-5
"""Added before rounding down, so that a coordinate a hair below a whole number counts as it."""
_CUBIC: Final = -0.5
"""The slope of the cubic lines."""

Coordinates: TypeAlias = Callable[[Array, int, int], Array]


def resample(
    data: Array, axes: Sequence[int], sizes: Sequence[int], method: str, coordinates: str
) -> Array:
    """Return ``data`` with ``sizes`` along ``axes``.

    Args:
        data: Any tensor; elements outside of it are those at its border.
        axes: The axes, counted from the front.
        sizes: A size for each of them.
        method: ``nearest_neighbor``, ``linear`` or ``cubic``.
        coordinates: Where an element of the result lies in the data: ``half_pixel``,
            ``align_corners``, ``asymmetric``, ``pytorch_half_pixel`` or ``tf_half_pixel_for_nn``.

    Raises:
        EvaluationError: If there is no such method or no such way to find coordinates.

    Complexity:
        Linear in the elements of the data and of the result, for each axis.
    """
    find, taps = _COORDINATES.get(coordinates), _TAPS.get(method)
    if find is None:
        raise EvaluationError(
            f"coordinates {coordinates!r} are not one of {', '.join(_COORDINATES)}"
        )
    if taps is None and method != "nearest_neighbor":
        raise EvaluationError(f"method {method!r} is not nearest_neighbor, {', '.join(_TAPS)}")
    result = data if taps is None else _as_real(data)
    for axis, size in zip(axes, sizes, strict=True):
        if size and not data.shape[axis]:
            raise EvaluationError(f"axis {axis} of size 0 has nothing to make {size} elements of")
        at = find(np.arange(size, dtype=np.float64), data.shape[axis], size)
        if taps is None:
            nearest = at + 0.5 if coordinates == "align_corners" else at + _NUDGE
            result = _take(result, axis, np.floor(nearest))
            continue
        result = _blend(result, axis, at, taps)
    return result.astype(data.dtype, copy=False)


def _as_real(data: Array) -> Array:
    return data.astype(np.float64) if is_integral(data) else widen(data)


def _blend(data: Array, axis: int, at: Array, taps: Callable[[Array], list[Array]]) -> Array:
    """Return the weighted sums of the elements around each of the coordinates ``at``."""
    below = np.floor(at)
    weights = taps(at - below)
    first = below - (len(weights) // 2 - 1)
    shape = [1] * data.ndim
    shape[axis] = len(at)
    return sum(
        _take(data, axis, first + i) * weight.astype(data.dtype).reshape(shape)
        for i, weight in enumerate(weights)
    )


def _take(data: Array, axis: int, places: Array) -> Array:
    inside = np.clip(places, 0, data.shape[axis] - 1).astype(np.int64)
    return np.take(data, inside, axis=axis)


def _linear(t: Array) -> list[Array]:
    return [1 - t, t]


def cubic_weights(t: Array, slope: float) -> list[Array]:
    """Return the weights of the four neighbours of a place, from 1 before to 2 after.

    Args:
        t: How far it lies beyond the neighbour before, from 0 to 1.
        slope: That of the spline, negative.
    """
    a, square, cube = t.dtype.type(slope), t * t, t * t * t
    return [
        a * (cube - 2 * square + t),
        (a + 2) * cube - (a + 3) * square + 1,
        -(a + 2) * cube + (2 * a + 3) * square - a * t,
        a * square - a * cube,
    ]


def _cubic(t: Array) -> list[Array]:
    return cubic_weights(t, _CUBIC)


def _half_pixel(x: Array, size: int, target: int) -> Array:
    return (x + 0.5) * (size / max(target, 1)) - 0.5


_TAPS: Final[Mapping[str, Callable[[Array], list[Array]]]] = {"linear": _linear, "cubic": _cubic}
"""The weights of the elements around a coordinate, from how far it lies beyond one of them."""

_COORDINATES: Final[Mapping[str, Coordinates]] = {
    "half_pixel": _half_pixel,
    "align_corners": lambda x, size, target: x * ((size - 1) / max(target - 1, 1)),
    "asymmetric": lambda x, size, target: x * (size / max(target, 1)),
    "pytorch_half_pixel": lambda x, size, target: (
        _half_pixel(x, size, target) if target > 1 else x * 0
    ),
    "tf_half_pixel_for_nn": lambda x, size, target: (x + 0.5) * (size / max(target, 1)),
}
