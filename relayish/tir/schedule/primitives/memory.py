"""Primitives of memory: where it is, how much there is, and when threads wait for each other."""

from __future__ import annotations

from relayish.tir.schedule.steps import Steps


class MemorySteps(Steps):
    """Methods that say where memory is."""
