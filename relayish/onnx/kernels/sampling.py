"""Sampling of images at places between their elements."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import is_fractional, narrow, widen
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.spatial import check_spatial

Taps = list[tuple[Array, Array]]
"""Indices along one dimension and their weights, for each neighbour of the places."""


def sample_linear(x: Array, places: Sequence[Array]) -> Array:
    """Return ``x`` (n, c, ...) at places of its dimensions, (n, p) each, as (n, c, p).

    Between elements ``x`` is linear, and outside it is 0.
    """
    return gather_taps(x, [_linear_taps(place) for place in places])


def gather_taps(x: Array, taps: Sequence[Taps]) -> Array:
    """Return weighted sums of elements of ``x`` (n, c, ...), 0 where an index lies outside.

    Args:
        x: What is sampled.
        taps: For each spatial dimension, indices and weights (n, p).
    """
    batch, channels = x.shape[:2]
    sizes = x.shape[2:]
    count = taps[0][0][0].shape[1]
    total = np.zeros((batch, channels, count), x.dtype)
    if not prod(sizes):
        return total
    flat = x.reshape(batch, channels, prod(sizes))
    images = np.arange(batch)[:, None]
    for corner in product(*taps):
        index = np.zeros((batch, count), np.int64)
        weight: Array = np.ones((batch, count), x.dtype)
        for size, (at, factor) in zip(sizes, corner, strict=True):
            inside = (at >= 0) & (at < size)
            index = index * size + np.where(inside, at, 0)
            weight = weight * np.where(inside, factor, 0)
        # images and places are indexed together, so that channels come last
        found = flat[images, :, index].transpose(0, 2, 1)
        total += np.where(weight[:, None] == 0, 0, found * weight[:, None].astype(x.dtype))
    return total


def _linear_taps(places: Array) -> Taps:
    low = np.floor(places)
    part = places - low
    at = _as_index(low)
    return [(at, 1 - part), (at + 1, part)]


def _nearest_taps(places: Array) -> Taps:
    return [(_as_index(np.rint(places)), np.ones_like(places))]


def _cubic_taps(places: Array) -> Taps:
    low = np.floor(places)
    part = places - low
    at = _as_index(low)
    a = -0.75
    outer, inner, after, far = part + 1, part, 1 - part, 2 - part
    return [
        (at - 1, ((a * outer - 5 * a) * outer + 8 * a) * outer - 4 * a),
        (at, ((a + 2) * inner - (a + 3)) * inner**2 + 1),
        (at + 1, ((a + 2) * after - (a + 3)) * after**2 + 1),
        (at + 2, ((a * far - 5 * a) * far + 8 * a) * far - 4 * a),
    ]


def _as_index(places: Array) -> Array:
    """Return whole numbers as integers; those that are none, or too great, lie outside."""
    safe = np.where(np.abs(places) < 2**31, places, -(2**31))
    return safe.astype(np.int64)


@kernel("GridSample", since=(20, 22))
def grid_sample(
    x: Array,
    grid: Array,
    *,
    align_corners: int = 0,
    mode: str = "linear",
    padding_mode: str = "zeros",
) -> Array:
    """Return ``x`` (n, c, ...) at the places that ``grid`` (n, ..., dimensions) says, -1 to 1.

    The last dimension of ``x`` comes first in the grid.
    """
    check_spatial("the input", x)
    rank = x.ndim - 2
    if grid.ndim != x.ndim or grid.shape[-1] != rank or grid.shape[0] != x.shape[0]:
        raise EvaluationError(
            f"the grid has shape {grid.shape}, the input {x.shape}; expected a grid of {rank + 2} "
            f"dimensions, {x.shape[0]} first and {rank} last"
        )
    if mode not in _TAPS or padding_mode not in ("zeros", "border", "reflection"):
        raise EvaluationError(
            f"mode is {mode!r}, padding_mode {padding_mode!r}; expected linear, nearest or cubic, "
            "and zeros, border or reflection"
        )
    wide = widen(x)
    if not is_fractional(wide.dtype):
        wide = wide.astype(np.float64)
    numbers = widen(grid).reshape(grid.shape[0], prod(grid.shape[1:-1]), rank)
    taps = []
    for axis, size in enumerate(x.shape[2:]):
        numbers_of_axis = numbers[:, :, rank - 1 - axis]
        low, high = (0.0, size - 1.0) if align_corners else (-0.5, size - 0.5)
        places = low + (numbers_of_axis + 1) * ((high - low) / 2)
        if mode != "cubic":
            places = _move_inside(places, low, high, size, padding_mode)
        found = _TAPS[mode](places)
        if mode == "cubic":
            found = [
                (_as_index(_move_inside(at.astype(float), low, high, size, padding_mode)), weight)
                for at, weight in found
            ]
        taps.append(found)
    sampled = gather_taps(wide, taps)
    return narrow(sampled.reshape(*x.shape[:2], *grid.shape[1:-1]), x)


_TAPS = {
    "linear": _linear_taps,
    "bilinear": _linear_taps,
    "nearest": _nearest_taps,
    "cubic": _cubic_taps,
    "bicubic": _cubic_taps,
}


def _move_inside(places: Array, low: float, high: float, size: int, padding_mode: str) -> Array:
    if padding_mode == "zeros":
        return places
    if padding_mode == "reflection":
        span = high - low
        if span <= 0:
            return np.zeros_like(places)
        folded = np.abs(places - low) % (2 * span)
        places = low + np.minimum(folded, 2 * span - folded)
    return np.clip(places, 0, size - 1)


@kernel("GridSample", since=(16,))
def grid_sample_of_images(
    x: Array,
    grid: Array,
    *,
    align_corners: int = 0,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
) -> Array:
    """Return images (n, c, h, w) at the places that ``grid`` (n, rows, columns, 2) says."""
    names = {"bilinear": "linear", "bicubic": "cubic"}
    return grid_sample(
        x,
        grid,
        align_corners=align_corners,
        mode=names.get(mode, mode),
        padding_mode=padding_mode,
    )


@kernel("AffineGrid", since=(20,))
def affine_grid(theta: Array, size: Array, *, align_corners: int = 0) -> Array:
    """Return a grid of places (n, ..., dimensions), moved by matrices ``theta``."""
    sizes = tuple(size.tolist())[2:]
    rank = len(sizes)
    if theta.ndim != 3 or theta.shape[1:] != (rank, rank + 1) or theta.shape[0] != size[0]:
        raise EvaluationError(
            f"theta has shape {theta.shape}, the size is {size.tolist()}; expected "
            f"({size[0]}, {rank}, {rank + 1})"
        )
    wide = widen(theta)
    lines = [_spread_evenly(n, bool(align_corners)).astype(wide.dtype) for n in sizes]
    mesh = np.meshgrid(*lines, indexing="ij")
    places = np.stack([*mesh[::-1], np.ones(sizes, wide.dtype)], axis=-1)
    moved = places.reshape(-1, rank + 1) @ wide.transpose(0, 2, 1)
    return narrow(moved.reshape(theta.shape[0], *sizes, rank), theta)


def _spread_evenly(count: int, align_corners: bool) -> Array:
    if align_corners:
        return np.linspace(-1, 1, count) if count > 1 else np.zeros(count)
    return (2 * np.arange(count) + 1) / max(count, 1) - 1
