"""The interpreter of the loop IR, over numpy: what other code is compared with."""

from relayish.tir.interpreter.eval_handler import EvaluateExpr
from relayish.tir.interpreter.run import evaluate, run

__all__ = ["EvaluateExpr", "evaluate", "run"]
