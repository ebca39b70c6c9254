"""Sampling of images, at places that are values."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr
from relayish.op.builders.builder import op
from relayish.op.image.sampling import WIDTH
from relayish.passes.onnx.raising.arithmetic import NARROW_FLOATS, is_whole, widened
from relayish.passes.onnx.raising.lowered import lowered
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, raises
from relayish.passes.relay.lowering.tensors import arrange, arranged_shape, cast, number, pick

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
    if attrs.method != "nearest" and is_whole(call.type(0).dtype):
        raise Unraised("Relay weighs integers by integers")
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


@raises("image.crop_and_resize")
def crop_and_resize(call: RelayCall) -> Expr:
    """Boxes of images in one size, each a row of its own of places along either axis."""
    attrs, dtype = call.attrs, call.type(0).dtype
    if attrs.method not in ("bilinear", "nearest_neighbor"):
        raise Unraised(f"it resizes by {attrs.method}")
    is_linear = attrs.method == "bilinear"
    if is_linear and is_whole(dtype):
        raise Unraised("Relay cuts off what it makes of integers")
    wide = widened(dtype) if is_linear else dtype
    _, *sizes, _ = arranged_shape(call.sizes(0), attrs.layout, "NHWC")
    if 0 in (*call.sizes(0), *call.sizes()):
        raise Unraised("it resizes no elements, or to none")
    found = cast(arrange(call.args[0], attrs.layout, "NWHC"), dtype, wide)
    found = op.take(found, op.cast(call.args[2], "int64"), axis=0)
    boxes, is_inside = op.cast(call.args[1], "float32"), list[Expr]()
    for axis in (1, 0):
        at = _places_of_boxes(boxes, axis, sizes[axis], int(attrs.crop_size[axis]))
        last = number(sizes[axis] - 1, "float32")
        inside = op.logical_and(op.greater_equal(at, number(0, "float32")), op.less_equal(at, last))
        at = op.where(inside, at, number(0, "float32"))
        found = _between(found, at, sizes[axis], wide if is_linear else None)
        found = op.transpose(found, axes=(0, 2, 1, 3))
        is_inside.append(op.expand_dims(op.expand_dims(inside, axis=2 - axis), axis=3))
    beyond = number(attrs.extrapolation_value, wide)
    found = op.where(op.logical_and(*is_inside), arrange(found, "NWHC", "NHWC"), beyond)
    found = cast(found, wide, call.type().dtype)
    return call.write(arrange(found, "NHWC", attrs.layout))


def _places_of_boxes(boxes: Expr, axis: int, size: int, target: int) -> Expr:
    """Return ``(boxes, target)``: where elements along an axis lie in images of some size."""
    last = number(size - 1, "float32")
    begin, end = [
        op.expand_dims(op.multiply(pick(boxes, column, 1), last), axis=1)
        for column in (axis, 2 + axis)
    ]
    if target == 1:
        middle: Expr = op.multiply(op.add(begin, end), number(0.5, "float32"))
        return middle
    step = op.divide(op.subtract(end, begin), number(target - 1, "float32"))
    every = Constant(np.arange(target, dtype="float32"))
    found: Expr = op.add(begin, op.multiply(every, step))
    return found


def _between(data: Expr, at: Expr, size: int, dtype: str | None) -> Expr:
    """Return what stands at places along the axis behind the first, or else what is nearest."""
    half, last = number(0.5, "float32"), number(size - 1, "int64")
    low = op.floor(at if dtype is not None else op.add(at, half))
    place = op.cast(low, "int64")
    first: Expr = op.take(data, place, axis=1, batch_dims=1)
    if dtype is None:
        return first
    after = op.minimum(op.add(place, number(1, "int64")), last)
    second = op.take(data, after, axis=1, batch_dims=1)
    share = op.expand_dims(op.cast(op.subtract(at, low), dtype), axis=2, num_newaxis=2)
    rest = op.multiply(first, op.subtract(number(1, dtype), share))
    found: Expr = op.add(rest, op.multiply(second, share))
    return found
