"""Candidates of common-subexpression elimination: which expressions a variable may stand for."""

from __future__ import annotations

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import has_scopes, operands
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Alloc, Block, For, PolyFor, ScheduleBlockRealize
from relayish.tir.rewriting.attribute import VALUES


def roots_of(stmt: Node) -> tuple[Expr, ...]:
    """Return the operands of a statement whose parts may be declared before it."""
    if isinstance(stmt, (For, PolyFor, ScheduleBlockRealize, Alloc, Block)):
        return ()
    held = operands(stmt)
    return tuple(
        [root for root in VALUES.children(stmt) if isinstance(root, Expr) and root in held]
    )


def is_worth_it(node: Node) -> bool:
    """Return whether a value is worth a variable: what is computed or loaded, a number."""
    kind = type(node)
    if VALUES.push[kind] is None or has_scopes(kind) or not isinstance(node, Expr):
        return False
    return node.type.lanes == 1 and node.type.is_numeric
