"""The handlers that write Relay's expressions as loops, and what is registered for the task."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from relayish.domain import register_handler
from relayish.domain.dispatch import Dispatch
from relayish.ir.relay.expr import Constant, Tuple, TupleGetItem, Var
from relayish.passes.relay.to_loops.context import ToLoopsCtx
from relayish.passes.relay.to_loops.elements import Elements
from relayish.passes.relay.to_loops.formulas import literal
from relayish.passes.relay.to_loops.refusing import Refusing
from relayish.passes.relay.to_loops.spectra import Spectra


@register_handler("loops")
class RelayToLoops(Spectra, Refusing, domain="relay"):
    """Writes Relay's tensor operators as formulas of elements.

    An operator without a method is refused; a target of its own derives from this class and
    overrides in part.
    """

    reasons: ClassVar[dict[str, str]] = {
        "argwhere": "how many places it finds is known when it runs only",
        "debug": "it calls a function of Python",
        "meta_schedule_layout_transform": "its index map is an object of another compiler",
        "sparse_fill_empty_rows": "how many rows it fills is known when it runs only",
        "sparse_reshape": "which shape it gives is known when it runs only",
    }

    def handle_var(self, visitor: Dispatch, node: Var) -> Any:
        """Take what the function is given: a tensor, or each field of a tuple of these."""
        ctx: ToLoopsCtx = visitor.context
        return ctx.input(node)

    def handle_constant(self, visitor: Dispatch, node: Constant) -> Elements:
        """Write a number as it is; an array is given to the function that reads of it."""
        ctx: ToLoopsCtx = visitor.context
        data = np.asarray(node.data)
        dtype = str(data.dtype)
        if data.size != 1:
            return Elements(data.shape, dtype, lambda i: ctx.constant(node)[i], is_plain=True)
        number = literal(data.reshape(-1)[0].item(), dtype)
        return Elements(data.shape, dtype, lambda _: number, is_plain=True)

    def handle_tuple(self, visitor: Dispatch, node: Tuple) -> tuple[Any, ...]:
        ctx: ToLoopsCtx = visitor.context
        return tuple([ctx.elements(visitor, field) for field in node.fields])

    def handle_tuple_getitem(self, visitor: Dispatch, node: TupleGetItem) -> Any:
        ctx: ToLoopsCtx = visitor.context
        return ctx.elements(visitor, node.tuple_value)[node.index]
