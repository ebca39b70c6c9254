"""Evaluating programs by numpy."""

from relayish.interpreter.call import evaluate_call
from relayish.interpreter.evaluate import Interpreter, create_executor, evaluate
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
    "Closure",
    "ConstructorValue",
    "Evaluated",
    "GraphExecutor",
    "Interpreter",
    "PlannedFunction",
    "RefValue",
    "create_executor",
    "evaluate",
    "evaluate_call",
    "normalise",
    "random_arguments",
    "same_value",
]
