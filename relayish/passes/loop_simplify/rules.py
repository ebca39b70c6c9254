"""All rules of simplification, and how packages add theirs."""

from __future__ import annotations

from typing import Final

from relayish.ir.kind_table import KindTable
from relayish.ir.node import Node, lineage
from relayish.passes.loop_simplify.arithmetic_rules import ARITHMETIC_RULES
from relayish.passes.loop_simplify.cast_rules import CAST_RULES
from relayish.passes.loop_simplify.division_rules import DIVISION_RULES
from relayish.passes.loop_simplify.extremum_rules import EXTREMUM_RULES
from relayish.passes.loop_simplify.facts import Facts
from relayish.passes.loop_simplify.fold_rules import FOLD_RULES
from relayish.passes.loop_simplify.logic_rules import LOGIC_RULES
from relayish.passes.loop_simplify.rule import Rule, Rules, combine_rules, rules_by_kind
from relayish.passes.loop_simplify.select_rules import SELECT_RULES
from relayish.passes.loop_simplify.vector_rules import VECTOR_RULES
from relayish.tir.analysis.literals import make_literal
from relayish.tir.ir.operators import (
    BinaryOpNode,
    Cast,
    ComparisonNode,
    Expr,
    NaryOpNode,
    PredicateNode,
    Select,
    UnaryOpNode,
)
from relayish.tir.ir.tensor import Var


def replace_known(expr: Expr, facts: Facts) -> Expr:
    """Return the literal of the only value that a scalar integer can have, if it cannot fault."""
    if expr.type.lanes != 1 or not expr.type.is_integer:
        return expr
    found = facts.interval(expr)
    return make_literal(found.low, expr.type) if found.is_point and facts.removable(expr) else expr


KNOWN_RULES: Final[Rules] = dict.fromkeys(
    (Var, BinaryOpNode, UnaryOpNode, NaryOpNode, Cast, Select), (replace_known,)
)

_RULES: Final = rules_by_kind(
    combine_rules(
        FOLD_RULES,
        VECTOR_RULES,
        CAST_RULES,
        LOGIC_RULES,
        SELECT_RULES,
        EXTREMUM_RULES,
        DIVISION_RULES,
        ARITHMETIC_RULES,
        KNOWN_RULES,
    )
)
_FAMILIES: Final = (Node, UnaryOpNode, BinaryOpNode, PredicateNode, ComparisonNode, NaryOpNode)

SIMPLIFICATIONS: Final[KindTable[tuple[Rule, ...]]] = KindTable(
    "simplification",
    "relayish.passes.loop_simplify.rules.register_simplification",
    {kind: _RULES[kind] for kind in (*_FAMILIES, *Expr.kinds)},
)
"""By kind; a kind that is not here has the rules of its family."""


def register_simplification(kind: type[Expr], rule: Rule, *, replace: bool = False) -> Rule:
    """Add how expressions of class ``kind`` are simplified by ``Simplify``, to what its family has.

    Args:
        kind: A kind of expressions, or a family.
        rule: See :data:`~relayish.passes.loop_simplify.rule.Rule`.
        replace: Take the place of the rules that there are.

    Raises:
        DuplicateNameError: If somebody else said that already and ``replace`` is false.
    """
    family = next(base for base in lineage(kind) if base is not kind and base in SIMPLIFICATIONS)
    rules = (*SIMPLIFICATIONS[family], rule)
    SIMPLIFICATIONS.register(kind, rules, replace=replace, by=rule)
    return rule
