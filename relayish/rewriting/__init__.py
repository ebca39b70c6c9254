"""Rewriting by rules: one form of rule, one worklist, for programs of all languages."""

import relayish.rewriting.relay.calls
import relayish.rewriting.relay.facts  # noqa: F401 - registers what rules may ask of Relay's programs
from relayish.rewriting.rewrite import DRIVERS, FACTS, rewrite_rules
from relayish.rewriting.rule import Facts, Rule, TypedFacts, Unchanged, rule
from relayish.rewriting.rules import RuleSet
from relayish.rewriting.why_not import WhyNot, why_not

__all__ = [
    "DRIVERS",
    "FACTS",
    "Facts",
    "Rule",
    "RuleSet",
    "TypedFacts",
    "Unchanged",
    "WhyNot",
    "rewrite_rules",
    "rule",
    "why_not",
]
