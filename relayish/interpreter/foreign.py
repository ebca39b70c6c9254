"""Functions of other languages that Relay's programs call, and Relay's as others call them."""

from __future__ import annotations

import inspect
from typing import Any

from relayish.domain.evaluation import HandlerEvaluator
from relayish.domain.handler import Handler
from relayish.domain.tasks import register_filler, register_handler
from relayish.interpreter.eval_handler import EvaluateExpr
from relayish.interpreter.evaluate import evaluate
from relayish.interpreter.evaluator import EVALUATORS, EvaluationSteps
from relayish.interpreter.value import Evaluated
from relayish.ir.kinds.callables import CALLABLES, Callee, ForeignCall
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr
from relayish.ir.scopes.scoping import operands


def callee_of(_definition: Expr, name: str, mod: AnyModule) -> Callee:
    """Return a definition of Relay as a function of values."""

    def call(*values: Evaluated) -> Evaluated:
        return evaluate(mod.get_global_var(name), mod, values)  # type: ignore[arg-type]  # Relay's

    return call


CALLABLES.register(Expr, ForeignCall(callee_of))


def _enter_evaluator(kind: type[Node], handler: type[Handler], method: str) -> None:
    evaluator = HandlerEvaluator(handler, method)

    def in_steps(node: Node, *values: Evaluated) -> EvaluationSteps:
        found = yield from evaluator(node, operands(node), values)
        return found

    def at_once(node: Node, *values: Evaluated) -> Evaluated:
        return evaluator(node, operands(node), values)

    made: Any = in_steps if inspect.isgeneratorfunction(evaluator.method) else at_once
    made.__module__ = handler.__module__
    made.__qualname__ = f"{handler.__qualname__}.{method}"
    EVALUATORS.register(kind, made)


register_filler("evaluate", Expr, _enter_evaluator)


@register_handler("evaluate", is_view=True)
class Evaluate(EvaluateExpr, domain="relay"):
    """Evaluates expressions of Relay that stand in programs of other domains."""
