"""Padding of tensors whose sizes arguments tell, which no operators of the core express."""

from __future__ import annotations

from typing import Any

from relayish.domain import Handler, register_handler
from relayish.domain.dispatch import Dispatch
from relayish.errors import UnlowerableError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
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
from relayish.tir.ir.operators import Expr, const


@register_handler("loops")
class PaddingToLoops(Handler, domain="nn"):
    """Writes ``nn.pad`` as formulas of elements; ``Lower`` writes all else, if it can."""

    def any_operator(self, visitor: Dispatch, node: Node) -> Any:  # noqa: ARG002 - Any: as the base
        """Refuse what has no method.

        Raises:
            UnlowerableError: Always.
        """
        types = ", ".join([str(each.checked_type) for each in getattr(node, "args", ())])
        raise UnlowerableError(
            f"{quote(node)} cannot be written as loops: Lower leaves it, given ({types}); a "
            f"handler for the task 'loops' can"
        )

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
            return guarded(inside, data.at(tuple(places)), around)

        return Elements(site.shape, dtype, at)
