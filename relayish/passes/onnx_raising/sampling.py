"""What is sampled of images, at places that are values."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr
from relayish.op.image.sampling import WIDTH
from relayish.passes.lowering.tensors import pick
from relayish.passes.onnx_raising.arithmetic import NARROW_FLOATS
from relayish.passes.onnx_raising.lowered import lowered
from relayish.passes.onnx_raising.rule import RelayCall, Unraised, raises
from relayish.passes.rewrite.rules.table import op

_LAYOUTS: Final = {4: "NCHW", 5: "NCDHW"}
_HAS_GRIDS: Final = 20
_HAS_COORDINATES: Final = 16


@raises("image.grid_sample")
def grid_sample(call: RelayCall) -> Expr:
    """Images at the points of a grid, whose coordinates ONNX has in the last axis."""
    attrs, rank = call.attrs, call.rank()
    if call.type(1).dtype in NARROW_FLOATS:
        raise Unraised("its coordinates are rounded on the way, and ONNX says not how")
    if attrs.layout != _LAYOUTS[rank]:
        raise Unraised(f"its layout is {attrs.layout}; ONNX has {_LAYOUTS[rank]} alone")
    names = {"nearest": "nearest", "bilinear": "bilinear", "bicubic": "bicubic"}
    if call.opset >= _HAS_GRIDS:
        names = {"nearest": "nearest", "bilinear": "linear", "bicubic": "cubic"}
    elif rank != len("NCHW"):
        raise Unraised("that version samples in the plane alone")
    grid = call.node("Transpose", call.args[1], perm=(0, *range(2, rank), 1))
    return call.node(
        "GridSample",
        call.args[0],
        grid,
        mode=names[attrs.method],
        padding_mode=attrs.padding_mode,
        align_corners=int(attrs.align_corners),
    )


@raises("image.affine_grid")
def affine_grid(call: RelayCall) -> Expr:
    """Points that maps move, from a little before one edge to the other: ONNX goes to the edge."""
    (height, width), dtype = call.attrs.target_shape, call.type().dtype
    if min(height, width) < 2:
        raise Unraised("its grid has one point along an axis, which lies nowhere")
    y, x = (
        np.arange(size).astype(dtype) * np.asarray(WIDTH / (size - 1)).astype(dtype)
        - np.asarray(1).astype(dtype)
        for size in (int(height), int(width))
    )
    along_x, along_y, shift = (
        op.expand_dims(
            op.take(call.args[0], Constant(np.array(column)), axis=2), axis=2, num_newaxis=2
        )
        for column in range(3)
    )
    moved = op.add(op.multiply(along_x, Constant(x)), op.multiply(along_y, Constant(y[:, None])))
    return call.write(op.add(moved, shift))


@raises("vision.roi_align")
def roi_align(call: RelayCall) -> Expr:
    """Averages of samples in parts of regions; the greatest of them ONNX takes of their shares."""
    attrs = call.attrs
    if call.type(1).dtype in NARROW_FLOATS:
        raise Unraised("its coordinates are rounded on the way, and ONNX says not how")
    if attrs.mode != "avg":
        return lowered(call)
    data, rois = call.args
    if attrs.layout != "NCHW":
        data = call.write(op.layout_transform(data, attrs.layout, "NCHW"))
    images = op.cast(pick(rois, 0, 1), "int64")
    height, width = attrs.pooled_size
    mode = "output_half_pixel" if call.opset >= _HAS_COORDINATES else None
    found: Expr = call.node(
        "RoiAlign",
        data,
        call.write(op.strided_slice(rois, begin=[1], end=[5], strides=[1], axes=[1])),
        call.write(images),
        mode="avg",
        output_height=int(height),
        output_width=int(width),
        sampling_ratio=max(int(attrs.sample_ratio), 0),
        spatial_scale=float(attrs.spatial_scale),
        coordinate_transformation_mode=mode,
    )
    if attrs.layout != "NCHW":
        found = call.node("Transpose", found, perm=(0, 2, 3, 1))
    return found
