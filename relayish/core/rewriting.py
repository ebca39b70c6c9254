"""Facts of programs of core, for rules: the types of expressions, which rules have to keep."""

from __future__ import annotations

from relayish.core.ir.family import CoreNode, Expr, Stmt
from relayish.rewriting.rewrite import FACTS
from relayish.rewriting.rule import TypedFacts


@FACTS.register(CoreNode)
class CoreFacts(TypedFacts):
    """What rules may ask of a program of core."""

    expressions = Expr
    statements = Stmt
