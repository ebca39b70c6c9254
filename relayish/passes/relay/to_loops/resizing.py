"""Resizing as loops: where new elements lie, and what they weigh, stands in tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.domain import Handler, register_handler
from relayish.domain.dispatch import Dispatch
from relayish.errors import UnlowerableError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Constant
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import weighing_dtype
from relayish.numeric.resizing import Samples, find_samples, in_order
from relayish.op.image.resizing import resampling
from relayish.passes.relay.to_loops.context import Site, ToLoopsCtx
from relayish.passes.relay.to_loops.elements import Elements, Index, converted
from relayish.passes.relay.to_loops.formulas import computes
from relayish.tir.ir.operators import Expr


@register_handler("loops")
class ImageToLoops(Handler, domain="image"):
    """Writes resizing: along one axis after the other, as :mod:`relayish.numeric.resizing` does."""

    def any_operator(self, visitor: Dispatch, node: Node) -> Any:  # noqa: ARG002 - Any: as the base
        """Refuse what has no method.

        Raises:
            UnlowerableError: Always.
        """
        raise UnlowerableError(
            f"{quote(node)} cannot be written as loops: where it looks is told by its data"
        )

    @computes
    def handle_resize1d(self, site: Site) -> Elements:
        return _resized(site)

    @computes
    def handle_resize2d(self, site: Site) -> Elements:
        return _resized(site)

    @computes
    def handle_resize3d(self, site: Site) -> Elements:
        return _resized(site)


def _resized(site: Site) -> Elements:
    attrs, shape = site.attrs, site.shape
    if not str(attrs.layout).startswith("NC") or len(attrs.layout) != len(shape):
        raise site.refuse(f"it is in the layout {attrs.layout}; convert it to NC... first")
    data: Elements = site.kept(0)
    dtype = site.result.dtype
    axes, how = resampling(attrs, data.shape[2:], shape[2:], attrs.roi)
    work = weighing_dtype(numpy_dtype(data.dtype))
    for number, axis in in_order(list(enumerate(axes, 2))):
        samples = find_samples(axis, how, work)
        if samples.outside is not None and samples.outside.any():
            raise site.refuse("parts of the result lie outside of the data")
        data = site.context.keep_elements(_along(site, data, number, samples, str(work)), site.hint)
    return Elements(shape, dtype, lambda index: converted(data.at(index), dtype), data.is_plain)


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
