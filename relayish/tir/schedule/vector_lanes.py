"""The schedule ``vector_lanes``: innermost loops as vectors, where iterations allow."""

from __future__ import annotations

from relayish.tir.ir.operators import integer_of
from relayish.tir.schedule.rules import register_schedule
from relayish.tir.schedule.schedule import Schedule


@register_schedule("vector_lanes")
def vector_lanes(schedule: Schedule, *, lanes: int = 16) -> None:
    """Run iterations of innermost loops as lanes of vectors, where none depends on another.

    Loops that are known to run fewer times than a vector has lanes stay.

    Args:
        schedule: Of any function.
        lanes: How many lanes a vector has.
    """
    loops = schedule.get_loops()
    around = {outer for each in loops for outer in each.ref.ancestors()}
    for loop in loops:
        extent = integer_of(loop.stmt.extent)
        if loop.ref in around or (extent is not None and extent < lanes):
            continue
        with schedule.attempt():
            _, inner = schedule.split(loop, [-1, lanes])
            schedule.vectorize(inner)
