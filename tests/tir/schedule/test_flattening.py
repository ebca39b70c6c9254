"""Loops over flat memory."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.errors import ScheduleError
from tests.support.tir_small import function, left, loop, memory


def text(schedule: tir.Schedule) -> str:
    return tir.astext(schedule.func).split("#[details]")[0]


def flattened(func: tir.LoweredFunc, *, force: bool = False, count: int = 0) -> tir.Schedule:
    schedule = tir.Schedule(func)
    loops = schedule.get_loops()
    made = schedule.flatten_loops(loops[: count or len(loops)], force)
    assert made.stmt.loop_var.name.endswith("_fused")
    assert tir.verify(schedule.func) == ()
    return schedule


def rows() -> tir.LoweredFunc:
    A, C = tir.placeholder("A", (6, 4), "int32"), tir.placeholder("C", (4,), "int32")
    B = tir.compute((6, 4), lambda i, j: A[i, j] * 2 + C[j], "B")
    return tir.lower("f", [A, C, B])


def test_what_goes_by_the_number_of_the_iteration_loses_its_dimensions():
    assert "B_1[flat] = ((A_1[flat] * 2) + C[(flat % 4)])" in text(flattened(rows()))


def test_blocks_have_one_variable_for_those_of_the_loops():
    schedule = flattened(rows())
    block = schedule.get_block("B").stmt
    assert [each.name for each in block.schedule_block.iter_vars] == ["flat"]
    assert block.iter_values == (schedule.get_loops()[0].stmt.loop_var,)


@pytest.mark.parametrize("force", [False, True])
def test_flat_loops_compute_the_same(force):
    func = rows()
    given = np.arange(24, dtype="int32").reshape(6, 4), np.arange(4, dtype="int32")
    zeros = np.zeros((6, 4), "int32")
    assert left(func, *given, zeros) == left(flattened(func, force=force).func, *given, zeros)


def shifted(low: int, *, outer: bool) -> tir.LoweredFunc:
    """A part of the columns, in the middle of each row, or whole rows in the middle."""
    a, b = memory("A", 6, 8), memory("B", 6, 8)
    i, j = tir.Var("i"), tir.Var("j")
    stmt = tir.store(a, b[i, j] + a[j % 6, i] + i, (i, j))
    columns = loop(j, 0, 8, stmt) if outer else loop(j, low, 8 - low, stmt)
    return function([a, b], loop(i, low, 6 - low, columns))


def test_loops_outside_of_blocks_are_flat_as_well():
    assert "B_1[i_j_fused]" in text(flattened(shifted(0, outer=True)))


def test_whole_rows_in_the_middle_are_flat_where_that_is_asked_for():
    func = shifted(2, outer=True)
    assert "B[((i_j_fused / 8) + 2), (i_j_fused % 8)]" in text(flattened(func))
    assert "B_1[(i_j_fused + 16)]" in text(flattened(func, force=True))


def test_parts_of_rows_are_flat_only_where_that_is_asked_for():
    func = shifted(2, outer=False)
    assert "B[((i_j_fused / 6) + 2), ((i_j_fused % 6) + 2)]" in text(flattened(func))
    schedule = flattened(func, force=True)
    assert "B[" not in text(schedule)
    given = [np.arange(48, dtype="int32").reshape(6, 8), np.ones((6, 8), "int32")]
    assert left(func, *given) == left(schedule.func, *given)


def test_reduction_keeps_the_variable_that_it_goes_over():
    A = tir.placeholder("A", (3, 4, 5), "int32")
    k = tir.reduce_axis("k", 5)
    B = tir.compute((3, 4), lambda i, j: tir.reduce_sum(A[i, j, k], [k]), "B")
    func = tir.lower("f", [A, B])
    schedule = tir.Schedule(func)
    schedule.flatten_loops(schedule.get_loops("B")[:2])
    assert tir.verify(schedule.func) == ()
    block = schedule.get_block("B").stmt.schedule_block
    assert [each.is_reduce_axis for each in block.iter_vars] == [False, True]
    given = np.arange(60, dtype="int32").reshape(3, 4, 5), np.zeros((3, 4), "int32")
    assert left(func, *given) == left(schedule.func, *given)


def test_index_that_memory_tells_keeps_its_dimensions():
    a, b, i, j = memory("A", 4, 4), memory("B", 4), tir.Var("i"), tir.Var("j")
    func = function([a, b], loop(i, 0, 4, loop(j, 0, 4, tir.store(a, 1, (b[i], j)))))
    given = np.zeros((4, 4), "int32"), np.array([3, 1, 1, 0], "int32")
    for force in (False, True):
        schedule = flattened(func, force=force)
        assert ("A_1[" in text(schedule)) is force
        assert left(func, *given) == left(schedule.func, *given)


def test_loops_that_cannot_be_fused_are_not_flattened():
    a, i, j = memory("A", 8, 8), tir.Var("i"), tir.Var("j")
    schedule = tir.Schedule(
        function([a], loop(i, 0, 8, loop(j, 0, i + 1, tir.store(a, 1, (i, j)))))
    )
    with pytest.raises(ScheduleError, match="how often loop j runs depends on i"):
        schedule.flatten_loops(schedule.get_loops())
