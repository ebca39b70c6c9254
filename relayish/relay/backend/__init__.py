"""Evaluating, under the names of ``tvm.relay.backend``."""

from __future__ import annotations

from relayish._support.absent import names_of
from relayish.relay.backend import interpreter

__all__ = ["interpreter"]

__getattr__ = names_of(__name__)
