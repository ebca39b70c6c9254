"""Lowering of scheduled functions to what is compiled: no blocks, and loops unrolled as marked."""

from __future__ import annotations

from relayish.passes.loops.simplify.simplify import simplify
from relayish.passes.loops.simplify.simplify_for_loops import simplify_for_loops
from relayish.passes.loops.structure.remove_schedule_block import remove_schedule_block
from relayish.passes.loops.structure.unroll_loop import unroll_loop
from relayish.tir.ir.function import LoweredFunc


def finished(func: LoweredFunc) -> LoweredFunc:
    """Return a function that was scheduled, as it is compiled."""
    plain = simplify(simplify_for_loops(remove_schedule_block(func)))
    return simplify(unroll_loop(plain))
