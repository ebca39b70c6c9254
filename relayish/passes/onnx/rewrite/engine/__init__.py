"""Rewriting of functions of ONNX by local rules, to a fixed point."""

from relayish.passes.onnx.rewrite.engine.rewriter import Rewriter
from relayish.passes.onnx.rewrite.engine.rules import FUNCTIONS, OnnxRules, rule
from relayish.passes.onnx.rewrite.engine.run import rewrite_function, rewrite_module

__all__ = [
    "FUNCTIONS",
    "OnnxRules",
    "Rewriter",
    "rewrite_function",
    "rewrite_module",
    "rule",
]
