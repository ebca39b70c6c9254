"""Networks as loops: the operators that ``Lower`` did not write by those of Relay's core."""

from __future__ import annotations

from math import prod

from relayish.domain import register_handler
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import compute_dtype, is_whole, weighing_dtype
from relayish.op.nn.windows import sides
from relayish.passes.relay.to_loops.context import Site
from relayish.passes.relay.to_loops.elements import Elements, Index, converted
from relayish.passes.relay.to_loops.formulas import computes, reduced
from relayish.passes.relay.to_loops.movement import regrouped
from relayish.passes.relay.to_loops.ordering import cast_elements
from relayish.passes.relay.to_loops.sampling import in_layout, linear_taps, weighed
from relayish.passes.relay.to_loops.sparse import SparseToLoops
from relayish.tir.builders.expr import select
from relayish.tir.ir.flags import ReduceType
from relayish.tir.ir.operators import Cast, Div, Expr, const
from relayish.tir.ir.type import as_type


@register_handler("loops")
class NetworksToLoops(SparseToLoops, domain="nn"):
    """Pads, convolves where offsets say, and refuses the rest for the reasons of lowering."""

    @computes
    def handle_deformable_conv2d(self, site: Site) -> Elements:
        """Sum products of what is found where the elements of windows are moved to."""
        attrs, result = site.attrs, site.result
        plain, kinds = str(attrs.data_layout), str(attrs.kernel_layout)
        data = in_layout(site, site.kept(0), plain, "NCHW")
        moves = in_layout(site, site.kept(1), plain, "NCHW")
        kernel = in_layout(site, site.kept(2), kinds, "OIHW")
        if str(attrs.out_layout) not in ("", plain):
            raise site.refuse(f"its result is in the layout {attrs.out_layout}")
        groups, parts = int(attrs.groups), int(attrs.deformable_groups)
        channels = data.shape[1]
        if groups > 1 and kernel.shape[0] == groups == channels:  # held as that of each channel
            kernel = regrouped(kernel, (prod(kernel.shape[:2]), 1, *kernel.shape[2:]))
        inner, *window = kernel.shape[1:]
        if channels != inner * groups:
            raise site.refuse(f"its kernel is of {inner * groups} channels, its data of {channels}")
        for dtype in (result.dtype, moves.dtype):
            if is_whole(numpy_dtype(dtype)):
                raise site.refuse(f"it weighs elements of {dtype} by fractions")
        before = [first for first, _ in sides(attrs.padding, 2)]
        work = str(weighing_dtype(numpy_dtype(data.dtype)))
        places = str(compute_dtype(numpy_dtype(moves.dtype)))
        shape = tuple([site.shape[plain.index(letter)] for letter in "NCHW"])

        def body(index: Index, within_it: Index) -> Expr:
            image, output, *where = index
            channel, *element = within_it
            seen = Div(output, const(shape[1] // groups)) * inner + channel
            part = Div(seen, const(channels // parts))
            tap = part * prod(window) + element[0] * window[1] + element[1]
            taps = []
            for axis in (0, 1):
                step = where[axis] * int(attrs.strides[axis])
                start = step + element[axis] * int(attrs.dilation[axis]) - int(before[axis])
                moved = converted(moves.at((image, tap * 2 + axis, *where)), places)
                at = Cast(as_type(places), start) + moved
                beyond = const(float("nan"), places)
                taps.append(linear_taps(select(at >= const(0.0, places), at, beyond)))
            found = weighed(data, (image, seen), taps, work)
            return found * converted(kernel.at((output, *within_it)), work)

        sizes = [inner, *window]
        total = reduced(site, ReduceType.SUM, const(0.0, work), shape, sizes, body)
        return in_layout(site, cast_elements(total, result.dtype), "NCHW", plain)
