"""When a test hangs: nothing here is measured by a clock."""

from __future__ import annotations

from typing import Final

HANGS: Final = 600
"""Seconds after which what a test waits for is taken to hang, however slow and busy the machine."""
