"""Sampling images at the points of a grid, and the grids of affine maps."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import String
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.precision import narrow
from relayish.numeric.sampling import affine_grid, sample_grid
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


_METHODS: Final = {"nearest": "nearest", "bilinear": "linear", "bicubic": "cubic"}
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
    lines = [np.arange(n) * (WIDTH / (n - 1)) - 1 for n in (height, width)]
    return narrow(affine_grid(data, lines), data)


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
    plain = _PLAIN[data.ndim]
    source = convert_layout(data, attrs.layout, plain)
    if attrs.method not in _METHODS:
        raise EvaluationError(f"no method {attrs.method!r}; expected {', '.join(_METHODS)}")
    if attrs.method == "bicubic" and data.ndim != 4:
        raise EvaluationError("bicubic sampling is defined in the plane; data has 3 spatial axes")
    if grid.size and not source.size:
        raise EvaluationError(f"data of shape {data.shape} has nothing to sample")
    points = grid.reshape(*grid.shape[:2], math.prod(grid.shape[2:]))
    method = _METHODS[attrs.method]
    found = sample_grid(source, points, method, attrs.padding_mode, bool(attrs.align_corners))
    image = narrow(found, data).reshape(*source.shape[:2], *grid.shape[2:])
    return convert_layout(image, plain, attrs.layout)


register_op(
    "image.affine_grid",
    signature="data, target_shape=None",
    description="""
    Make the grid of an affine map.
    data (n, 2, 3), the maps -> (n, 2, *target_shape)
    """,
    rule=_affine_grid_type,
    evaluate=_affine_grid,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "image.grid_sample",
    description="""
    Take pixels at the places of a grid.
    data (n, c, h, w) or with depth; grid (n, 2, h', w') from -1 to 1, or 3 with depth -> (n, c,
        h', w')
    """,
    rule=_grid_sample_type,
    evaluate=_grid_sample,
    pattern=OpPattern.INJECTIVE,
    infer_layout=of_layout("NCDHW"),
)
