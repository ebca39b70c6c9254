"""Padding of tensors whose sizes arguments tell, which no operators of the core express."""

from __future__ import annotations

from relayish.passes.relay.to_loops.context import Site
from relayish.passes.relay.to_loops.elements import (
    Elements,
    Index,
    clamped,
    converted,
    guarded,
    within,
)
from relayish.passes.relay.to_loops.formulas import computes
from relayish.passes.relay.to_loops.refusing import Unlowered
from relayish.tir.ir.operators import Expr, const


class PaddingToLoops(Unlowered, domain="nn"):
    """Writes ``nn.pad`` as formulas of elements, where ``Lower`` could not write it by others."""

    @computes
    def handle_pad(self, site: Site) -> Elements:
        """Take an element where there is one, else the number that is put around."""
        data, value = site.args
        if site.attrs.pad_mode != "constant":
            raise site.refuse(f"it pads by {site.attrs.pad_mode!r}")
        first = [int(before) for before, _ in site.attrs.pad_width]
        padded = [bool(before) or bool(after) for before, after in site.attrs.pad_width]
        dtype = site.result.dtype

        def at(index: Index) -> Expr:
            places = [
                place - before if before else place
                for place, before in zip(index, first, strict=True)
            ]
            axes = [axis for axis, is_padded in enumerate(padded) if is_padded]
            inside = [within(places[axis], data.shape[axis]) for axis in axes]
            for axis in axes:
                places[axis] = clamped(places[axis], data.shape[axis])
            around = converted(value.at((const(0),) * len(value.shape)), dtype)
            if 0 in data.shape:  # all is put around
                return around
            return guarded(inside, data.at(tuple(places)), around)

        return Elements(site.shape, dtype, at)
