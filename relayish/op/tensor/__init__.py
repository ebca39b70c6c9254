"""Operators on tensors: the families that Relay has without a prefix."""

from __future__ import annotations

from relayish._support.import_modules import import_modules
from relayish.op.builders.builder import namespace

import_modules(__name__)

__getattr__, __dir__ = namespace("")
