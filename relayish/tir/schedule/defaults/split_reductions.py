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
        lanes: How many accumulators there are at most.

    Source:
        TVM ``rfactor``; Suriana, Adams and Kamil, "Parallel associative reductions in Halide".
    """
    for loop in schedule.get_loops()[::-1]:
        if loop.ref.gone:
            continue  # it became part of another
        count = _lanes(loop.stmt, lanes, exact=schedule.exact)
        if count:
            with schedule.attempt():
                _split(schedule, loop, count)


def _lanes(loop: For, most: int, *, exact: bool) -> int:
    """Return how many lanes share the iterations of a loop; 0 where it is not worth while."""
    stmts = statements(without_blocks(loop.body))
    if len(stmts) != 1 or not is_fixed(loop):
        return 0
    count = constant(loop.extent) or 0
    fitting = [each for each in (most, most // 2) if each > 1 and count % each == 0]
    if not fitting or count < SHORTEST * fitting[0]:
        return 0
    step = stmts[0]
    if not isinstance(step, Store) or place_of(step) is None or not only_stores(step):
        return 0
    value = step.value
    if not isinstance(value, _IDEMPOTENT) or (exact and value.type.is_float):
        return 0
    if not isinstance(value.a, Load) or place_of(value.a) != place_of(step):
        return 0
    if any(loop.loop_var in variables(index) for index in step.indices):
        return 0
    return fitting[0] if _is_near(value.b, step, loop.loop_var) else 0


def _is_near(value: Expr, step: Store, var: Var) -> bool:
    """Return whether a value reads along memory, and nothing of what is stored."""
    loads = loads_of(value)
    moving = [each for each in loads if var in variables(each)]
    return (
        bool(moving)
        and all(buffer_of(each) not in (None, buffer_of(step)) for each in loads)
        and all(runs_along(each, var) for each in moving)
    )


def _split(schedule: Schedule, loop: LoopRV, count: int) -> None:
    """Let so many lanes share the iterations of a loop."""
    blocks = schedule.get_child_blocks(loop)
    if len(blocks) != 1:
        return
    (block,) = blocks
    outer = schedule.get_loops(block)[:-1]
    _, lane = schedule.split(loop, [-1, count])
    made = schedule.rfactor(lane, len(outer), not schedule.exact)
    *around, theirs, again = schedule.get_loops(made)
    first, second = schedule.fission(theirs)
    schedule.reorder([again, second])
    for each in (first, second):
        schedule.vectorize(each)
    with schedule.attempt():  # else all of them are found before
        for one, other in zip(around, outer, strict=True):
            schedule.compute_with(one, other)
