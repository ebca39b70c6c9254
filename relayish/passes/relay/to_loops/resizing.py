"""Resizing as loops: where new elements lie, and what they weigh, stands in tables."""

from __future__ import annotations

import numpy as np

from relayish.domain import register_handler
from relayish.ir.relay.expr import Constant
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import compute_dtype, weighing_dtype
from relayish.numeric.resizing import Samples, find_samples, in_order
from relayish.op.image.resizing import resampling
from relayish.op.image.sampling import WIDTH
from relayish.passes.relay.to_loops.context import Site, ToLoopsCtx
from relayish.passes.relay.to_loops.cropping import Cropping
from relayish.passes.relay.to_loops.elements import Elements, Index, converted
from relayish.passes.relay.to_loops.formulas import computes
from relayish.passes.relay.to_loops.sampling import grid_sample, in_layout
from relayish.tir.ir.operators import Expr, const


@register_handler("loops")
class ImageToLoops(Cropping, domain="image"):
    """Writes resizing: along one axis after the other, as :mod:`relayish.numeric.resizing` does."""

    @computes
    def handle_resize1d(self, site: Site) -> Elements:
        return _resized(site)

    @computes
    def handle_resize2d(self, site: Site) -> Elements:
        return _resized(site)

    @computes
    def handle_resize3d(self, site: Site) -> Elements:
        return _resized(site)

    @computes
    def handle_grid_sample(self, site: Site) -> Elements:
        return grid_sample(site)

    @computes
    def handle_affine_grid(self, site: Site) -> Elements:
        """Take the points of a grid where affine maps take them."""
        maps, dtype = site.args[0], site.result.dtype
        sizes = site.shape[2:]
        if min(sizes) < 2:
            raise site.refuse(f"a grid of {sizes} points has no edges")
        work = str(compute_dtype(numpy_dtype(maps.dtype)))
        if work == "bool":
            raise site.refuse("it counts truth values")
        lines = [
            Constant((np.arange(size) * (WIDTH / (size - 1)) - 1).astype(work)) for size in sizes
        ]
        ctx: ToLoopsCtx = site.context

        def at(index: Index) -> Expr:
            image, row, *place = index
            columns = [converted(maps.at((image, row, const(n))), work) for n in range(3)]
            total = columns[2]
            for axis, line in enumerate(lines):
                total = total + columns[1 - axis] * ctx.constant(line)[place[axis],]
            return converted(total, dtype)

        return Elements(site.shape, dtype, at)


def _resized(site: Site) -> Elements:
    attrs, shape = site.attrs, site.shape
    plain = "NC" + "DHW"[5 - len(shape) :]
    data = in_layout(site, site.kept(0), attrs.layout, plain)
    shape = tuple([shape[str(attrs.layout).index(letter)] for letter in plain])
    dtype = site.result.dtype
    axes, how = resampling(attrs, data.shape[2:], shape[2:], attrs.roi)
    work = weighing_dtype(numpy_dtype(data.dtype))
    for number, axis in in_order(list(enumerate(axes, 2))):
        samples = find_samples(axis, how, work)
        if samples.outside is not None and samples.outside.any():
            raise site.refuse("parts of the result lie outside of the data")
        data = site.context.keep_elements(_along(site, data, number, samples, str(work)), site.hint)
    found = Elements(shape, dtype, lambda index: converted(data.at(index), dtype), data.is_plain)
    return in_layout(site, found, plain, attrs.layout)


def _along(site: Site, data: Elements, axis: int, samples: Samples, work: str) -> Elements:
    """Return elements of an axis of another size: sums of weighed ones, or one of them."""
    ctx: ToLoopsCtx = site.context
    outputs, taps = samples.indices.shape
    places = Constant(samples.indices.astype("int32"))
    weights = None if samples.weights is None else Constant(samples.weights.astype(work))
    shape = (*data.shape[:axis], outputs, *data.shape[axis + 1 :])

    def tap(index: Index, number: int) -> Expr:
        row = (index[axis], np.int32(number))
        place = ctx.constant(places)[row]
        found = data.at((*index[:axis], place, *index[axis + 1 :]))
        return found if weights is None else converted(found, work) * ctx.constant(weights)[row]

    def at(index: Index) -> Expr:
        total = tap(index, 0)
        for number in range(1, taps):
            total = total + tap(index, number)
        return total

    return Elements(shape, data.dtype if weights is None else work, at)
