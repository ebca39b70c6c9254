"""Evaluation while compiling: what expressions of Relay give, where that is known."""

from __future__ import annotations

from typing import Any

from relayish.domain.dispatch import Dispatch
from relayish.domain.handler import DefaultHandler
from relayish.interpreter.evaluate import evaluate
from relayish.ir.relay.expr import Expr, Function
from relayish.ir.scopes.scoping import free_variables


class EvaluateExpr(DefaultHandler):
    """The handler of Relay's domains for :class:`~relayish.domain.EvalCtx`: asks the interpreter.

    It evaluates whole expressions: ``EvaluateExpr("relay")`` those of Relay's core, and
    ``EvaluateExpr("nn")`` calls of that family, whatever is below them.

    Example:
        >>> import relayish as relay
        >>> from relayish.domain import EvalCtx, Visitor
        >>> x, y = relay.var("x"), relay.var("y")
        >>> ctx = EvalCtx({x: 3.0})
        >>> visitor = Visitor(ctx, EvaluateExpr("relay"))
        >>> ctx.value_of(visitor, x * relay.const(2.0)), ctx.value_of(visitor, x + y)
        (np.float32(6.0), UNKNOWN)
    """

    def any_operator(self, visitor: Dispatch, node: Any) -> Any:  # Any: a value of Relay
        """Return the value of an expression."""
        context = visitor.context
        if not isinstance(node, Expr):
            return context.refuse(node)
        free: Any = free_variables(node)  # Any: variables of Relay
        values = [context.load(variable) for variable in free]
        if free == (node,):
            return values[0]
        return evaluate(Function(free, node), args=values)
