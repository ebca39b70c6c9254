"""Deformable convolution: every element of the kernel looks where the data tells it to."""

from __future__ import annotations

from math import prod

import numpy as np

from relayish.numeric.precision import accumulator, round_to
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_deformable_convolution
from relayish.op.nn.convolution import arrange_result, fit_kernel
from relayish.op.nn.convolution_attrs import DeformableConv2DAttrs
from relayish.op.nn.convolution_types import deformable_convolution_relation
from relayish.op.nn.windows import sides, windows_over
from relayish.op.types.layout import convert_layout
from relayish.op.values.evaluation import Array, result_dtype


def _deformable_convolution(
    attrs: DeformableConv2DAttrs, data: Array, offset: Array, weight: Array
) -> Array:
    """Return the convolution of what is found at the places of the window moved by ``offset``.

    For each element of the kernel the channels of ``offset`` hold, one after the other, by how much
    it is moved down and to the right. Between elements the data is interpolated linearly, with 0
    for what would follow the last row or column. As in Relay, all that lies before the middle of
    the first row or column is 0, and all that lies a whole one past the last.
    """
    source = convert_layout(data, attrs.data_layout, "NCHW")
    moves = convert_layout(offset, attrs.data_layout, "NCHW")
    kernel = convert_layout(weight, attrs.kernel_layout, "OIHW")
    kernel = fit_kernel(kernel, source.shape[1], attrs.groups)
    dtype = result_dtype(attrs.out_dtype, data.dtype)
    batch, channels, height, width = source.shape
    (top, bottom), (left, right) = sides(attrs.padding, 2)
    shape = (height + top + bottom, width + left + right)
    over = windows_over(shape, (0, 1), kernel.shape[2:], attrs.strides, attrs.dilation)
    parts, groups, taps = attrs.deformable_groups, attrs.groups, prod(over.kernel)

    starts = []
    for axis, before in enumerate((top, left)):
        steps = np.arange(over.counts[axis]) * over.strides[axis] - before
        spread = np.arange(over.kernel[axis]) * over.dilation[axis]
        shape_of_axis = [1] * 4
        shape_of_axis[axis], shape_of_axis[2 + axis] = over.kernel[axis], over.counts[axis]
        starts.append((spread[:, None] + steps[None, :]).reshape(shape_of_axis))
    moves = moves.reshape((batch, parts, *over.kernel, 2, *over.counts))
    rows = moves[:, :, :, :, 0] + starts[0]
    columns = moves[:, :, :, :, 1] + starts[1]

    work = accumulator(dtype, source, kernel, prod(kernel.shape[1:]))
    maps = source.reshape((batch, parts, channels // parts, height * width))
    seen = _interpolate(maps, rows, columns, (height, width)).astype(work, copy=False)
    seen = seen.reshape((batch, groups, channels // groups * taps, prod(over.counts)))
    outputs = kernel.shape[0]
    matrix = kernel.astype(work).reshape((groups, outputs // groups, prod(kernel.shape[1:])))
    result = np.matmul(matrix, seen).reshape((batch, outputs, *over.counts))
    return arrange_result(attrs, round_to(result, dtype))


def _interpolate(maps: Array, rows: Array, columns: Array, size: tuple[int, int]) -> Array:
    """Return ``maps: (n, g, c, h · w)`` at ``rows, columns: (n, g, *places)``, between elements.

    Returns:
        (n, g, c, *places)
    """
    height, width = size
    inside = (rows >= 0) & (columns >= 0) & (rows < height) & (columns < width)
    outside = ~inside  # what is moved by NaN lies nowhere
    y, x = (np.where(outside, 0, place) for place in (rows, columns))
    y_low, x_low = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
    y_high, x_high = y_low + 1, x_low + 1
    down, right = y - y_low, x - x_low

    def at(row: Array, column: Array) -> Array:
        is_there = (row < height) & (column < width)
        flat = np.where(is_there, row * width + column, 0)
        found = np.take_along_axis(maps, flat.reshape((*row.shape[:2], 1, -1)), axis=3)
        return np.where(is_there[:, :, None], found.reshape((*maps.shape[:3], *row.shape[2:])), 0)

    down, right = down[:, :, None], right[:, :, None]
    upper = at(y_low, x_low) * (1 - right) + at(y_low, x_high) * right
    lower = at(y_high, x_low) * (1 - right) + at(y_high, x_high) * right
    return np.where(outside[:, :, None], 0, upper * (1 - down) + lower * down)


register_op(
    "nn.deformable_conv2d",
    arguments=("data", "offset", "weight"),
    description="""
    Slide a kernel whose elements are moved by offsets.
    data (n, c, h, w); offset (n, 2 * kh * kw * deformable_groups, h', w'); weight (o, c /
        groups, kh, kw) -> (n, o, h', w')
    """,
    attrs_type=DeformableConv2DAttrs,
    relation=deformable_convolution_relation,
    evaluate=_deformable_convolution,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    chosen_dtype="out_dtype",
    infer_layout=of_deformable_convolution,
)
