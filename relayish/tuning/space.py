"""The default space: tiles, the order of loops, vectors and unrolling, for each block.

A step that a schedule refuses is left out, so that whatever is drawn makes a program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from relayish.errors import ScheduleError
from relayish.tir.builders.lower import REDUCE_INIT
from relayish.tir.ir.operators import integer_of
from relayish.tir.schedule.handles import BlockRV, LoopRV
from relayish.tir.schedule.schedule import Schedule

LANES: Final = 64
"""So many iterations the innermost loop has at most."""
ROWS: Final = 8
"""So many iterations the loop around it has at most, which may be unrolled."""
_SMALL: Final = 64
"""A nest of fewer iterations stays as it is."""

_T = TypeVar("_T")


def default_space(schedule: Schedule) -> None:
    """Choose tiles of the loops of each block, their order, and which are vectors or unrolled."""
    names = [each.name for each in schedule.get_all_blocks()]
    for name in names:
        if not name.endswith(REDUCE_INIT):
            _schedule_block(schedule, schedule.get_block(name))


def _schedule_block(schedule: Schedule, block: BlockRV) -> None:
    loops = schedule.get_loops(block)
    if math.prod([_extent(each) for each in loops]) < _SMALL:
        return
    reduced = _reduced(block, loops)
    if reduced:
        _attempt(schedule.decompose_reduction, block, loops[0])
        loops = schedule.get_loops(block)
    spatial = [each for each in loops if each not in reduced]
    if not spatial:
        return
    *outer, last = _longest_last(spatial)
    tiles = [_tile(schedule, last, 3 if reduced else 2, LANES)]
    if outer and reduced:
        tiles.insert(0, _tile(schedule, outer.pop(), 3, ROWS))
    inner = [each[-1] for each in tiles]
    middle = [loop for each in tiles for loop in each[1:-1]]
    outermost = [*outer, *[each[0] for each in tiles]]
    before, after = _split_reduced(schedule, reduced)
    orders = [
        [*outermost, *before, *middle, *after, *inner],
        [*outermost, *middle, *before, *after, *inner],
        [*reversed(outermost), *before, *middle, *after, *inner],
        [*outermost, *before, *middle, *inner, *after],
    ]
    weights = [4.0, 4.0, 2.0, 1.0]
    if not reduced:
        orders, weights = orders[::2], [2.0, 1.0]
    order = schedule.sample_categorical(list(range(len(orders))), weights)
    _attempt(schedule.reorder, orders[order])
    if schedule.sample_categorical([0, 1], [1, 1]):
        _attempt(schedule.vectorize, inner[-1])
    if len(inner) > 1 and schedule.sample_categorical([0, 1], [1, 3]):
        _attempt(schedule.unroll, inner[0])


def _attempt(step: Callable[..., _T], *given: Any) -> _T | None:  # Any: as the step takes it
    """Take a step, if the schedule does not refuse it."""
    try:
        return step(*given)
    except ScheduleError:
        return None


def _extent(loop: LoopRV) -> int:
    """Return how often a loop runs; 1, which nobody splits, where it is not known."""
    found = integer_of(loop.stmt.extent)
    return 1 if found is None else found


def _reduced(block: BlockRV, loops: Sequence[LoopRV]) -> list[LoopRV]:
    """Return the loops that a block reduces over."""
    realize = block.stmt
    pairs = zip(realize.schedule_block.iter_vars, realize.iter_values, strict=True)
    values = {value for var, value in pairs if var.is_reduce_axis}
    return [each for each in loops if each.stmt.loop_var in values]


def _longest_last(loops: Sequence[LoopRV]) -> list[LoopRV]:
    """Return loops in order, but for those at the end that run once, which go first."""
    once = [each for each in loops if _extent(each) == 1]
    return [*once, *[each for each in loops if each not in once]]


def _tile(schedule: Schedule, loop: LoopRV, parts: int, most: int) -> list[LoopRV]:
    return schedule.split(loop, schedule.sample_perfect_tile(loop, parts, most))


def _split_reduced(
    schedule: Schedule, reduced: Sequence[LoopRV]
) -> tuple[list[LoopRV], list[LoopRV]]:
    """Return the loops of a reduction, of which the first is split: those outside, and inside."""
    if not reduced:
        return [], []
    first, *others = reduced
    if _extent(first) < _SMALL:
        return [], list(reduced)
    outer, inner = _tile(schedule, first, 2, -1)
    return [outer], [inner, *others]
