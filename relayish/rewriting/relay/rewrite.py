"""Rewriting of Relay's expressions by rules."""

from __future__ import annotations

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.rewriting.graph import GraphRewriter
from relayish.rewriting.relay.facts import RelayFacts
from relayish.rewriting.rewrite import DRIVERS
from relayish.rewriting.rules import RuleSet


@DRIVERS.register(Expr)
def rewrite_expr(
    rules: RuleSet, root: Expr, mod: IRModule | None, *, keep_order: bool, again: bool
) -> Expr:
    """Return an expression rewritten; see :func:`~relayish.rewriting.rewrite_rules`."""
    facts = RelayFacts(root, mod, keep_order=keep_order)
    image: Expr = GraphRewriter(rules, EXPRESSIONS, facts, again=again).rewrite(root, {})
    return image
