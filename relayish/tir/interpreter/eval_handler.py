"""Evaluation while compiling: what expressions of the loop IR give, where that is known."""

from __future__ import annotations

from typing import Any

from relayish.domain.dispatch import Dispatch
from relayish.domain.handler import DefaultHandler
from relayish.ir.replacing import with_evaluated
from relayish.ir.scoping import has_scopes, operands
from relayish.tir.interpreter.run import evaluate
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var


class EvaluateExpr(DefaultHandler, domain="tir"):
    """The handler of the loop IR for :class:`~relayish.domain.EvalCtx`.

    Values are those that :func:`relayish.tir.evaluate` gives. What has effects, or reads memory,
    has none that is known.
    """

    def handle_var(self, visitor: Dispatch, node: Var) -> Any:  # Any: a number
        """Return what the context says of a variable."""
        return visitor.context.load(node)

    def handle_expr(self, visitor: Dispatch, node: Expr) -> Any:  # Any: a number, or of lanes
        """Return what an operator gives for the values of its operands."""
        if node.traits_.effect or has_scopes(type(node)) or not node.type.is_numeric:
            return visitor.context.refuse(node)
        held: Any = operands(node)  # Any: expressions
        names = [Var(f"v{index}", operand.type) for index, operand in enumerate(held)]
        values = {name: visitor.visit(each) for name, each in zip(names, held, strict=True)}
        return evaluate(with_evaluated(node, names, ()), values)
