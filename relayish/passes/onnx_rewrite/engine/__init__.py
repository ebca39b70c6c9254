"""Rewriting of let chains by local rules, to a fixed point."""

from relayish.passes.onnx_rewrite.engine.rewriter import Rewriter
from relayish.passes.onnx_rewrite.engine.rules import FUNCTIONS, Rule, RuleTable, rule
from relayish.passes.onnx_rewrite.engine.run import rewrite_function, rewrite_module

__all__ = [
    "FUNCTIONS",
    "Rewriter",
    "Rule",
    "RuleTable",
    "rewrite_function",
    "rewrite_module",
    "rule",
]
