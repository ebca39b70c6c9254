"""Front ends: where programs come from, other than text."""

from __future__ import annotations

from relayish.frontend.scope_builder import ScopeBuilder, ScopeBuilderError

__all__ = ["ScopeBuilder", "ScopeBuilderError"]
