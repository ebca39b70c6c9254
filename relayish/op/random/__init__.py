"""The operators that draw random numbers; ``op.random.uniform(key, low, high)`` builds a call."""

from __future__ import annotations

from relayish.op.builders.builder import namespace
from relayish.op.random import operators, threefry
from relayish.op.random.operators import threefry_key

__all__ = ["operators", "threefry", "threefry_key"]

__getattr__, __dir__ = namespace("random")
