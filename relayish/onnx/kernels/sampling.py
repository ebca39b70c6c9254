"""Sampling of images at places between their elements."""

from __future__ import annotations

from math import prod

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric import sampling as numeric
from relayish.numeric.precision import narrow
from relayish.numeric.sampling import sample_grid
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.spatial import check_spatial


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
    points = np.moveaxis(grid, -1, 1).reshape(len(grid), rank, prod(grid.shape[1:-1]))
    method = mode.removeprefix("bi")
    sampled = sample_grid(x, points, method, padding_mode, bool(align_corners))
    return narrow(sampled, x).reshape(*x.shape[:2], *grid.shape[1:-1])


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
    return grid_sample(x, grid, align_corners=align_corners, mode=mode, padding_mode=padding_mode)


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
    lines = [spread_evenly(n, bool(align_corners)) for n in sizes]
    return narrow(np.moveaxis(numeric.affine_grid(theta, lines), 1, -1), theta)


def spread_evenly(count: int, align_corners: bool) -> Array:
    """Return points from -1 to 1, on both edges or half a step inside; one alone in the middle."""
    if align_corners:
        return np.linspace(-1, 1, count) if count > 1 else np.zeros(count)
    return (2 * np.arange(count) + 1) / max(count, 1) - 1
