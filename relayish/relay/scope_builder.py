"""Building statement by statement, under the name of ``tvm.relay.scope_builder``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.frontend import ScopeBuilder

__all__ = ["ScopeBuilder"]

set_finder(__name__)
