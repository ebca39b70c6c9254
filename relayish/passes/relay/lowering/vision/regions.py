"""Lowering of pools over regions: places of samples and bins are computed by tensor operators."""

from __future__ import annotations

import numpy as np

from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.type import TensorType
from relayish.op.builders.builder import op
from relayish.passes.relay.lowering.call import Site, lowers, refuse_unless
from relayish.passes.relay.lowering.contracting import Contractions
from relayish.passes.relay.lowering.tensors import (
    Shape,
    arrange,
    arranged_shape,
    cast,
    lowest,
    number,
    pick,
)


class Regions(Contractions):
    """Rules for pools over regions."""

    @lowers
    def handle_roi_align(self, site: Site) -> Expr:
        """Interpolate by products with matrices, one for each axis and region."""
        attrs, dtype = site.attrs, site.real_dtype()
        refuse_unless(
            attrs.sample_ratio > 0, "how many samples there are depends on the size of a region"
        )
        refuse_unless(attrs.mode in ("avg", "max"), f"there is no mode {attrs.mode!r}")
        refuse_unless(site.dtype(1) == dtype, "data and regions have different element types")
        images, shape = _images(site)
        regions, channels, height, width = shape
        down, across = (
            self._samples(site, (first, last), bins, size)
            for first, last, bins, size in (
                (2, 4, attrs.pooled_size[0], height),
                (1, 3, attrs.pooled_size[1], width),
            )
        )
        count = attrs.sample_ratio
        rows, columns = attrs.pooled_size
        if attrs.mode == "avg":
            down, across = op.mean(down, axis=(2,)), op.mean(across, axis=(2,))
        else:
            rows, columns = rows * count, columns * count
            down = op.reshape(down, newshape=(regions, rows, height))
            across = op.reshape(across, newshape=(regions, columns, width))
        strips = self.product(
            "mchw,mph->mcpw",
            (images, TensorType(shape, dtype)),
            (down, TensorType((regions, rows, height), dtype)),
            dtype,
        )
        found = self.product(
            "mcpw,mqw->mcpq",
            (strips, TensorType((regions, channels, rows, width), dtype)),
            (across, TensorType((regions, columns, width), dtype)),
            dtype,
        )
        if attrs.mode == "max":
            bins = (rows // count, count, columns // count, count)
            found = op.reshape(found, newshape=(regions, channels, *bins))
            found = op.max(found, axis=(3, 5))
        return arrange(found, "NCHW", attrs.layout)

    def _samples(self, site: Site, columns: tuple[int, int], bins: int, size: int) -> Expr:
        """Return ``(regions, bins, samples, size)``: how a sample is made of elements."""
        kind, count = site.dtype(1), site.attrs.sample_ratio
        start, end = (_edges(site, column) for column in columns)
        length = op.maximum(op.subtract(end, start), number(1, kind))
        step = op.expand_dims(op.divide(length, number(bins, kind)), axis=1, num_newaxis=2)
        middles = const((np.arange(count) + 0.5).astype(kind), kind)
        within = op.divide(op.multiply(middles, step), number(count, kind))
        first = op.multiply(const(np.arange(bins).reshape(bins, 1).astype(kind), kind), step)
        start = op.expand_dims(start, axis=1, num_newaxis=2)
        at = op.add(op.add(start, first), within)
        outside = op.logical_or(op.less(at, number(-1, kind)), op.greater(at, number(size, kind)))
        inside = op.clip(at, a_min=0.0, a_max=float(size - 1))
        far = op.subtract(op.expand_dims(inside, axis=3), const(np.arange(size).astype(kind), kind))
        shares = op.maximum(op.subtract(number(1, kind), op.abs(far)), number(0, kind))
        found: Expr = op.where(op.expand_dims(outside, axis=3), number(0, kind), shares)
        return found

    @lowers
    def handle_roi_pool(self, site: Site) -> Expr:
        """Take the greatest of what masks leave of rows and then of columns."""
        attrs, dtype = site.attrs, site.dtype()
        images, (_, _, height, width) = _images(site)
        down = _bins(site, (2, 4), attrs.pooled_size[0], height)
        across = _bins(site, (1, 3), attrs.pooled_size[1], width)
        rows = op.expand_dims(op.expand_dims(down, axis=1), axis=4)  # (m, 1, ph, h, 1)
        columns = op.expand_dims(across, axis=1, num_newaxis=2)  # (m, 1, 1, pw, w)
        least = lowest(dtype)
        strips = op.max(op.where(rows, op.expand_dims(images, axis=2), least), axis=(3,))
        bins = op.max(op.where(columns, op.expand_dims(strips, axis=3), least), axis=(4,))
        some = op.logical_and(op.any(rows, axis=(3,)), op.any(columns, axis=(4,)))
        return arrange(op.where(some, bins, number(0, dtype)), "NCHW", attrs.layout)


def _images(site: Site) -> tuple[Expr, Shape]:
    """Return for each region the image that it is of, ``(regions, c, h, w)``, and that shape."""
    layout = site.attrs.layout
    _, *sizes = arranged_shape(site.shape(0), layout, "NCHW")
    data = arrange(site.args[0], layout, "NCHW")
    of_image = op.cast(pick(site.args[1], 0, 1), "int64")
    return op.take(data, of_image, axis=0), (site.shape(1)[0], *sizes)


def _edges(site: Site, column: int) -> Expr:
    """Return one coordinate of all regions, in the scale of the data."""
    scale = number(site.attrs.spatial_scale, site.dtype(1))
    found: Expr = op.multiply(pick(site.args[1], column, 1), scale)
    return found


def _bins(site: Site, columns: tuple[int, int], bins: int, size: int) -> Expr:
    """Return ``(regions, bins, size)``: which elements along an axis are in which bin."""
    kind = site.dtype(1)
    ends = []
    for column in columns:
        edge = _edges(site, column)
        nearest = op.floor(op.add(op.abs(edge), number(0.5, kind)))
        ends.append(op.cast(op.multiply(op.sign(edge), nearest), "int64"))
    start, end = ends
    one = number(1, "int64")
    length = op.maximum(op.add(op.subtract(end, start), one), one)
    length, start = op.expand_dims(length, axis=1), op.expand_dims(start, axis=1)
    numbers, count = np.arange(bins + 1, dtype="int64"), number(bins, "int64")
    begun, ended = (
        op.multiply(const(each, "int64"), length) for each in (numbers[:-1], numbers[1:])
    )
    first = op.divide(begun, count)
    last = op.divide(op.add(ended, number(bins - 1, "int64")), count)  # rounded up
    first, last = (op.expand_dims(op.add(each, start), axis=2) for each in (first, last))
    places = const(np.arange(size), "int64")
    found: Expr = op.logical_and(op.less_equal(first, places), op.less(places, last))
    return cast(found, "bool", "bool")
