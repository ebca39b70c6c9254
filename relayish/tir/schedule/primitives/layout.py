"""Primitives of layouts: elements stored in another order, and sizes padded to multiples."""

from __future__ import annotations

from relayish.tir.schedule.steps import Steps


class LayoutSteps(Steps):
    """Methods that change how arrays lie in memory."""
