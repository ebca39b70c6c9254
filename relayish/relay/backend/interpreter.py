"""Values of programs, under the names of ``tvm.relay.backend.interpreter``."""

from __future__ import annotations

from relayish._support.absent import names_of
from relayish.interpreter import Closure, ConstructorValue, Interpreter, RefValue
from relayish.relay.build_module import Executor

__all__ = ["Closure", "ConstructorValue", "Executor", "Interpreter", "RefValue"]

__getattr__ = names_of(__name__)
