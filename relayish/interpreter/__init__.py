"""Evaluating programs by numpy."""

from relayish._support.missing import set_finder
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

__all__ = [
    "EVALUATORS",
    "MATCHERS",
    "Apply",
    "Capture",
    "Closure",
    "ConstructorValue",
    "EvaluateExpr",
    "Evaluated",
    "GraphExecutor",
    "Interpreter",
    "PlannedFunction",
    "RefValue",
    "Run",
    "create_executor",
    "evaluate",
    "evaluate_call",
    "normalise",
    "random_arguments",
    "same_value",
]

set_finder(__name__)
