"""Interpolation: where the pixels of a resized image lie, and how they are made of neighbours."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from relayish.errors import EvaluationError, suggest
from relayish.op.values.evaluation import Array
from relayish.op.values.resampling import cubic_weights

_HALF: Final = np.float32(0.5)
_SLACK: Final = np.float32(1e-5)
"""What rounding errors may take from a coordinate that should be whole."""


class Taps(NamedTuple):
    """The elements along one axis that each new one is the weighted sum of."""

    indices: Array  # (..., new size, taps), whole numbers
    weights: Array  # the same shape, float32


class Cubic(NamedTuple):
    """How cubic interpolation goes."""

    alpha: float
    exclude: bool  # whether neighbours outside count nothing, or as those on the edge


def coordinates(size: int, target: int, mode: str, span: tuple[float, float] | None) -> Array:
    """Return ``(target,) float32``: where among ``size`` elements the ``target`` new ones lie.

    Args:
        size: How many elements there are.
        target: How many there shall be.
        mode: Relay's ``coordinate_transformation_mode``.
        span: For ``tf_crop_and_resize`` where the part begins and ends, from 0 to 1.

    Raises:
        EvaluationError: If there is no such mode, or no span where one is needed.
    """
    places = np.arange(target, dtype=np.float32)
    if mode == "tf_crop_and_resize":
        if span is None:
            raise EvaluationError(f"{mode} needs a region of interest; give the attribute roi")
        return crop_coordinates(size, target, np.float32(span[0]), np.float32(span[1]))
    transform = _TRANSFORMS.get(mode)
    if transform is None:
        known = (*_TRANSFORMS, "tf_crop_and_resize")
        raise EvaluationError(
            f"no coordinate_transformation_mode {mode!r}{suggest(mode, known)}; "
            f"expected one of {', '.join(known)}"
        )
    return transform(places, size, target)


def crop_coordinates(size: int, target: int, start: Array, end: Array) -> Array:
    """Return ``(..., target)``: where ``target`` elements lie from ``start`` to ``end``.

    Both count the first of ``size`` elements 0 and the last 1. A single one lies in the middle.
    """
    last = np.float32(size - 1)
    begin, finish = start[..., None] * last, end[..., None] * last
    if target == 1:
        return (begin + finish) * _HALF
    return begin + np.arange(target, dtype=np.float32) * ((finish - begin) / np.float32(target - 1))


def _scale(size: int, target: int) -> Array:
    return np.float32(size / target)


def _half_pixel(places: Array, size: int, target: int) -> Array:
    return (places + _HALF) * _scale(size, target) - _HALF


def _align_corners(places: Array, size: int, target: int) -> Array:
    return places * np.float32((size - 1) / (target - 1) if target > 1 else 0)


def _pytorch_half_pixel(places: Array, size: int, target: int) -> Array:
    return _half_pixel(places, size, target) if target > 1 else places


_TRANSFORMS: Final[Mapping[str, Callable[[Array, int, int], Array]]] = {
    "half_pixel": _half_pixel,
    "align_corners": _align_corners,
    "asymmetric": lambda places, size, target: places * _scale(size, target),
    "pytorch_half_pixel": _pytorch_half_pixel,
    "tf_half_pixel_for_nn": lambda places, size, target: (places + _HALF) * _scale(size, target),
}

_ROUNDINGS: Final[Mapping[str, Callable[[Array], Array]]] = {
    "round": lambda at: np.copysign(np.floor(np.abs(at) + _HALF), at),
    "round_prefer_floor": lambda at: np.ceil(at - _HALF),
    "round_prefer_ceil": lambda at: np.floor(at + _HALF),
    "floor": lambda at: np.floor(at + _SLACK),
    "ceil": lambda at: np.ceil(at - _SLACK),
}


def taps(at: Array, size: int, method: str, rounding: str, cubic: Cubic) -> Taps:
    """Return how elements at the coordinates ``at: (..., n)`` are made of ``size`` elements.

    Outside, those at the edge go on.

    Raises:
        EvaluationError: If there is no such method or rounding, or nothing to make elements of.
    """
    if size == 0 and at.size:
        raise EvaluationError("an axis of size 0 has nothing that new elements could be made of")
    if method == "nearest_neighbor":
        if rounding not in _ROUNDINGS:
            raise EvaluationError(
                f"no rounding_method {rounding!r}; expected one of {', '.join(_ROUNDINGS)}"
            )
        nearest = _ROUNDINGS[rounding](at)[..., None]
        return Taps(_clip(nearest, size), np.ones(nearest.shape, np.float32))
    first = np.floor(at)
    if method == "linear":
        after = at - first
        neighbours = first[..., None] + np.arange(2, dtype=np.float32)
        return Taps(_clip(neighbours, size), np.stack((1 - after, after), axis=-1))
    if method == "cubic":
        neighbours = first[..., None] + np.arange(-1, 3, dtype=np.float32)
        weights = np.stack(cubic_weights(at - first, cubic.alpha), axis=-1)
        if cubic.exclude:
            inside = (neighbours >= 0) & (neighbours < size)
            weights = np.where(inside, weights, np.float32(0))
            weights = weights / weights.sum(axis=-1, keepdims=True)
        return Taps(_clip(neighbours, size), weights)
    raise EvaluationError(f"no method {method!r}; expected nearest_neighbor, linear or cubic")


def combine_taps(data: Array, axis: int, along: Taps) -> Array:
    """Return ``data`` with its axis ``axis`` made anew.

    Args:
        data: Any shape.
        axis: Counted from the front, not 0.
        along: Either the same for all, ``(n, taps)``, or one for each of the first axis,
            ``(len(data), n, taps)``.
    """
    shape = [1] * data.ndim
    shape[axis] = along.indices.shape[-2]
    if along.indices.ndim > 2:
        shape[0] = along.indices.shape[0]
    count = along.indices.shape[-1]
    parts = (
        np.take_along_axis(data, along.indices[..., tap].reshape(shape), axis)
        for tap in range(count)
    )
    if count == 1:
        return next(parts)
    weights = (along.weights[..., tap].reshape(shape) for tap in range(count))
    first, *rest = (part * weight for part, weight in zip(parts, weights, strict=True))
    return sum(rest, start=first)


def is_outside(at: Sequence[Array], sizes: Sequence[int]) -> Array:
    """Return whether places lie outside, one axis of the result for each axis of coordinates.

    Args:
        at: For each axis the coordinates, ``(n,)``, or all ``(count, n)``.
        sizes: How many elements each axis has.
    """
    rank = len(at)
    result: Array = np.zeros((1,) * rank, np.bool_)
    for axis, (place, size) in enumerate(zip(at, sizes, strict=True)):
        beyond = ~((place >= 0) & (place <= size - 1))  # as is what is no number
        behind = (1,) * (rank - 1 - axis)
        result = result | beyond.reshape(*beyond.shape[:-1], *(1,) * axis, place.shape[-1], *behind)
    return result


def _clip(indices: Array, size: int) -> Array:
    return np.clip(indices, 0, size - 1).astype(np.int64)
