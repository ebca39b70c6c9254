"""Sampling images at the points of a grid, and the grids of affine maps."""

from __future__ import annotations

import itertools
import math
from typing import Final

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attrs import Attrs, String, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_layout
from relayish.op.nn.window_types import per_axis
from relayish.op.types.dimension import compare, show_type, unify
from relayish.op.types.fields import Dimension
from relayish.op.types.layout import convert_layout
from relayish.op.types.layout_types import convert_shape
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array, as_sizes
from relayish.op.values.resampling import cubic_weights


@attrs("relay.attrs.AffineGridAttrs")
class AffineGridAttrs(Attrs):
    """Attributes of ``image.affine_grid``."""

    target_shape: tuple[Dimension, ...]


@attrs("relay.attrs.GridSampleAttrs")
class GridSampleAttrs(Attrs):
    """Attributes of ``image.grid_sample``."""

    method: String = "bilinear"
    layout: String = "NCHW"
    padding_mode: String = "zeros"
    align_corners: bool = True


_CUBIC_ALPHA: Final = -0.75
_PLAIN: Final = {4: "NCHW", 5: "NCDHW"}
WIDTH: Final = 2 - 1e-7
"""From one edge of a grid to the other; a little less than 2 keeps the last point inside."""


def _affine_grid_type(attrs: AffineGridAttrs, data: Type) -> TensorType:
    maps = tensor(data, "data", rank=3)
    if compare(maps.shape[1], 2) is False or compare(maps.shape[2], 3) is False:
        raise TypeInferenceError(
            f"data must be affine maps of the plane, (batch, 2, 3); found {show_type(maps)}"
        )
    size = per_axis(attrs.target_shape, 2, "target_shape")
    return TensorType((maps.shape[0], 2, *size), maps.dtype)


def _affine_grid(attrs: AffineGridAttrs, data: Array) -> Array:
    height, width = as_sizes(attrs.target_shape)
    if height < 2 or width < 2:
        raise EvaluationError(
            f"a grid must have at least 2 points along each axis; found {(height, width)}"
        )
    kind = data.dtype.type
    y, x = (np.arange(n).astype(kind) * kind(WIDTH / (n - 1)) - kind(1) for n in (height, width))
    along_x, along_y, shift = (data[:, :, column, None, None] for column in range(3))
    return along_x * x + along_y * y[:, None] + shift


def _grid_sample_type(attrs: GridSampleAttrs, data: Type, grid: Type) -> TensorType:
    image, points = tensor(data, "data"), tensor(grid, "grid")
    rank = len(image.shape)
    if rank not in _PLAIN:
        raise TypeInferenceError(f"data must have 4 or 5 dimensions; found {show_type(image)}")
    tensor(grid, "grid", rank)
    batch, channels, *_ = convert_shape(image.shape, attrs.layout, _PLAIN[rank])
    count, axes, *places = points.shape
    if compare(axes, rank - 2) is False:
        raise TypeInferenceError(
            f"grid must have {rank - 2} coordinates along its axis 1; found {show_type(points)}"
        )
    agreed = unify(batch, count)
    if agreed is None:
        raise TypeInferenceError(f"data has a batch of {batch}, grid of {count}")
    plain = (agreed, channels, *places)
    shape = convert_shape(plain, _PLAIN[rank], attrs.layout, "the result")
    return TensorType(shape, image.dtype)


def _grid_sample(attrs: GridSampleAttrs, data: Array, grid: Array) -> Array:
    """Sample ``data`` at ``grid: (batch, (x, y[, z]), *places)``; -1 and 1 are the edges."""
    plain = _PLAIN[data.ndim]
    source = convert_layout(data, attrs.layout, plain)
    sizes = source.shape[2:]
    if attrs.method == "bicubic" and len(sizes) != 2:
        raise EvaluationError("bicubic sampling is defined in the plane; data has 3 spatial axes")
    if attrs.padding_mode not in ("zeros", "border", "reflection"):
        raise EvaluationError(
            f"no padding_mode {attrs.padding_mode!r}; expected zeros, border or reflection"
        )
    axes = [
        _neighbours(attrs, _pixels(attrs, grid[:, -1 - axis], size), size)
        for axis, size in enumerate(sizes)
    ]
    flat = source.reshape(*source.shape[:2], math.prod(sizes))
    total: Array = np.zeros((*source.shape[:2], *grid.shape[2:]), data.dtype)
    if total.size and not flat.size:
        raise EvaluationError(f"data of shape {data.shape} has nothing to sample")
    for choice in itertools.product(*axes):
        index: Array = np.zeros(grid[:, 0].shape, np.int64)
        weight: Array = np.ones(grid[:, 0].shape, data.dtype)
        for (place, share), size in zip(choice, sizes, strict=True):
            inside = (place >= 0) & (place <= size - 1)
            index = index * size + np.where(inside, place, 0).astype(np.int64)
            weight = weight * np.where(inside, share, 0).astype(data.dtype)
        part = np.take_along_axis(
            flat, index.reshape(len(index), 1, math.prod(grid.shape[2:])), axis=2
        )
        total += part.reshape(total.shape) * weight[:, None]
    return convert_layout(total, plain, attrs.layout)


def _pixels(attrs: GridSampleAttrs, at: Array, size: int) -> Array:
    """Return coordinates from -1 to 1 as those among ``size`` elements."""
    kind = at.dtype.type
    if attrs.align_corners:
        return (at + kind(1)) * kind((size - 1) / 2)
    return ((at + kind(1)) * kind(size) - kind(1)) / kind(2)


def _neighbours(attrs: GridSampleAttrs, at: Array, size: int) -> list[tuple[Array, Array]]:
    """Return the places along one axis that a sample is made of, each with its share."""
    if attrs.method == "bicubic":  # brings its neighbours inside, not the point
        first = np.floor(at)
        shares = cubic_weights(at - first, _CUBIC_ALPHA)
        return [(_bring_inside(attrs, first + (n - 1), size), shares[n]) for n in range(4)]
    place = _bring_inside(attrs, at, size)
    if attrs.method == "nearest":
        return [(np.rint(place), np.ones(at.shape, at.dtype))]
    if attrs.method == "bilinear":
        first = np.floor(place)
        after = place - first
        return [(first, 1 - after), (first + 1, after)]
    raise EvaluationError(f"no method {attrs.method!r}; expected nearest, bilinear or bicubic")


def _bring_inside(attrs: GridSampleAttrs, at: Array, size: int) -> Array:
    """Return where a coordinate outside is taken to lie; with zeros it stays where it is."""
    if attrs.padding_mode == "zeros":
        return at
    if attrs.padding_mode == "border":
        return np.clip(at, 0, size - 1)
    kind = at.dtype.type
    edge, length = (kind(0), size - 1) if attrs.align_corners else (kind(-0.5), size)
    if length == 0:
        return np.zeros(at.shape, at.dtype)
    folded = np.abs(at - edge) % kind(2 * length)
    back = np.where(folded > length, kind(2 * length) - folded, folded)
    return np.clip(back + edge, 0, size - 1)


register_op(
    "image.affine_grid",
    signature="data, target_shape=None",
    description="""
    Make the grid of an affine map.
    data (n, 2, 3), the maps -> (n, 2, *target_shape)
    """,
    attrs_type=AffineGridAttrs,
    rule=_affine_grid_type,
    evaluate=_affine_grid,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "image.grid_sample",
    arguments=("data", "grid"),
    description="""
    Take pixels at the places of a grid.
    data (n, c, h, w) or with depth; grid (n, 2, h', w') from -1 to 1, or 3 with depth -> (n, c,
        h', w')
    """,
    attrs_type=GridSampleAttrs,
    rule=_grid_sample_type,
    evaluate=_grid_sample,
    pattern=OpPattern.INJECTIVE,
    infer_layout=of_layout("NCDHW"),
)
