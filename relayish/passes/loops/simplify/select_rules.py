"""Selects, both values of which are evaluated: one is dropped only if it cannot fault."""

from __future__ import annotations

from typing import Final

from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.values.literals import is_number
from relayish.tir.ir.operators import Broadcast, Expr, Not, Select
from relayish.tir.rewriting.facts import Facts


def select_same(expr: Select, facts: Facts) -> Expr:
    """``select(c, x, x)`` is ``x``, if ``c`` cannot fault."""
    same = facts.same(expr.true_value, expr.false_value)
    return expr.true_value if same and facts.removable(expr.condition) else expr


def select_truth_value(expr: Select, _: Facts) -> Expr:
    """``select(c, true, false)`` is ``c``, ``select(c, false, true)`` is ``!c``."""
    if not expr.type.is_bool or expr.condition.type != expr.type:
        return expr
    if is_number(expr.true_value, 1) and is_number(expr.false_value, 0):
        return expr.condition
    swapped = is_number(expr.true_value, 0) and is_number(expr.false_value, 1)
    return Not(expr.condition) if swapped else expr


def select_in_all_lanes(expr: Select, _: Facts) -> Expr:
    """A condition that is the same in all lanes is asked once."""
    condition = expr.condition
    if not isinstance(condition, Broadcast) or condition.lanes != expr.type.lanes:
        return expr
    return Select(condition.value, expr.true_value, expr.false_value)


SELECT_RULES: Final = RuleSet.by_key(
    {Select: (select_same, select_truth_value, select_in_all_lanes)}
)
