"""Values of programs, under the names of ``tvm.relay.backend.interpreter``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.interpreter import Closure, ConstructorValue, Interpreter, RefValue
from relayish.relay.build_module import Executor

__all__ = ["Closure", "ConstructorValue", "Executor", "Interpreter", "RefValue"]

set_finder(__name__)
