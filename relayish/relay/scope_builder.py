"""Building statement by statement, under the name of ``tvm.relay.scope_builder``."""

from __future__ import annotations

from relayish._support.absent import names_of
from relayish.frontend import ScopeBuilder

__all__ = ["ScopeBuilder"]

__getattr__ = names_of(__name__)
