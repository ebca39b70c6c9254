"""Simplification rules, all together; packages add theirs."""

from __future__ import annotations

from typing import Final

from relayish.passes.loops.simplify.arithmetic_rules import ARITHMETIC_RULES
from relayish.passes.loops.simplify.cast_rules import CAST_RULES
from relayish.passes.loops.simplify.division_rules import DIVISION_RULES
from relayish.passes.loops.simplify.extremum_rules import EXTREMUM_RULES
from relayish.passes.loops.simplify.fold_rules import FOLD_RULES
from relayish.passes.loops.simplify.logic_rules import LOGIC_RULES
from relayish.passes.loops.simplify.select_rules import SELECT_RULES
from relayish.passes.loops.simplify.vector_rules import VECTOR_RULES
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.values.literals import make_literal
from relayish.tir.ir.operators import BinaryOpNode, Cast, Expr, NaryOpNode, Select, UnaryOpNode
from relayish.tir.ir.tensor import Var
from relayish.tir.rewriting.facts import Facts
from relayish.tir.rewriting.walk import REPLACE_DROPPED


def replace_known(expr: Expr, facts: Facts) -> Expr:
    """Return the literal of the only value that a scalar integer can have, if it cannot fault."""
    if expr.type.lanes != 1 or not expr.type.is_integer:
        return expr
    found = facts.interval(expr)
    return make_literal(found.low, expr.type) if found.is_point and facts.removable(expr) else expr


KNOWN_RULES: Final = RuleSet.by_key(
    dict.fromkeys((Var, BinaryOpNode, UnaryOpNode, NaryOpNode, Cast, Select), (replace_known,))
)

SIMPLIFICATIONS: Final = RuleSet(
    [
        REPLACE_DROPPED,
        FOLD_RULES,
        VECTOR_RULES,
        CAST_RULES,
        LOGIC_RULES,
        SELECT_RULES,
        EXTREMUM_RULES,
        DIVISION_RULES,
        ARITHMETIC_RULES,
        KNOWN_RULES,
    ],
    "relayish.passes.loops.simplify.rules.SIMPLIFICATIONS",
)
"""How expressions of the loop IR are simplified; packages register what their kinds are."""
