"""The schedule ``contractions``: sums of products are computed for a tile of elements at once."""

from __future__ import annotations

from typing import Final

from relayish.errors import ScheduleError
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.ir.operators import integer_of
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.schedule.defaults.constant_memory import constant_memory
from relayish.tir.schedule.defaults.products import (
    LANES,
    ROWS,
    Product,
    Tiles,
    buffer_of,
    plan_tiles,
    product_of,
    variables,
)
from relayish.tir.schedule.handles import BlockRV, LoopRV
from relayish.tir.schedule.index_map import IndexMap
from relayish.tir.schedule.primitives.caching import buffers_of
from relayish.tir.schedule.rules import register_schedule
from relayish.tir.schedule.schedule import Schedule
from relayish.tir.substitution import substitute

_TILE: Final = "stack"
"""The memory of a tile."""


@register_schedule("contractions", targets=("c",))
def contractions(schedule: Schedule, *, rows: int = ROWS, lanes: int = LANES) -> None:
    """Register tiling and packing: compute sums of products for a tile of elements at once.

    A tile is small enough for registers: some rows, of as many lanes as vectors have. The factor
    that tells lanes apart is copied, before, into memory in the order in which tiles read it, and
    each of its elements serves all rows; each of the other serves all lanes. What is computed of
    complete sums, element by element, is computed tile by tile. Each sum is added in the order that
    it was, so results are the same, bit for bit.

    Args:
        schedule: Of a function with blocks, as ``lower`` makes them. Arguments noted as constant
            are copied at no cost.
        rows: How many rows a tile has at most.
        lanes: How many lanes, at most where there are several rows.

    Raises:
        ScheduleError: If tiles have no rows, or no lanes.

    Source:
        Goto and van de Geijn, "Anatomy of high-performance matrix multiplication"; Halide and TVM
        ``tile``, ``cache_write`` and ``transform_layout``.

    Example:
        >>> from relayish import tir
        >>> A, B = tir.placeholder("A", (64, 32)), tir.placeholder("B", (32, 48))
        >>> k = tir.reduce_axis("k", 32)
        >>> C = tir.compute((64, 48), lambda i, j: tir.reduce_sum(A[i, k] * B[k, j], [k]), "C")
        >>> schedule = Schedule(tir.lower("product", [A, B, C]))
        >>> contractions(schedule, rows=8, lanes=16)
        >>> [loop.stmt.loop_var.name for loop in schedule.get_loops("C_stack_temp_buffer")]
        ['j_0', 'i_0', 'k', 'i_1', 'j_1']
    """
    if min(rows, lanes) < 1:
        raise ScheduleError(
            f"found tiles of rows={rows}, lanes={lanes}; expected one of each, or more"
        )
    known = constant_memory(schedule.func)
    for block in schedule.get_all_blocks():
        if block.ref.gone:
            continue  # another was made of it
        found = product_of(block, schedule.get_loops(block))
        plan = None if found is None else plan_tiles(found, rows, lanes, known)
        if found is None or plan is None:
            continue
        before = schedule.func
        for is_copied in (False, True):
            if schedule.func is before:
                with schedule.attempt():
                    tile_product(schedule, found, plan, is_copied=is_copied)


def tile_product(
    schedule: Schedule, found: Product, plan: Tiles, *, is_copied: bool = False
) -> None:
    """Compute a sum of products in tiles.

    Args:
        schedule: Of the function.
        found: The product.
        plan: How it is cut.
        is_copied: Whether tiles are copied to where they belong, rather than read right there by
            the only block that reads them.

    Raises:
        ScheduleError: If the schedule refuses a step.
    """
    block, indices = found.block, found.store.indices
    own = block.stmt.schedule_block.iter_vars
    sizes = {**dict(plan.rows), plan.lane: plan.lanes}
    extents = {each: found.extent(each) for each in sizes}
    copy = None
    if plan.packed is not None:
        packed = buffer_of(plan.packed)
        assert packed is not None  # else it could not be copied
        number = buffers_of(block.ref, Load).index(packed)
        copy = schedule.cache_read(block, number, "heap")
    behind = _written_behind(schedule, found, is_copied=is_copied)
    if extents[plan.lane] % plan.lanes:
        schedule.pad_einsum(block, [plan.lanes if each is plan.lane else 1 for each in own])
    if copy is not None and plan.packed is not None:
        at = plan.packed.indices.index(plan.lane)
        schedule.transform_layout(copy, 0, in_lanes(len(plan.packed.indices), at, plan.lanes))
        _pack(schedule, copy, at, plan.lanes)
    if indices[-1] is not plan.lane:
        schedule.transform_layout(block, 0, _last(len(indices), indices.index(plan.lane)))
    first = schedule.decompose_reduction(block, schedule.get_loops(block)[0])
    outer = {var: loop for var, loop in found.loops.items() if var not in sizes}
    inner: dict[Var, LoopRV] = {}
    for var, size in sizes.items():
        outer[var], inner[var] = schedule.split(found.loops[var], [-1, size])
    kept = variables(found.factors[plan.number])
    around = sorted(outer, key=lambda var: (var not in kept, var is plan.lane))
    order = [*[outer[var] for var in around], *found.sums.values(), *inner.values()]
    schedule.reorder(order)
    schedule.compute_at(first, outer[around[-1]])
    schedule.reverse_compute_at(behind, outer[around[-1]])
    schedule.set_buffer(block, _TILE)
    (tile,) = buffers_of(block.ref, Store)
    schedule.vectorize(_lane_last(schedule, first, tile))
    _lane_last(schedule, behind, tile)
    schedule.vectorize(inner[plan.lane])
    for var, size in plan.rows:
        schedule.unroll(inner[var])
        if extents[var] % size:
            schedule.loop_partition(outer[var], [extents[var] // size])
    if extents[plan.lane] % plan.lanes and extents[plan.lane] > plan.lanes:
        schedule.loop_partition(outer[plan.lane], [extents[plan.lane] // plan.lanes])


def _lane_last(schedule: Schedule, block: BlockRV, memory: Buffer) -> LoopRV:
    """Return the loop of lanes, which is made the innermost of those around a block.

    Raises:
        ScheduleError: If no loop tells lanes apart.
    """
    realize = block.stmt
    variables_of = dict(zip(realize.schedule_block.iter_vars, realize.iter_values, strict=True))
    element = next(
        each
        for each in PROGRAM.pre_order(realize.schedule_block.body)
        if isinstance(each, (Load, Store)) and buffer_of(each) is memory
    )
    used = variables(substitute(element.indices[-1], variables_of))
    loops = schedule.get_loops(block)
    lane = next((each for each in reversed(loops) if each.stmt.loop_var in used), None)
    if lane is None:
        raise ScheduleError(f"no loop around block {block.name} goes through lanes of a tile")
    inside = loops[loops.index(lane) + 1 :]
    if inside:
        schedule.reorder([*inside, lane])
    return lane


def _pack(schedule: Schedule, copy: BlockRV, at: int, lanes: int) -> None:
    """Let the loops of a copy, of which one is told, go through memory as it is stored to."""
    loops = schedule.get_loops(copy)
    extent = integer_of(loops[at].stmt.extent) or 0
    block, lane = schedule.split(loops.pop(at), [-1, lanes])
    schedule.reorder([block, *loops, lane])
    if 0 < extent % lanes < extent:
        schedule.loop_partition(block, [extent // lanes])


def _written_behind(schedule: Schedule, found: Product, *, is_copied: bool) -> BlockRV:
    """Return the block that writes what a reduction has computed to where it belongs.

    That is the only one that reads it, or a copy.

    Raises:
        ScheduleError: If several blocks read it.
    """
    memory, name = buffer_of(found.store), found.block.name
    if is_copied or memory not in schedule.func.temp_bufs:
        schedule.cache_write(found.block, 0, _TILE)
        return schedule.get_block(name)
    readers = [each for each in schedule.get_all_blocks() if _reads(each, memory)]
    readers.remove(found.block)
    if len(readers) != 1:
        raise ScheduleError(f"{len(readers)} blocks read what {name} computes; expected one")
    return readers[0]


def _reads(block: BlockRV, memory: Buffer | None) -> bool:
    return any(
        isinstance(each, Load) and isinstance(each.tensor, Tensor) and each.tensor.buffer is memory
        for each in PROGRAM.pre_order(block.stmt.schedule_block)
    )


def in_lanes(rank: int, at: int, lanes: int) -> IndexMap:
    """Return what puts so many values of one of some indices side by side."""
    variables = _indices(rank)
    others = [*variables[:at], *variables[at + 1 :]]
    return IndexMap(variables, (variables[at] / lanes, *others, variables[at] % lanes))


def _last(rank: int, at: int) -> IndexMap:
    """Return what puts one of some indices last."""
    variables = _indices(rank)
    return IndexMap(variables, (*variables[:at], *variables[at + 1 :], variables[at]))


def _indices(rank: int) -> tuple[Var, ...]:
    return tuple([Var(f"i{each}") for each in range(rank)])
