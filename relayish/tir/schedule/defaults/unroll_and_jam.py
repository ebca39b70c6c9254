"""The schedule ``unroll_and_jam``: iterations of a loop around a parallel one run within that."""

from __future__ import annotations

from typing import Final

from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.stmt import For
from relayish.tir.ir.tensor import Store
from relayish.tir.plain_loops import statements, without_blocks
from relayish.tir.schedule.handles import LoopRV
from relayish.tir.schedule.nests import only
from relayish.tir.schedule.rules import register_schedule
from relayish.tir.schedule.schedule import Schedule

MOST: Final = 12
"""How many statements stand in a loop in the end: each reads something else, into a register."""

SHORTEST: Final = 4
"""How often a loop runs at least for others to be jammed into it."""


@register_schedule("unroll_and_jam", targets=("c",))
def unroll_and_jam(schedule: Schedule, *, most: int = MOST) -> None:
    """Run iterations of a loop around a parallel one together.

    What the inner loop stores again and again stays in a register meanwhile.

    Args:
        schedule: Of any function.
        most: How many statements an inner loop may have in the end.

    Source:
        Allen and Cocke, "A catalogue of optimizing transformations"; Halide ``unroll``.
    """
    loops = schedule.get_loops()
    handles = {each.ref: each for each in loops}
    for loop in reversed(loops):
        held = only(loop.stmt.body)
        if not isinstance(held, For):
            continue
        together = _together(loop.stmt, held, most)
        if together > 1:
            with schedule.attempt():
                _jam(schedule, loop, handles[schedule.state.ref(held)], together)


def _together(loop: For, inner: For, most: int) -> int:
    """Return how many iterations of a loop are worth to be run together, within the inner one."""
    count = constant(loop.extent)
    if count is None or constant(loop.min) != 0 or count < 2:
        return 1
    if {loop.for_type, inner.for_type} != {ForType.SERIAL} or not _is_worth_while(inner):
        return 1
    stores = _stores(without_blocks(inner.body))
    places = [index for store in stores for index in store.indices]
    if not stores or any(loop.loop_var in PROGRAM.pre_order(place) for place in places):
        return 1
    return _times(count, most // len(stores))


def _stores(body: Stmt) -> list[Store]:
    """Return what a statement stores, as often as it does; none if it does something else."""
    found: list[Store] = []
    for stmt in statements(body):
        inner, count = stmt, 1
        while isinstance(inner, For) and inner.for_type == ForType.UNROLLED:
            inner, count = only(inner.body), count * (constant(inner.extent) or 0)
        if not isinstance(inner, Store):
            return []
        found += [inner] * count
    return found


def _is_worth_while(loop: For) -> bool:
    return constant(loop.min) is not None and (constant(loop.extent) or 0) >= SHORTEST


def _times(count: int, most: int) -> int:
    """Return how many iterations run together: all, a divisor of them, or as many as may."""
    if count <= most:
        return count
    fitting = [each for each in range(most, most // 2, -1) if count % each == 0]
    return fitting[0] if fitting else most


def _jam(schedule: Schedule, loop: LoopRV, inner: LoopRV, together: int) -> None:
    """Let so many iterations of a loop run within the one inside."""
    count = constant(loop.stmt.extent)
    assert count is not None
    if count % together:
        schedule.loop_partition(loop, [count - count % together])
    jammed = loop if count == together else schedule.split(loop, [-1, together])[1]
    schedule.reorder([inner, jammed])
    schedule.unroll(jammed)
