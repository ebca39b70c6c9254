"""Expressions that primitives write: tidy where that is the same value."""

from __future__ import annotations

from relayish.dataflow.lattice.interval import Interval
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.facts.effects import effect_of
from relayish.tir.analysis.facts.faults import may_fault
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.linear.linear_form import expr_of_form, linear_form
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Load, Var


def tidy(expr: Expr) -> Expr:
    """Return an integer with its sums collected and its numbers folded; its value is the same."""
    if not expr.type.is_integer:
        return expr
    return expr_of_form(linear_form(expr), expr.type)


class _Known:
    """Tells fault rules what is known where an expression is evaluated, of memory nothing."""

    arguments: frozenset[Node] = frozenset()

    def __init__(self, context: Context) -> None:
        self.context = context
        self.undefined: set[Var] = set()

    def interval(self, expr: Expr) -> Interval:
        """Return where the elements of an integer expression lie."""
        return interval_of(expr, self.context)


def is_fixed(expr: Expr, context: Context) -> bool:
    """Return whether an expression may be evaluated any time.

    It reads no memory and no variable that something assigns, and never fails.
    """
    known = _Known(context)
    return not any(
        isinstance(each, Load)
        or each in context.assigned
        or bool(effect_of(each))
        or may_fault(each, known)
        for each in PROGRAM.pre_order(expr)
    )
