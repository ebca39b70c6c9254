"""Operators of devices, memory and the virtual machine, and those that mark a place."""

from __future__ import annotations

from relayish._support.import_modules import import_modules

import_modules(__name__)
