"""Loops as recursive functions, under the names of ``tvm.relay.loops``."""

from __future__ import annotations

from relayish._support.absent import names_of
from relayish.frontend import foreach, while_loop

__all__ = ["foreach", "while_loop"]

__getattr__ = names_of(__name__)
