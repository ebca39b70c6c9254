"""Declarations inside expressions: what declares variables for all that stands behind it."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.nodes.getters import is_declaration
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import outer_operands


def find_declaring(order: Sequence[Node]) -> frozenset[Node]:
    """Return the nodes that declare variables for what stands behind them, in the scope of both.

    These are declarations, and all that has one among its operands, or the operands of these. Such
    a node may be pure; it is neither dropped nor moved as long as something needs the variables.

    Args:
        order: All nodes of a program, children before parents.

    Complexity:
        Linear in kinds where no kind is a declaration, else in nodes and edges; no recursion.
    """
    kinds = set(map(type, order))
    declarations = {kind for kind in kinds if is_declaration(kind)}
    if not declarations:
        return frozenset()
    found: set[Node] = set()
    for node in order:
        if type(node) in declarations or not found.isdisjoint(outer_operands(node)):
            found.add(node)
    return frozenset(found)
