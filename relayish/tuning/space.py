"""The default space: tiles, the order of loops, vectors and unrolling, for each block.

A sum of products is computed in tiles of rows and lanes, whose factor may be packed, as the
schedule ``contractions`` does; other reductions as well, where the loops that are reduced over run
around a tile, which has memory of its own, and is written where it belongs when it is done. Where a
schedule refuses that, and for all other blocks, loops are split and reordered. A step that is
refused there is left out, so that whatever is drawn makes a program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from relayish.errors import ScheduleError
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.builders.lower import REDUCE_INIT
from relayish.tir.ir.operators import integer_of
from relayish.tir.ir.tensor import Load, Store, Tensor
from relayish.tir.schedule.defaults.contractions import tile_product
from relayish.tir.schedule.defaults.products import lane_choices, product_of
from relayish.tir.schedule.handles import BlockRV, LoopRV
from relayish.tir.schedule.schedule import Schedule

LANES: Final = 64
"""So many iterations the innermost loop has at most."""
ROWS: Final = 16
"""So many iterations the loop around it has at most, which may be unrolled."""
_SMALL: Final = 64
"""A nest of fewer iterations stays as it is."""
_WIDTHS: Final = (8, 16, 32, 64)
"""So many lanes a tile of products has whose factor is packed."""
_HEIGHTS: Final = (1, 2, 3, 4, 6, 7, 8, 12, 14)
"""So many rows a tile of products may have."""
_TILE: Final = "stack"
"""The memory of a tile."""

_Choice = TypeVar("_Choice")


def default_space(schedule: Schedule) -> None:
    """Choose how each block of a function is computed."""
    for name in [each.name for each in schedule.get_all_blocks()]:
        if name.endswith(REDUCE_INIT):
            continue
        block = schedule.get_block(name)
        loops = schedule.get_loops(block)
        if math.prod([_extent(each) for each in loops]) < _SMALL:
            continue
        reduced = _reduced(block, loops)
        spatial = [each for each in loops if each not in reduced and _extent(each) > 1]
        if not spatial:
            continue
        before = schedule.func
        if reduced:
            with schedule.attempt():
                _tile_product(schedule, block, loops)
        if reduced and schedule.func is before:
            with schedule.attempt():
                _tile_reduction(schedule, block, spatial, reduced)
        if schedule.func is before:
            _split_loops(schedule, block, loops, reduced)


def _tile_product(schedule: Schedule, block: BlockRV, loops: Sequence[LoopRV]) -> None:
    """Compute a sum of products in tiles.

    Raises:
        ScheduleError: If the block is none, or the schedule refuses that.
    """
    found = product_of(block, loops)
    choices = [] if found is None else lane_choices(found)
    if found is None or not choices:
        raise ScheduleError(f"{block.name} is no sum of products with lanes; expected one")
    plan = _one_of(schedule, choices)
    others = [each for each in found.loops if each is not plan.lane and found.extent(each) > 1]
    row = _one_of(schedule, others) if others else None
    height = schedule.sample_categorical(list(_HEIGHTS), [1] * len(_HEIGHTS))
    if plan.packed is not None and schedule.sample_categorical([0, 1], [1, 3]):
        width = schedule.sample_categorical(list(_WIDTHS), [1] * len(_WIDTHS))
    else:
        plan = plan._replace(packed=None)
        _, width = schedule.sample_perfect_tile(found.loops[plan.lane], 2, LANES)
    rows = () if row is None else ((row, min(height, found.extent(row))),)
    plan = plan._replace(lanes=width, rows=rows)
    before = schedule.func
    with schedule.attempt():
        tile_product(schedule, found, plan)
    if schedule.func is before:
        tile_product(schedule, found, plan, is_copied=True)


def _one_of(schedule: Schedule, choices: Sequence[_Choice]) -> _Choice:
    """Return one of some choices; the last as often as all others."""
    count = len(choices)
    weights = [1.0] * (count - 1) + [max(count - 1.0, 1.0)]
    return choices[schedule.sample_categorical(list(range(count)), weights)]


def _tile_reduction(
    schedule: Schedule, block: BlockRV, spatial: Sequence[LoopRV], reduced: Sequence[LoopRV]
) -> None:
    """Compute a reduction in tiles.

    Raises:
        ScheduleError: If the schedule refuses that.
    """
    name = block.name
    others = list(spatial)
    last = _drawn(schedule, others)
    row = _drawn(schedule, others) if others else None
    lanes = schedule.sample_perfect_tile(last, 2, LANES)
    rows = None if row is None else schedule.sample_perfect_tile(row, 2, ROWS)
    is_swapped = schedule.sample_categorical([0, 1], [1, 1])
    is_vector = schedule.sample_categorical([0, 1], [1, 7])
    is_unrolled = schedule.sample_categorical([0, 1], [1, 1])
    copy = _written_behind(schedule, block, name)
    outer, inner = schedule.split(last, lanes)
    tile, around = [inner], [outer]
    if row is not None and rows is not None:
        outer, inner = schedule.split(row, rows)
        tile, around = [inner, *tile], [outer, *around]
    if is_swapped:
        around.reverse()
    schedule.reorder([*others, *around, *tile])
    schedule.reverse_compute_at(copy, around[-1])
    schedule.decompose_reduction(block, tile[0])
    tile = schedule.get_loops(block)[-len(tile) - len(reduced) :][: len(tile)]
    schedule.reorder([*reduced, *tile])
    schedule.set_buffer(block, _TILE, fixed=True)
    _mark(schedule, tile, is_vector=bool(is_vector), is_unrolled=bool(is_unrolled))


def _drawn(schedule: Schedule, loops: list[LoopRV]) -> LoopRV:
    """Take one of some loops away, and return it."""
    chosen = _one_of(schedule, loops)
    loops.remove(chosen)
    return chosen


def _written_behind(schedule: Schedule, block: BlockRV, name: str) -> BlockRV:
    """Return the block that writes what a reduction has computed to where it belongs.

    That is the only one that reads it, or, of a result of the function, a copy.

    Raises:
        ScheduleError: If several blocks read it.
    """
    buffer = _store_of(block).tensor.buffer
    if buffer not in schedule.func.temp_bufs:
        schedule.cache_write(block, 0, _TILE)
        return schedule.get_block(name)
    readers = [
        each
        for each in schedule.get_all_blocks()
        if each != block and any(load.tensor.buffer is buffer for load in _loads_of(each))
    ]
    if len(readers) != 1:
        raise ScheduleError(f"{len(readers)} blocks read what {name} computes; expected one")
    return readers[0]


def _store_of(block: BlockRV) -> Store:
    return next(
        each for each in PROGRAM.pre_order(block.stmt.schedule_block) if isinstance(each, Store)
    )


def _loads_of(block: BlockRV) -> list[Load]:
    """Return the loads of tensors in a block."""
    return [
        each
        for each in PROGRAM.pre_order(block.stmt.schedule_block)
        if isinstance(each, Load) and isinstance(each.tensor, Tensor)
    ]


def _split_loops(
    schedule: Schedule, block: BlockRV, loops: Sequence[LoopRV], reduced: Sequence[LoopRV]
) -> None:
    """Split the loops of a block, and put them in another order."""
    if reduced:
        _attempt(schedule, schedule.decompose_reduction, block, loops[0])
        loops = schedule.get_loops(block)
    spatial = [each for each in loops if each not in reduced]
    once = [each for each in spatial if _extent(each) == 1]
    *outer, last = [*once, *[each for each in spatial if each not in once]]
    tiles = [_tile(schedule, last, 3 if reduced else 2, LANES)]
    if outer and reduced:
        tiles.insert(0, _tile(schedule, outer.pop(), 3, ROWS))
    inner = [each[-1] for each in tiles]
    middle = [loop for each in tiles for loop in each[1:-1]]
    outermost = [*outer, *[each[0] for each in tiles]]
    before, after = _split_reduced(schedule, reduced)
    orders = [
        [*outermost, *before, *middle, *after, *inner],
        [*reversed(outermost), *before, *middle, *after, *inner],
        [*outermost, *middle, *before, *after, *inner],
        [*outermost, *before, *middle, *inner, *after],
    ]
    weights = [4.0, 2.0, 4.0, 1.0]
    if not reduced:
        orders, weights = orders[:2], weights[:2]
    order = schedule.sample_categorical(list(range(len(orders))), weights)
    _attempt(schedule, schedule.reorder, orders[order])
    is_vector = bool(schedule.sample_categorical([0, 1], [1, 1]))
    is_unrolled = len(inner) > 1 and bool(schedule.sample_categorical([0, 1], [1, 3]))
    _mark(schedule, inner, is_vector=is_vector, is_unrolled=is_unrolled)


def _mark(
    schedule: Schedule, tile: Sequence[LoopRV], *, is_vector: bool, is_unrolled: bool
) -> None:
    """Let the last loop of a tile run as vectors, and one around it be unrolled."""
    if is_vector:
        _attempt(schedule, schedule.vectorize, tile[-1])
    if is_unrolled and len(tile) > 1:
        _attempt(schedule, schedule.unroll, tile[0])


def _attempt(
    schedule: Schedule, step: Callable[..., object], *given: Any
) -> None:  # Any: as the step takes it
    """Take a step, if the schedule does not refuse it."""
    with schedule.attempt():
        step(*given)


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
