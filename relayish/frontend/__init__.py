"""Front ends: where programs, and values of their parameters, come from, other than text."""

from __future__ import annotations

from relayish.frontend.param_dict import load_param_dict, save_param_dict
from relayish.frontend.scope_builder import ScopeBuilder, ScopeBuilderError

__all__ = ["ScopeBuilder", "ScopeBuilderError", "load_param_dict", "save_param_dict"]
