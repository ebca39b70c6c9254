"""Pattern tables of other compilers."""

from __future__ import annotations

from relayish._support.missing import set_finder
from relayish.op.contrib.register import get_pattern_table, register_pattern_table

__all__ = ["get_pattern_table", "register_pattern_table"]

set_finder(__name__)
