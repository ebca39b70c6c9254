"""Loop-invariant expressions: which may be evaluated elsewhere, or again, to the same value."""

from __future__ import annotations

from collections.abc import Collection

from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, has_scopes
from relayish.tir.analysis import Context, Interval, interval_of
from relayish.tir.analysis.facts.faults import may_fault
from relayish.tir.analysis.facts.scopes import assigned_among
from relayish.tir.ir.family import IrNode
from relayish.tir.ir.operators import Expr, IntImm, Minus, integer_of
from relayish.tir.ir.stmt import Let
from relayish.tir.ir.tensor import Var
from relayish.tir.substitution import LOOPS


def literal_value(expr: Expr) -> int | None:
    """Return the integer that an expression is, a literal or the negative of one."""
    if isinstance(expr, Minus) and isinstance(expr.v, IntImm):
        return -expr.v.value
    return integer_of(expr)


def is_invariant(expr: Expr, unstable: Collection[Var] = ()) -> bool:
    """Return whether ``expr`` may be evaluated anywhere its variables are known, or not at all.

    That is where it reads no memory, cannot fail, and calls nothing: arithmetic of variables that
    nothing assigns to.

    Args:
        expr: Any expression.
        unstable: What :func:`unstable_variables` finds in the program.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    known = _NothingKnown()
    return all(_is_invariant_node(node, unstable, known) for node in LOOPS.pre_order(expr))


def unstable_variables(root: IrNode) -> frozenset[Var]:
    """Return the variables that are assigned to, or declared without a value: some have none."""
    nodes = list(PROGRAM.pre_order(root))
    declared = [node.symbol for node in nodes if isinstance(node, Let) and node.body is None]
    return assigned_among(nodes).union(declared)


class _NothingKnown:
    """What holds everywhere, for :func:`~relayish.tir.analysis.facts.faults.may_fault`."""

    def __init__(self) -> None:
        self.context = Context()
        self.arguments: frozenset[Node] = frozenset()
        self.undefined: set[Var] = set()

    def interval(self, expr: Expr) -> Interval:
        return interval_of(expr, self.context)


def _is_invariant_node(node: Node, unstable: Collection[Var], known: _NothingKnown) -> bool:
    kind = type(node)
    if kind is Var:
        return node not in unstable
    if kind.traits_.effect is not Effect.NONE or has_scopes(kind):
        return False
    return not may_fault(node, known)
