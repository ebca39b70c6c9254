"""The interpreter of the loop IR, over numpy: what other code is compared with."""

from relayish.tir.interpreter.run import evaluate, run

__all__ = ["evaluate", "run"]
