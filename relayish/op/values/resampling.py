"""Resampling along axes: nearest elements, and straight or cubic lines between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import is_whole, widen
from relayish.op.values.evaluation import Array

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
    result = data if method == "nearest_neighbor" else _as_real(data)
    for axis, size in zip(axes, sizes, strict=True):
        taps = find_taps(data.shape[axis], size, method, coordinates, axis=axis)
        result = _blend(result, axis, taps)
    return result.astype(data.dtype, copy=False)


class Tap(NamedTuple):
    """What is taken along an axis for each element of a result, and by which weights.

    Attributes:
        places: (size,) of integers.
        weights: (size,) float64; ``None`` for the elements themselves.
    """

    places: Array
    weights: Array | None


def find_taps(
    count: int, size: int, method: str, coordinates: str, *, axis: int = 0
) -> tuple[Tap, ...]:
    """Return of what ``size`` elements are made along an axis of ``count``: sums of all taps.

    Args:
        count: How many elements there are.
        size: How many there are to be.
        method: See :func:`resample`.
        coordinates: See there.
        axis: What errors call the axis.

    Raises:
        EvaluationError: As :func:`resample`.
    """
    find, weigh = _COORDINATES.get(coordinates), _TAPS.get(method)
    if find is None:
        raise EvaluationError(
            f"coordinates {coordinates!r} are not one of {', '.join(_COORDINATES)}"
        )
    if weigh is None and method != "nearest_neighbor":
        raise EvaluationError(f"method {method!r} is not nearest_neighbor, {', '.join(_TAPS)}")
    if size and not count:
        raise EvaluationError(f"axis {axis} of size 0 has nothing to make {size} elements of")
    at = find(np.arange(size, dtype=np.float64), count, size)
    if weigh is None:
        nearest = at + 0.5 if coordinates == "align_corners" else at + _NUDGE
        return (Tap(_inside(np.floor(nearest), count), None),)
    below = np.floor(at)
    weights = weigh(at - below)
    first = below - (len(weights) // 2 - 1)
    return tuple(Tap(_inside(first + i, count), weight) for i, weight in enumerate(weights))


def _inside(places: Array, count: int) -> Array:
    return np.clip(places, 0, count - 1).astype(np.int64)


def _as_real(data: Array) -> Array:
    return data.astype(np.float64) if is_whole(data.dtype) else widen(data)


def _blend(data: Array, axis: int, taps: Sequence[Tap]) -> Array:
    """Return the sums of what all taps take along an axis."""
    shape = [1] * data.ndim
    shape[axis] = len(taps[0].places)
    if taps[0].weights is None:
        return np.take(data, taps[0].places, axis=axis)
    return sum(
        np.take(data, tap.places, axis=axis) * tap.weights.astype(data.dtype).reshape(shape)
        for tap in taps
        if tap.weights is not None
    )


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
