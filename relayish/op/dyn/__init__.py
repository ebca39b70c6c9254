"""Operators whose shapes come as arguments; ``op.dyn.reshape(x, shape)`` builds a call."""

from __future__ import annotations

from relayish.op.builders.builder import namespace
from relayish.op.dyn import operators, result_size, types

__all__ = ["operators", "result_size", "types"]

__getattr__, __dir__ = namespace("dyn")
