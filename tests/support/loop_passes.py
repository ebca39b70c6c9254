"""The passes over loops, by the rooms in which they stand."""

from __future__ import annotations

from typing import Final

from relayish.passes import PASSES

LOOP_PASSES: Final = tuple(
    sorted(name for name, module in PASSES.items() if module.startswith("loops."))
)
"""The names of all passes over functions of the loop IR."""
