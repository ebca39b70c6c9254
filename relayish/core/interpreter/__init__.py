"""Evaluation of core: handlers of its operators, and the machine that they run on."""

from relayish.core.interpreter.evaluate import Evaluate, EvaluateExpr
from relayish.core.interpreter.fold import FoldCtx
from relayish.core.interpreter.machine import Machine, Returned
from relayish.core.interpreter.memory import Aggregate
from relayish.core.interpreter.run import Interpreter, run

__all__ = [
    "Aggregate",
    "Evaluate",
    "EvaluateExpr",
    "FoldCtx",
    "Interpreter",
    "Machine",
    "Returned",
    "run",
]
