"""Rules of simplification: small functions from an expression to an equal one, by kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from relayish.ir.node import Node, lineage
from relayish.ir.traversal import ByKind
from relayish.passes.loop_simplify.facts import Facts
from relayish.tir.ir.operators import Expr

Rule: TypeAlias = Callable[[Any, Facts], Expr]  # Any: expressions of the kind it is for
"""``rule(expr, facts)``: an expression that has the same value and does the same, or ``expr``.

What is below ``expr`` has been simplified. What a rule returns is simplified again, so rules lead
to ever simpler expressions, and never in a circle.
"""

Rules: TypeAlias = Mapping[type[Node], tuple[Rule, ...]]
"""Rules by kind, or by family: these serve all its kinds."""


def combine_rules(*several: Rules) -> Rules:
    """Return the rules of ``several`` tables, in that order."""
    found: dict[type[Node], tuple[Rule, ...]] = {}
    for rules in several:
        for kind, given in rules.items():
            found[kind] = (*found.get(kind, ()), *given)
    return found


def rules_by_kind(rules: Rules) -> ByKind:
    """Return the table from each kind to its rules, before those of its families."""
    return ByKind(
        lambda kind: tuple([rule for base in lineage(kind) for rule in rules.get(base, ())])
    )
