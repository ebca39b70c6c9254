"""Lowering of Relay's core: tuples that were made meanwhile are taken apart."""

from __future__ import annotations

from typing import Final, cast

from relayish.analysis.evaluation_order import EvaluationOrder
from relayish.domain import DefaultHandler, register_handler
from relayish.domain.dispatch import Dispatch
from relayish.ir.domains.domain import Domain
from relayish.ir.relay.expr import Expr, Function, Tuple, TupleGetItem
from relayish.ir.relay.function_attributes import has_compiler, is_composite


@register_handler("lower")
class LowerRelay(DefaultHandler, domain="relay"):
    """Rebuilds Relay's core around what other domains lower.

    Source:
        AIR ``CORE_LOWER``.
    """

    def __init__(self, domain: str | Domain | None = None) -> None:
        super().__init__(domain)
        self.order: Final = EvaluationOrder()

    def handle_function(self, visitor: Dispatch, node: Function) -> Expr:
        """Leave what another compiler owns, or a pattern was cut out for, as it is."""
        if has_compiler(node) or is_composite(node):
            return node
        rebuilt: Expr = visitor.visit_by_default(node)
        return rebuilt

    def handle_tuple_getitem(self, visitor: Dispatch, node: TupleGetItem) -> Expr:
        """Return the field where the tuple was made while lowering, and the others do not act."""
        image = cast("TupleGetItem", visitor.visit_by_default(node))
        made = image.tuple_value
        if made is node.tuple_value or type(made) is not Tuple or type(node.tuple_value) is Tuple:
            return image
        others = [f for place, f in enumerate(made.fields) if place != image.index]
        return image if self.order.order_dependent(others) else made.fields[node.index]
