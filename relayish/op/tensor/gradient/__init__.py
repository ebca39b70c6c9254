"""Gradients of the operators on tensors."""

from __future__ import annotations

from relayish._support.import_modules import import_modules

import_modules(__name__)
