"""Loop-invariant expressions: which may be evaluated elsewhere, or again, to the same value."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from relayish.ir.effect import Effect
from relayish.ir.node import Node
from relayish.ir.scoping import has_scopes
from relayish.tir.ir.operators import (
    Broadcast,
    Cast,
    Div,
    Expr,
    FracOp,
    IntImm,
    Minus,
    Mod,
    UIntImm,
)
from relayish.tir.ir.tensor import Var
from relayish.tir.substitution import LOOPS

_MAY_FAULT: Final = frozenset({Div, Mod, FracOp, Cast})


def literal_value(expr: Expr) -> int | None:
    """Return the integer that an expression is, a literal or the negative of one."""
    if isinstance(expr, (IntImm, UIntImm)):
        return expr.value
    if isinstance(expr, Minus) and isinstance(expr.v, IntImm):
        return -expr.v.value
    return None


def is_invariant(expr: Expr, assigned: Collection[Var] = ()) -> bool:
    """Return whether ``expr`` may be evaluated anywhere its variables are known, or not at all.

    That is where it reads no memory, cannot fail, and calls nothing: arithmetic of variables that
    nothing assigns to.

    Args:
        expr: Any expression.
        assigned: The variables that are stored to.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    return all(_is_invariant_node(node, assigned) for node in LOOPS.pre_order(expr))


def _is_invariant_node(node: Node, assigned: Collection[Var]) -> bool:
    kind = type(node)
    if kind is Var:
        return node not in assigned
    if kind.traits_.effect is not Effect.NONE or has_scopes(kind):
        return False
    return kind not in _MAY_FAULT or not may_fault(node)


def may_fault(node: Node) -> bool:
    """Return whether evaluating ``node`` itself may end in an error: a division, or a cast."""
    if isinstance(node, Cast):
        return node.v.type.is_float and not node.dtype.is_float and not node.dtype.is_bool
    if isinstance(node, FracOp):
        return not node.type.is_float
    if isinstance(node, (Div, Mod)):
        return not node.type.is_float and not _is_nonzero(node.b)
    return False


def _is_nonzero(expr: Expr) -> bool:
    if isinstance(expr, Broadcast):
        expr = expr.value
    return isinstance(expr, (IntImm, UIntImm)) and expr.value != 0
