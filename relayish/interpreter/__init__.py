"""Evaluating programs by numpy."""

from relayish._support.face import imported_names as _imported_names
from relayish._support.missing import set_finder as _set_finder
from relayish.interpreter.call import evaluate_call
from relayish.interpreter.eval_handler import EvaluateExpr
from relayish.interpreter.evaluate import Interpreter, create_executor, evaluate
from relayish.interpreter.evaluator import EVALUATORS, MATCHERS, Apply, Capture, Run
from relayish.interpreter.graph_executor import GraphExecutor, PlannedFunction
from relayish.interpreter.random_value import random_arguments
from relayish.interpreter.value import (
    Closure,
    ConstructorValue,
    Evaluated,
    RefValue,
    normalise,
    same_value,
)

__all__ = _imported_names(__name__)

_set_finder(__name__)
