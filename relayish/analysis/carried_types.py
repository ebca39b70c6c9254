"""Carried types: whether expressions carry the types that they have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, cast

from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.kinds.one_line import one_line_at
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS


class StaleType(NamedTuple):
    """An expression that carries another type than it has.

    Attributes:
        node: The expression.
        definition: The name of the definition it stands in.
        message: What is wrong with it.
    """

    node: Expr
    definition: str
    message: str


def stale_types(mod: IRModule, typed: IRModule) -> Iterator[StaleType]:
    """Yield the expressions of a module that carry other types than they have.

    Args:
        mod: The module.
        typed: The same with types told anew.

    Complexity:
        Linear in distinct nodes, and in types that differ as objects; no recursion.
    """
    for name, definition in mod.functions_of(Expr).items():
        image = typed[name]
        if image is definition:
            continue
        pairs = zip(EXPRESSIONS.post_order(definition), EXPRESSIONS.post_order(image), strict=True)
        for node, told in pairs:
            if not isinstance(node, Expr) or node.checked_type is None:
                continue
            carried, found = node.checked_type, cast("Expr", told).checked_type
            if carried is found or structural_equal(carried, found, map_free_vars=True):
                continue
            yield StaleType(
                node,
                name.name_hint,
                f"{one_line_at(node)} in @{name.name_hint} carries the type {carried}, but has "
                f"the type {found}; whoever rewrites a node clears its type, as with_fields does",
            )
