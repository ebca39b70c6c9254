"""Regions of interest as loops: samples of bins, as many as the size of a region says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import is_whole, weighing_dtype
from relayish.op.values.evaluation import number_of
from relayish.passes.relay.to_loops.context import Site, nest
from relayish.passes.relay.to_loops.elements import Elements, Index, converted
from relayish.passes.relay.to_loops.formulas import computes, zero
from relayish.passes.relay.to_loops.ordering import cast_elements
from relayish.passes.relay.to_loops.pointwise import filled, greater_of
from relayish.passes.relay.to_loops.refusing import Unlowered
from relayish.passes.relay.to_loops.sampling import Taps, in_layout
from relayish.tir import math
from relayish.tir.builders.expr import select
from relayish.tir.builders.ir_builder import IRBuilder
from relayish.tir.ir.operators import LE, LT, And, Cast, Expr, Max, Min, const
from relayish.tir.ir.tensor import Tensor
from relayish.tir.ir.type import INT32

_MOST_SAMPLES = 1 << 20
"""A bin that has more samples is that of a region out of all proportion."""


class _Line(NamedTuple):
    """A region along one axis.

    Attributes:
        start: Where it begins, counted in elements.
        step: How long a bin is.
        samples: How many a bin has.
        size: How many elements the axis has.
    """

    start: Expr
    step: Expr
    samples: Expr
    size: int

    def taps(self, build: IRBuilder, place: Expr, sample: Expr) -> Taps:
        """Return the elements between which a sample of a bin lies, and their weights."""
        kind = self.start.type
        within = (Cast(kind, sample) + const(0.5, kind)) * self.step / Cast(kind, self.samples)
        at = build.let("at", self.start + Cast(kind, place) * self.step + within)
        last = const(float(self.size - 1), kind)
        inside = build.let("inside", Max(Min(at, last), const(0.0, kind)))
        before = build.let("before", Cast(INT32, math.floor(inside)))
        after = build.let("after", inside - math.floor(inside))
        near = And(LE(const(-1.0, kind), at), LE(at, const(float(self.size), kind)))
        behind = Min(before + 1, const(self.size - 1))
        none = const(0.0, kind)
        return [
            (before, select(near, const(1.0, kind) - after, none)),
            (behind, select(near, after, none)),
        ]


class Regions(Unlowered, domain="vision"):
    """Writes pools over regions whose sizes say how many samples there are."""

    @computes
    def handle_roi_align(self, site: Site) -> Elements:
        """Take the mean or the greatest of samples, between elements."""
        attrs, dtype = site.attrs, site.result.dtype
        if is_whole(numpy_dtype(dtype)) or attrs.mode not in ("avg", "max"):
            raise site.refuse(f"it takes {attrs.mode!r} of {dtype}")
        layout, regions = str(attrs.layout), site.args[1]
        data = in_layout(site, site.args[0], layout, "NCHW")
        images, channels, *sizes = data.shape
        if 0 in data.shape or 0 in site.shape:
            return filled(site, 0)
        bins = [int(size) for size in attrs.pooled_size]
        work = str(weighing_dtype(numpy_dtype(dtype)))
        kind = str(weighing_dtype(numpy_dtype(regions.dtype)))
        scale = const(number_of(attrs.spatial_scale, numpy_dtype(regions.dtype)), regions.dtype)
        shape = (regions.shape[0], channels, *bins)
        is_mean = attrs.mode == "avg"

        def line(build: IRBuilder, corners: Tensor, region: Expr, axis: int) -> tuple[_Line, Expr]:
            ends = [converted(corners[region, side - axis] * scale, kind) for side in (2, 4)]
            return _line(build, ends, sizes[axis], bins[axis], int(attrs.sample_ratio))

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            seen, corners = given
            with build.for_("region", shape[0]) as region:
                number = build.let("number", corners[region, 0])
                down, is_low = line(build, corners, region, 0)
                across, is_thin = line(build, corners, region, 1)
                there = And(
                    LE(zero(regions.dtype), number),
                    LT(converted(number, kind), const(float(images), kind)),
                )
                sound = And(And(there, is_low), is_thin)  # else it is an error to look
                held = select(sound, converted(number, "int32"), const(-1))
                image = build.let("image", held)
                with nest(build, shape[1:], "b") as (channel, row, column):
                    place = (region, channel, row, column)
                    least = const(0.0 if is_mean else float("-inf"), work)
                    build.store(made[0], least, place)
                    with build.for_("y", down.samples) as y:
                        rows = down.taps(build, row, y)
                        with build.for_("x", across.samples) as x:
                            columns = across.taps(build, column, x)
                            found = _interpolated(seen, (image, channel), rows, columns, work)
                            value, so_far = build.let("value", found), made[0][place]
                            new = so_far + value if is_mean else greater_of(so_far, value)
                            build.store(made[0], new, place)
                    if is_mean:
                        total = Cast(made[0].dtype, down.samples * across.samples)
                        build.store(made[0], made[0][place] / total, place)

        (found,) = site.context.perform(site.hint, [data, regions], [(shape, work)], body)
        return in_layout(site, cast_elements(found, dtype), "NCHW", layout)


def _interpolated(data: Tensor, image: Index, rows: Taps, columns: Taps, work: str) -> Expr:
    """Return what lies between elements: weighed along one axis, and then along the other."""
    total: Expr | None = None
    for at, weight in columns:
        first, second = (
            converted(data[(*image, row, at)], work) * converted(share, work) for row, share in rows
        )
        part = (first + second) * converted(weight, work)
        total = part if total is None else total + part
    assert total is not None
    return total


def _line(
    build: IRBuilder, ends: Sequence[Expr], size: int, bins: int, ratio: int
) -> tuple[_Line, Expr]:
    """Return a region along one axis, and whether a bin of it has samples in proportion.

    Args:
        build: Where statements are added.
        ends: Where it begins and ends.
        size: How many elements the axis has.
        bins: How many bins it is divided into.
        ratio: How many samples a bin has; as many as there are elements, if it is not above 0.
    """
    start, end = (build.let("edge", each) for each in ends)
    kind = start.type
    length = build.let("length", greater_of(end - start, const(1.0, kind)))
    step = build.let("step", length / const(float(bins), kind))
    wanted: Expr = const(float(ratio), kind)
    if ratio <= 0:
        wanted = build.let("wanted", math.ceil(length / const(float(bins), kind)))
    few = build.let("few", LE(wanted, const(float(_MOST_SAMPLES), kind)))
    samples = build.let("samples", Cast(INT32, select(few, wanted, const(1.0, kind))))
    return _Line(start, step, samples, size), few
