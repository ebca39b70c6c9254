"""The operators of neural networks; ``op.nn.relu(x)`` builds a call of ``nn.relu``."""

from __future__ import annotations

from relayish._support.import_modules import import_modules
from relayish.op.builders.builder import namespace

import_modules(__name__)

__getattr__, __dir__ = namespace("nn")
