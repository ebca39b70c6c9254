"""Functions, under the name of ``tvm.relay.function``."""

from __future__ import annotations

from relayish._support.absent import names_of
from relayish.ir.relay.expr import Function

__all__ = ["Function"]

__getattr__ = names_of(__name__)
