"""Resizing: weighted sums of the elements near where a new one lies, along one axis after another.

Places are computed in double precision, and exactly where they are fractions of sizes, so that
which of two elements is nearer is not told by rounding errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

import numpy as np

from relayish.errors import EvaluationError, suggest
from relayish.numeric.axes import align
from relayish.numeric.precision import Array, ElementType

_Found = TypeVar("_Found")

_FEW_TAPS: Final = 8
"""With more taps than these the product with a matrix is faster than one sum for each."""


class Axis(NamedTuple):
    """An axis that is resized.

    Attributes:
        size: Its elements.
        output: The elements of the result.
        scale: By how much it becomes longer, where that is not just ``output / size``.
        start: Where the region begins that is resized, from 0 to 1; or ``(n,)`` of these, one for
            each of the first axis of what is resized.
        end: Where it ends.
    """

    size: int
    output: int
    scale: float | None = None
    start: float | Array = 0.0
    end: float | Array = 1.0

    def extent(self) -> float:
        """Return how long the axis becomes, before that is rounded to ``output``."""
        return self.output if self.scale is None else self.scale * self.size

    def factor(self) -> float:
        """Return by how much the axis becomes longer."""
        return self.output / max(self.size, 1) if self.scale is None else self.scale


class Resampling(NamedTuple):
    """How new elements are made of those there are.

    Attributes:
        method: ``nearest``, ``linear`` or ``cubic``.
        coordinates: Where an element of the result lies, a key of ``COORDINATES``.
        rounding: Which element is nearest, a key of ``ROUNDINGS``; ``None`` for the one before, or
            behind along axes that become shorter.
        slack: Nearer than this to a whole number, a place counts as that, whichever way is rounded.
        slope: That of the cubic curves, negative.
        exclude_outside: Whether elements outside weigh nothing, not those of the edge in their
            place.
        antialias: Whether an axis that becomes shorter is made of all its elements.
    """

    method: str
    coordinates: str
    rounding: str | None = "round_prefer_floor"
    slack: float = 0.0
    slope: float = -0.75
    exclude_outside: bool = False
    antialias: bool = False


class Samples(NamedTuple):
    """What the elements of a resized axis are made of.

    Attributes:
        indices: Elements of the old axis, ``(..., output, taps)``.
        weights: Their weights, likewise; ``None`` for the one element itself.
        outside: Which elements of the result lie outside of the old axis, where that matters.
    """

    indices: Array
    weights: Array | None
    outside: Array | None = None


def resize(
    data: Array,
    axes: Sequence[tuple[int, Axis]],
    how: Resampling,
    work: ElementType,
    extrapolation: float = 0.0,
) -> Array:
    """Return ``data`` with some axes of other sizes.

    Args:
        data: Any tensor.
        axes: Which axes, counted from the front.
        how: How new elements are made.
        work: The element type of weighted sums, see :func:`.precision.weighing_dtype`.
        extrapolation: What is outside of the data, where regions are resized.

    Returns:
        An array of ``work``, or of the element type of ``data`` if the method is ``nearest``;
        ``data`` itself if there are no axes.

    Raises:
        EvaluationError: As :func:`find_samples`.

    Complexity:
        Linear in the elements of ``data`` and of the result for each axis. Those that become
        shorter come first.
    """
    _check_method(how)
    result, masks = data, []
    for n, axis in in_order(axes):
        samples = find_samples(axis, how, work)
        if samples.weights is not None:
            result = result.astype(work, copy=False)
        result = _combine(result, n, samples)
        if samples.outside is not None and samples.outside.any():
            masks.append(_align(samples.outside, n, data.ndim))
    if masks:  # after all axes, of which one may have brought in what is no number
        value = np.asarray(extrapolation).astype(result.dtype)
        for mask in masks:
            result = np.where(mask, value, result)
    return result


def in_order(axes: Iterable[tuple[int, Axis]]) -> list[tuple[int, Axis]]:
    """Return axes in the order in which to resize them: those first that become shorter."""
    return sorted(axes, key=lambda each: each[1].factor())


def find_samples(axis: Axis, how: Resampling, work: ElementType) -> Samples:
    """Return what the elements of a resized axis are made of.

    Args:
        axis: The axis.
        how: How new elements are made.
        work: The element type of the sums; two weights of it add up to 1 exactly.

    Raises:
        EvaluationError: If there is no such method, no such way to find coordinates or to round, or
            nothing to make elements of.
    """
    if axis.output and not axis.size:
        raise EvaluationError(f"an axis of size 0 has nothing to make {axis.output} elements of")
    transform = _find(COORDINATES, how.coordinates, "coordinate_transformation_mode")
    places = transform(np.arange(axis.output, dtype=np.float64), axis)
    outside = None
    if how.coordinates == "tf_crop_and_resize":
        outside = ~((places >= 0) & (places <= axis.size - 1))  # as is what is no number
        places = np.where(outside, 0, places)
    if how.method == "nearest":
        indices, weights = _round(places, axis, how)[..., None], None
    else:
        _check_method(how)
        unit = 2.0 ** (np.finfo(work).nmant + 1)
        indices, weights = _weigh(np.rint(places * unit) / unit, axis, how)
    return Samples(np.clip(indices, 0, max(axis.size - 1, 0)), weights, outside)


def _check_method(how: Resampling) -> None:
    if how.method not in ("nearest", "linear", "cubic"):
        raise EvaluationError(f"mode is {how.method!r}; expected nearest, linear or cubic")


def cubic_weights(distances: Array, slope: float) -> Array:
    """Return the weights of cubic convolution at distances from an element.

    Args:
        distances: Not negative; from 2 on the weight is 0.
        slope: That of the curves, negative.
    """
    near = ((slope + 2) * distances - (slope + 3)) * distances**2 + 1
    far = ((slope * distances - 5 * slope) * distances + 8 * slope) * distances - 4 * slope
    return np.where(distances <= 1, near, np.where(distances < 2, far, 0))


def _align(numbers: Array, axis: int, rank: int) -> Array:
    """Return numbers of one axis, ``(n,)`` or ``(first, n)``, so that they broadcast along it."""
    if numbers.ndim == 1:
        return align(numbers, axis, rank)
    behind = (1,) * (rank - axis - 1)
    return numbers.reshape(len(numbers), *(1,) * (axis - 1), numbers.shape[1], *behind)


def _combine(data: Array, axis: int, samples: Samples) -> Array:
    """Return sums of elements along an axis."""
    indices, weights = samples.indices, samples.weights
    outputs, taps = indices.shape[-2:]

    def take(tap: int) -> Array:
        if indices.ndim == 2:
            return np.take(data, indices[:, tap], axis)
        return np.take_along_axis(data, _align(indices[..., tap], axis, data.ndim), axis)

    if weights is None:
        return take(0)
    if taps > _FEW_TAPS and indices.ndim == 2:
        matrix = np.zeros((outputs, data.shape[axis]), data.dtype)
        np.add.at(matrix, (np.arange(outputs)[:, None], indices), weights.astype(data.dtype))
        return np.moveaxis(np.tensordot(matrix, data, (1, axis)), 0, axis)
    total: Array | None = None
    for tap in range(taps):
        part = take(tap)
        part *= _align(weights[..., tap].astype(data.dtype), axis, data.ndim)
        if total is None:
            total = part
        else:
            total += part
    assert total is not None
    return total


def _weigh(places: Array, axis: Axis, how: Resampling) -> tuple[Array, Array]:
    """Return indices, which may lie outside, and weights of linear or cubic interpolation."""
    stretch = max(1.0, 1 / axis.factor()) if how.antialias else 1.0
    reach = 1 if how.method == "linear" else 2
    if stretch == 1:
        offsets = np.arange(1 - reach, 1 + reach)
    else:
        span = int(np.ceil(reach * stretch)) + 1
        offsets = np.arange(-span, span + 1)
    indices = np.floor(places)[..., None].astype(np.int64) + offsets
    distances = np.abs(indices - places[..., None]) / stretch
    if how.method == "linear":
        weights = np.maximum(1 - distances, 0)
    else:
        weights = cubic_weights(distances, how.slope)
    if how.exclude_outside:
        weights = np.where((indices < 0) | (indices >= axis.size), 0, weights)
    if how.exclude_outside or stretch != 1:
        total = weights.sum(axis=-1, keepdims=True)
        weights = weights / np.where(total == 0, 1, total)
    return indices, weights


def _unscale(places: Array, axis: Axis) -> Array:
    """Return places of the result as places of the old axis.

    Where a scale is given it is divided by in single precision, so that the error of a scale such
    as 1.3 does not tell which of two neighbours is nearer.
    """
    if axis.extent() == axis.output:
        return places * axis.size / max(axis.output, 1)
    return (places.astype(np.float32) / np.float32(axis.factor())).astype(np.float64)


def _half_pixel(places: Array, axis: Axis) -> Array:
    return _unscale(places + 0.5, axis) - 0.5


def _half_pixel_symmetric(places: Array, axis: Axis) -> Array:
    offset = axis.size / 2 * (1 - axis.output / (axis.extent() or 1))
    return offset + _half_pixel(places, axis)


def _pytorch_half_pixel(places: Array, axis: Axis) -> Array:
    return _half_pixel(places, axis) if axis.output > 1 else np.zeros_like(places)


def _align_corners(places: Array, axis: Axis) -> Array:
    if axis.output == 1:
        return np.zeros_like(places)
    last = axis.extent() - 1 if axis.extent() > 1 else 1.0
    return places * (axis.size - 1) / last


def _crop(places: Array, axis: Axis) -> Array:
    """Return places in a region, in single precision, in which the ends of regions are given.

    The last is that of the region exactly, so that it does not count as outside.
    """
    start, end = (np.asarray(each, np.float32)[..., None] for each in (axis.start, axis.end))
    last = np.float32(axis.size - 1)
    if axis.output == 1:
        return (np.float32(0.5) * (start + end) * last).astype(np.float64)
    steps = places.astype(np.float32) * (end - start) * last / np.float32(axis.output - 1)
    return (start * last + steps).astype(np.float64)


COORDINATES: Final[Mapping[str, Callable[[Array, Axis], Array]]] = {
    "half_pixel": _half_pixel,
    "half_pixel_symmetric": _half_pixel_symmetric,
    "pytorch_half_pixel": _pytorch_half_pixel,
    "align_corners": _align_corners,
    "asymmetric": _unscale,
    "tf_half_pixel_for_nn": lambda places, axis: _unscale(places + 0.5, axis),
    "tf_crop_and_resize": _crop,
}
"""Where elements of the result lie among those there are."""

ROUNDINGS: Final[Mapping[str, Callable[[Array, float], Array]]] = {
    "round": lambda at, _: np.copysign(np.floor(np.abs(at) + 0.5), at),
    "round_prefer_floor": lambda at, _: np.ceil(at - 0.5),
    "round_prefer_ceil": lambda at, _: np.floor(at + 0.5),
    "floor": lambda at, slack: np.floor(at + slack),
    "ceil": lambda at, slack: np.ceil(at - slack),
}
"""Which element is nearest to a place."""


def _round(places: Array, axis: Axis, how: Resampling) -> Array:
    name = how.rounding
    if name is None:
        name = "ceil" if axis.factor() < 1 else "floor"
    return _find(ROUNDINGS, name, "rounding_method")(places, how.slack).astype(np.int64)


def _find(table: Mapping[str, _Found], name: str, what: str) -> _Found:
    if name not in table:
        raise EvaluationError(
            f"there is no {what} {name!r}{suggest(name, table)}; expected one of {', '.join(table)}"
        )
    return table[name]
