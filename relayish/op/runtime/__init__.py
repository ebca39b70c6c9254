"""Operators of devices, memory and the virtual machine, and those that mark a place."""

from __future__ import annotations

from relayish.op.runtime import annotation, builders, device, memory, vm

__all__ = ["annotation", "builders", "device", "memory", "vm"]
