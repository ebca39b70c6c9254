"""The operators that draw random numbers; ``op.random.uniform(key, low, high)`` builds a call."""

from __future__ import annotations

from relayish._support.import_modules import import_modules
from relayish.op.builders.builder import namespace
from relayish.op.random.operators import threefry_key

__all__ = ["threefry_key"]

import_modules(__name__)

__getattr__, __dir__ = namespace("random")
