"""Lowering of what arranges tensors: padding, dilation, blocks of space, upsampling."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from math import prod
from typing import Any

import numpy as np

from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Expr
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.blocks import (
    Rearrangement,
    batch_to_space,
    depth_to_space,
    space_to_batch,
    space_to_depth,
)
from relayish.numeric.resizing import Axis, find_samples, in_order
from relayish.op.builders.builder import op
from relayish.op.nn.window_types import SPATIAL
from relayish.op.values.resampling import upsampling
from relayish.passes.relay.lowering.call import LoweringHandler, Site, lowers, refuse_unless
from relayish.passes.relay.lowering.nn.convolution import known_sizes
from relayish.passes.relay.lowering.tensors import (
    Shape,
    arrange,
    arranged_shape,
    cast,
    cut,
    is_integral_type,
    number,
    pick,
    reshape,
    spread,
    transpose,
    work_dtype,
)


class Arrangements(LoweringHandler):
    """Rules for what arranges elements."""

    @lowers
    def handle_batch_flatten(self, site: Site) -> Expr:
        """Join all axes but the first."""
        return reshape(site.args[0], (), site.result_shape())

    @lowers
    def handle_pad(self, site: Site) -> Expr:
        """Put elements around: a number, or copies of those at the sides."""
        attrs, shape, dtype = site.attrs, site.shape(), site.dtype()
        site.result_shape()
        data, value = site.args
        widths = tuple([(before, after) for before, after in map(known_sizes, attrs.pad_width)])
        if attrs.pad_mode != "constant":
            refuse_unless(
                attrs.pad_mode in ("edge", "reflect"), f"there is no mode {attrs.pad_mode!r}"
            )
            return _mirrored(data, shape, widths, attrs.pad_mode)
        filling = cast(reshape(value, site.shape(1), ()), site.dtype(1), dtype)
        return spread(data, shape, widths, filling, dtype)[0]

    @lowers
    def handle_mirror_pad(self, site: Site) -> Expr:
        """Put copies of the elements at the sides around."""
        attrs = site.attrs
        widths = tuple([(before, after) for before, after in map(known_sizes, attrs.pad_width)])
        refuse_unless(attrs.mode in ("SYMMETRIC", "REFLECT"), f"there is no mode {attrs.mode!r}")
        return _mirrored(site.args[0], site.shape(), widths, attrs.mode.lower())

    @lowers
    def handle_dilate(self, site: Site) -> Expr:
        """Put a number between elements."""
        attrs, shape, dtype = site.attrs, site.shape(), site.dtype()
        value = number(attrs.dilation_value, dtype)
        none = ((0, 0),) * len(shape)
        return spread(site.args[0], shape, none, value, dtype, known_sizes(attrs.strides))[0]

    @lowers
    def handle_upsampling(self, site: Site) -> Expr:
        """Take the elements around each place, by weight."""
        attrs = site.attrs
        coordinates = "align_corners" if attrs.align_corners else "asymmetric"
        return _upsample(site, "NC" + SPATIAL[2], coordinates)

    @lowers
    def handle_upsampling3d(self, site: Site) -> Expr:
        """Take the elements around each place, by weight."""
        return _upsample(site, "NC" + SPATIAL[3], site.attrs.coordinate_transformation_mode)

    @lowers
    def handle_space_to_depth(self, site: Site) -> Expr:
        """Move blocks of pixels into channels."""
        layout, block = site.attrs.layout, site.attrs.block_size
        site.result_shape()
        shape = n, c, h, w = arranged_shape(site.shape(), layout, "NCHW")
        kept = n, c, h // block * block, w // block * block
        whole = cut(arrange(site.args[0], layout, "NCHW"), shape, [(0, size) for size in kept])
        deep = _rearrange(whole, kept, space_to_depth(kept, block, blocks_first=True))
        return arrange(deep, "NCHW", layout)

    @lowers
    def handle_depth_to_space(self, site: Site) -> Expr:
        """Move channels into blocks of pixels."""
        layout, block, mode = site.attrs.layout, site.attrs.block_size, site.attrs.mode
        refuse_unless(mode in ("DCR", "CDR"), f"there is no mode {mode!r}")
        site.result_shape()
        shape = n, c, h, w = arranged_shape(site.shape(), layout, "NCHW")
        kept = n, c // (block * block) * block * block, h, w
        used = cut(arrange(site.args[0], layout, "NCHW"), shape, [(0, size) for size in kept])
        found = _rearrange(used, kept, depth_to_space(kept, block, blocks_first=mode == "DCR"))
        return arrange(found, "NCHW", layout)

    @lowers
    def handle_space_to_batch_nd(self, site: Site) -> Expr:
        """Move blocks of elements into the batch."""
        attrs, dtype = site.attrs, site.dtype()
        site.result_shape()
        blocks, rank = attrs.block_shape, len(attrs.block_shape)
        margins = [(before, after) for before, after in map(known_sizes, attrs.paddings)]
        widths = ((0, 0), *margins, *((0, 0),) * (site.rank() - rank - 1))
        value = number(attrs.pad_value, dtype)
        wide, shape = spread(site.args[0], site.shape(), widths, value, dtype)
        for size, block in zip(shape[1:], blocks, strict=False):
            refuse_unless(size % block == 0, f"{size} elements are no blocks of {block}")
        return _rearrange(wide, shape, space_to_batch(shape, blocks))

    @lowers
    def handle_batch_to_space_nd(self, site: Site) -> Expr:
        """Move elements of the batch into blocks of space."""
        attrs = site.attrs
        site.result_shape()
        blocks, shape = attrs.block_shape, site.shape()
        refuse_unless(
            shape[0] % prod(blocks) == 0, f"a batch of {shape[0]} cannot be divided into blocks"
        )
        moves = batch_to_space(shape, blocks)
        image = _rearrange(site.args[0], shape, moves)
        crops = [(0, 0), *map(known_sizes, attrs.crops)]
        crops += [(0, 0)] * (len(moves.shape) - len(crops))
        kept = [
            (before, size - after) for (before, after), size in zip(crops, moves.shape, strict=True)
        ]
        return cut(image, moves.shape, kept)


def _rearrange(data: Expr, shape: Shape, moves: Rearrangement) -> Expr:
    """Return ``data``, of that shape, with its elements moved."""
    parts = transpose(reshape(data, shape, moves.split), moves.order)
    return reshape(parts, moves.moved(), moves.shape)


def _mirrored(
    data: Expr,
    shape: Shape,
    widths: Sequence[tuple[int, int]],
    mode: Any,  # Any: one numpy knows
) -> Expr:
    """Return ``data`` with copies of its elements around it; negative widths take away."""
    image = data
    for axis, (size, (before, after)) in enumerate(zip(shape, widths, strict=True)):
        if before or after:
            around = max(before, 0), max(after, 0)
            places = np.pad(np.arange(size), around, mode)
            kept = places[max(-before, 0) : len(places) - max(-after, 0)]
            image = pick(image, kept, axis)
    return image


def _upsample(site: Site, plain: str, coordinates: str) -> Expr:
    attrs, dtype = site.attrs, site.dtype()
    how = upsampling(attrs.method, coordinates)
    work = "float64" if is_integral_type(dtype) else work_dtype(dtype)
    axes = [attrs.layout.index(letter) for letter in plain[2:] if letter in attrs.layout]
    refuse_unless(len(axes) == len(plain) - 2 and attrs.layout.isalpha(), "its axes are split")
    image, shape, result = site.args[0], site.shape(), site.result_shape()
    if how.method != "nearest":
        image = cast(image, dtype, work)
    lines = [(n, Axis(shape[n], result[n])) for n in axes]
    for n, axis in in_order(lines):
        samples = find_samples(axis, how, numpy_dtype(work))
        parts = [pick(image, tap, n) for tap in samples.indices.T]
        if samples.weights is not None:
            along = (axis.output, *(1,) * (len(shape) - n - 1))
            weights = samples.weights.astype(work).T
            parts = [
                op.multiply(part, const(weight.reshape(along), work))
                for part, weight in zip(parts, weights, strict=True)
            ]
        image = reduce(op.add, parts)
    return image if how.method == "nearest" else cast(image, work, dtype)
