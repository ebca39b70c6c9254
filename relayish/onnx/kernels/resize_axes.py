"""Axes that are resized: places of elements in the old one, and their neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np

from relayish.errors import EvaluationError
from relayish.onnx.kernels.registry import Array


class Axis(NamedTuple):
    """An axis that is resized.

    Attributes:
        size: Its elements.
        output: The elements of the result.
        scale: By how much it becomes longer.
        extent: ``size * scale``, before it was rounded to ``output``.
        start: Where the region begins that is resized, from 0 to 1.
        end: Where it ends.
    """

    size: int
    output: int
    scale: float
    extent: float
    start: float = 0.0
    end: float = 1.0


class Sampling(NamedTuple):
    """How elements are sampled, in the words of the attributes of ``Resize``."""

    mode: str
    transformation: str
    nearest: str = "round_prefer_floor"
    cubic: float = -0.75
    exclude_outside: bool = False
    antialias: bool = False


class Samples(NamedTuple):
    """What the elements of a resized axis are made of.

    Attributes:
        indices: Elements of the old axis (output, taps).
        weights: Their weights (output, taps).
        outside: Which elements of the result lie outside of the old axis, where that matters.
    """

    indices: Array
    weights: Array
    outside: Array | None


def is_unchanged(axis: Axis, sampling: Sampling) -> bool:
    """Return whether an axis stays as it is."""
    if axis.size != axis.output or axis.scale != 1:
        return False
    return sampling.transformation != "tf_crop_and_resize" or (axis.start, axis.end) == (0, 1)


def find_samples(axis: Axis, sampling: Sampling) -> Samples:
    """Return what the elements of a resized axis are made of.

    Raises:
        EvaluationError: If a mode is unknown.
    """
    transform = _TRANSFORMATIONS.get(sampling.transformation)
    if transform is None:
        raise EvaluationError(
            f"coordinate_transformation_mode is {sampling.transformation!r}; expected one of "
            f"{', '.join(_TRANSFORMATIONS)}"
        )
    places = transform(np.arange(axis.output, dtype=np.float64), axis)
    outside = None
    if sampling.transformation == "tf_crop_and_resize":
        outside = (places < 0) | (places > axis.size - 1)
    if sampling.mode == "nearest":
        indices = _round(places, axis, sampling.nearest)[:, None]
        weights = np.ones_like(places)[:, None]
    else:
        indices, weights = _weigh(places, axis, sampling)
    return Samples(np.clip(indices, 0, max(axis.size - 1, 0)), weights, outside)


def _weigh(places: Array, axis: Axis, sampling: Sampling) -> tuple[Array, Array]:
    """Return indices, which may lie outside, and weights of linear or cubic interpolation."""
    stretch = max(1.0, 1 / axis.scale) if sampling.antialias else 1.0
    reach = 1 if sampling.mode == "linear" else 2
    first = np.floor(places)
    if stretch == 1:
        offsets = np.arange(1 - reach, 1 + reach)
    else:
        span = int(np.ceil(reach * stretch)) + 1
        offsets = np.arange(-span, span + 1)
    indices = first[:, None].astype(np.int64) + offsets
    distances = np.abs(indices - places[:, None]) / stretch
    if sampling.mode == "linear":
        weights = np.maximum(1 - distances, 0)
    else:
        weights = _weigh_cubic(distances, sampling.cubic)
    if sampling.exclude_outside:
        weights = np.where((indices < 0) | (indices >= axis.size), 0, weights)
    if sampling.exclude_outside or stretch != 1:
        total = weights.sum(axis=1, keepdims=True)
        weights = weights / np.where(total == 0, 1, total)
    return indices, weights


def _weigh_cubic(distances: Array, a: float) -> Array:
    """Return the weights of cubic convolution at distances from an element."""
    near = ((a + 2) * distances - (a + 3)) * distances**2 + 1
    far = ((a * distances - 5 * a) * distances + 8 * a) * distances - 4 * a
    return np.where(distances <= 1, near, np.where(distances < 2, far, 0))


def _unscale(places: Array, axis: Axis) -> Array:
    """Return places of the result as places of the old axis.

    Where a scale is given it is divided by in single precision, so that the error of a scale such
    as 1.3 does not tell which of two neighbours is nearer.
    """
    if axis.extent == axis.output:
        return places * axis.size / axis.output
    return (places.astype(np.float32) / np.float32(axis.scale)).astype(np.float64)


def _half_pixel(places: Array, axis: Axis) -> Array:
    return _unscale(places + 0.5, axis) - 0.5


def _half_pixel_symmetric(places: Array, axis: Axis) -> Array:
    adjustment = axis.output / axis.extent
    offset = axis.size / 2 * (1 - adjustment)
    return offset + _half_pixel(places, axis)


def _pytorch_half_pixel(places: Array, axis: Axis) -> Array:
    return _half_pixel(places, axis) if axis.output > 1 else np.zeros_like(places)


def _align_corners(places: Array, axis: Axis) -> Array:
    if axis.output == 1:
        return np.zeros_like(places)
    last = axis.extent - 1 if axis.extent > 1 else 1.0
    return places * (axis.size - 1) / last


def _tf_crop_and_resize(places: Array, axis: Axis) -> Array:
    start, end = np.float32(axis.start), np.float32(axis.end)
    last = np.float32(axis.size - 1)
    if axis.output == 1:
        middle = np.float32(0.5) * (start + end) * last
        return np.full_like(places, middle)
    step = (end - start) * last / np.float32(axis.output - 1)
    return (start * last + places.astype(np.float32) * step).astype(np.float64)


_TRANSFORMATIONS: Final[dict[str, Callable[[Array, Axis], Array]]] = {
    "half_pixel": _half_pixel,
    "half_pixel_symmetric": _half_pixel_symmetric,
    "pytorch_half_pixel": _pytorch_half_pixel,
    "align_corners": _align_corners,
    "asymmetric": _unscale,
    "tf_crop_and_resize": _tf_crop_and_resize,
    # of operators before version 11, and of version 11 alone
    "tf_half_pixel_for_nn": lambda places, axis: _unscale(places + 0.5, axis),
}


def _round(places: Array, axis: Axis, nearest: str) -> Array:
    if nearest == "simple":
        nearest = "ceil" if axis.scale < 1 else "floor"
    rounding = _ROUNDINGS.get(nearest)
    if rounding is None:
        raise EvaluationError(
            f"nearest_mode is {nearest!r}; expected one of {', '.join(_ROUNDINGS)}"
        )
    return rounding(places).astype(np.int64)


_ROUNDINGS: Final[dict[str, Callable[[Array], Array]]] = {
    "round_prefer_floor": lambda places: np.ceil(places - 0.5),
    "round_prefer_ceil": lambda places: np.floor(places + 0.5),
    "floor": np.floor,
    "ceil": np.ceil,
}
