"""Errors under the names of ``tvm.error``, by which scripts catch them."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.errors import DiagnosticError, OperatorError, RelayishError, TVMError

__all__ = ["DiagnosticError", "OperatorError", "RelayishError", "TVMError"]

__path__: list[str] = []  # for the names of modules within that TVM has

set_finder(__name__)
