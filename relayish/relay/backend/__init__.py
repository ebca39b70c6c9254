"""Evaluating, under the names of ``tvm.relay.backend``."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.relay.backend import interpreter

__all__ = ["interpreter"]

set_finder(__name__)
