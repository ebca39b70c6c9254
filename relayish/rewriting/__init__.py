"""Rewriting by rules: one form of rule, one worklist, for programs of all languages."""

import relayish.rewriting.relay.rewrite  # noqa: F401 - registers what rewrites expressions
from relayish.rewriting.rewrite import DRIVERS, rewrite_rules
from relayish.rewriting.rule import Facts, Rule, Unchanged, rule
from relayish.rewriting.rules import RuleSet

__all__ = ["DRIVERS", "Facts", "Rule", "RuleSet", "Unchanged", "rewrite_rules", "rule"]
