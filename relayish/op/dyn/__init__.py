"""Operators whose shapes come as arguments; ``op.dyn.reshape(x, shape)`` builds a call."""

from __future__ import annotations

from relayish._support.import_modules import import_modules
from relayish.op.builders.builder import namespace

import_modules(__name__)

__getattr__, __dir__ = namespace("dyn")
