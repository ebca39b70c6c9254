"""Loops as recursive functions, under the names of ``tvm.relay.loops``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.frontend import foreach, while_loop

__all__ = ["foreach", "while_loop"]

set_finder(__name__)
