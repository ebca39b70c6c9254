"""Names of ``tvm.contrib`` and ``tvm.relay.op.contrib``: pattern tables of other compilers."""

from __future__ import annotations

from relayish._support.absent import set_finder
from relayish.op.contrib import get_pattern_table, register_pattern_table

__all__ = ["get_pattern_table", "register_pattern_table"]

__path__: list[str] = []  # for the names of modules within that TVM has

set_finder(__name__)
