"""Blocks that are run as others are."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from tests.support.cinn_schedules import computed, nest


def turned(*shapes: tuple[int, ...]) -> tir.Schedule:
    return computed(*shapes) if shapes else computed((8, 6), (8, 6), (8, 6))


def kinds(schedule: tir.Schedule, name: str) -> list[tuple[str, str]]:
    return [(e.stmt.loop_var.name, e.stmt.for_type.name) for e in schedule.get_loops(name)]


def test_order_and_kinds_of_loops_are_copied():
    schedule = turned()
    i, j = schedule.get_loops("C")
    outer, inner = schedule.split(i, [-1, 4])
    schedule.reorder([outer, j, inner])
    schedule.parallel(outer)
    schedule.vectorize(inner, 4)
    schedule.copy_transform_and_loop_info(schedule.get_block("B"), schedule.get_block("C"))
    assert tir.verify(schedule.func) == ()
    wanted = [("i_0", "PARALLEL"), ("j", "SERIAL"), ("i_1", "VECTORIZED")]
    assert kinds(schedule, "B") == kinds(schedule, "C") == wanted


def test_a_tail_is_copied_with_its_guard():
    schedule = turned()
    schedule.split(schedule.get_loops("C")[1], [-1, 4])
    schedule.copy_transform_and_loop_info(schedule.get_block("B"), schedule.get_block("C"))
    assert nest(schedule.func).count("      if ((((j_0 * 4) + j_1) < 6))") == 2


def test_one_step_of_the_trace_copies_them_again():
    schedule = turned()
    schedule.split(schedule.get_loops("C")[0], [2, -1])
    schedule.copy_transform_and_loop_info(schedule.get_block("B"), schedule.get_block("C"))
    again = schedule.trace.replay(turned().func)
    assert tir.astext(again.func) == tir.astext(schedule.func)


def test_blocks_of_other_shapes_are_refused():
    schedule = turned((8, 6), (8, 6), (4, 6))
    with pytest.raises(ScheduleError, match="the first variable of block B has other values"):
        schedule.copy_transform_and_loop_info(schedule.get_block("B"), schedule.get_block("C"))


def test_loops_that_are_fused_are_not_copied():
    schedule = turned()
    schedule.fuse(schedule.get_loops("C"))
    with pytest.raises(ScheduleError, match="is not told by loops of numbers of iterations"):
        schedule.copy_transform_and_loop_info(schedule.get_block("B"), schedule.get_block("C"))
