"""The schedule ``split_reductions``: lanes find the greatest of their own, then the greatest."""

from __future__ import annotations

from typing import Final

from relayish.tir.interpreter.access import constant
from relayish.tir.ir.operators import And, Expr, Max, Min, Or
from relayish.tir.ir.stmt import For
from relayish.tir.ir.tensor import Load, Store, Var
from relayish.tir.plain_loops import (
    is_fixed,
    only_stores,
    place_of,
    statements,
    without_blocks,
)
from relayish.tir.schedule.defaults.products import (
    buffer_of,
    loads_of,
    runs_along,
    variables,
)
from relayish.tir.schedule.handles import LoopRV
from relayish.tir.schedule.rules import register_schedule
from relayish.tir.schedule.schedule import Schedule

LANES: Final = 16
"""How many accumulators there are at most: one of the widest vectors."""

SHORTEST: Final = 4
"""How many steps each lane does at least."""

_IDEMPOTENT: Final = (Max, Min, Or, And)
"""Operators that give the same for two of the same, in any order."""


@register_schedule("split_reductions", targets=("c",))
def split_reductions(schedule: Schedule, *, lanes: int = LANES) -> None:
    """Reductions with several accumulators: let lanes combine, and combine what they found.

    Split are loops that find the greatest or the least, or whether one or all elements are so,
    along memory. Those of floats are left where results have to be exact: ``max`` of a NaN and a
    number is the second, and which comes second is another matter then, as of zeros of two signs.

    Args:
        schedule: Of any function.
        lanes: How many accumulators there are.

    Source:
        TVM ``rfactor``; Suriana, Adams and Kamil, "Parallel associative reductions in Halide".
    """
    for loop in schedule.get_loops()[::-1]:
        if loop.ref.gone:
            continue  # it became part of another
        if _is_split(loop.stmt, lanes, exact=schedule.exact):
            with schedule.attempt():
                _split(schedule, loop, lanes)


def _is_split(loop: For, lanes: int, *, exact: bool) -> bool:
    """Return whether it is worth while that lanes share the iterations of a loop."""
    stmts = statements(without_blocks(loop.body))
    count = constant(loop.extent) or 0
    if len(stmts) != 1 or not is_fixed(loop) or lanes < 2 or count < SHORTEST * lanes:
        return False
    step = stmts[0]
    if not isinstance(step, Store) or place_of(step) is None or not only_stores(step):
        return False
    value = step.value
    if not isinstance(value, _IDEMPOTENT) or (exact and value.type.is_float):
        return False
    if not isinstance(value.a, Load) or place_of(value.a) != place_of(step):
        return False
    if any(loop.loop_var in variables(index) for index in step.indices):
        return False
    return _is_near(value.b, step, loop.loop_var)


def _is_near(value: Expr, step: Store, var: Var) -> bool:
    """Return whether a value reads along memory, and nothing of what is stored."""
    loads = loads_of(value)
    moving = [each for each in loads if var in variables(each)]
    return (
        bool(moving)
        and all(buffer_of(each) not in (None, buffer_of(step)) for each in loads)
        and all(runs_along(each, var) for each in moving)
    )


def _split(schedule: Schedule, loop: LoopRV, lanes: int) -> None:
    """Let so many lanes share the iterations of a loop; what is left of these comes last."""
    blocks = schedule.get_child_blocks(loop)
    if len(blocks) != 1:
        return
    (block,) = blocks
    outer = schedule.get_loops(block)[:-1]
    count = constant(loop.stmt.extent) or 0
    if count % lanes:
        schedule.loop_partition(loop, [count - count % lanes])
    _, lane = schedule.split(loop, [-1, lanes])
    made = schedule.rfactor(lane, len(outer), not schedule.exact)
    *around, theirs, again = schedule.get_loops(made)
    first, second = schedule.fission(theirs)
    schedule.reorder([again, second])
    for each in (first, second):
        schedule.vectorize(each)
    with schedule.attempt():  # else all of them are found before
        for one, other in zip(around, outer, strict=True):
            schedule.compute_with(one, other)
