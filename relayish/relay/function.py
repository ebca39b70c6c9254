"""Functions, under the name of ``tvm.relay.function``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.ir.relay.expr import Function

__all__ = ["Function"]

set_finder(__name__)
