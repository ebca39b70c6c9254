"""Evaluation of core: handlers of its operators, and the machine that they run on."""

from relayish.core.interpreter.evaluate import Evaluate
from relayish.core.interpreter.machine import Machine, Returned
from relayish.core.interpreter.memory import Aggregate
from relayish.core.interpreter.run import Interpreter, run

__all__ = ["Aggregate", "Evaluate", "Interpreter", "Machine", "Returned", "run"]
