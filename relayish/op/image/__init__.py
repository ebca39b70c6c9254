"""The operators of image processing; ``op.image.resize2d(x, size=...)`` builds a call."""

from __future__ import annotations

from relayish._support.import_modules import import_modules
from relayish.op.builders.builder import namespace

import_modules(__name__)

__getattr__, __dir__ = namespace("image")
