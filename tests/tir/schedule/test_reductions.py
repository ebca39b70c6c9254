"""Reductions taken apart: first values set by a nest of their own, partial results."""

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir import Schedule
from tests.support.tir_programs import same_result
from tests.support.tir_small import loop as for_
from tests.support.tir_small import memory


def row_sums(dtype="float32", rows=6, columns=5):
    """``B[i]``, the sum of a row of ``A``."""
    A = tir.placeholder("A", (rows, columns), dtype)
    k = tir.reduce_axis("k", columns)
    return tir.lower("f", [A, tir.compute((rows,), lambda i: tir.reduce_sum(A[i, k], [k]), "B")])


def body_of(schedule):
    """The loops of a function, as they are printed."""
    root = schedule.func.body.stmts[0].schedule_block.body
    return str(root).strip()


def check(before, schedule):
    assert tir.verify(schedule.func) == ()
    assert same_result(before, schedule.func)


def test_first_values_get_a_nest_before_the_loop():
    func = row_sums()
    schedule = Schedule(func)
    i, _ = schedule.get_loops("B")
    block = schedule.decompose_reduction(schedule.get_block("B"), i)
    assert block.name == "B__reduce_init"
    assert (
        body_of(schedule)
        == """\
{
  serial for (i, 0, 6)
  {
    ScheduleBlock(B__reduce_init)
    {
      i0 = axis.bind(i)
      B__reduce_init[i0] = 0.00000000f
    }
  }
  serial for (i, 0, 6)
  {
    serial for (k, 0, 5)
    {
      ScheduleBlock(B)
      {
        i0, i1 = axis.bind(i, k)
        B[i0] = (B[i0] + A[i0, i1])
      }
    }
  }
}"""
    )
    check(func, schedule)


def test_loops_around_the_reduction_are_what_they_were_and_can_be_reordered():
    func = row_sums()
    schedule = Schedule(func)
    i, k = schedule.get_loops("B")
    schedule.decompose_reduction(schedule.get_block("B"), i)
    schedule.reorder([k, i])
    assert [each.stmt.loop_var.name for each in schedule.get_loops("B")] == ["k", "i"]
    check(func, schedule)


def test_conditions_around_first_values_are_asked_in_the_new_nest_too():
    func = row_sums(rows=7)
    schedule = Schedule(func)
    i, _ = schedule.get_loops("B")
    outer, inner = schedule.split(i, [-1, 4])
    schedule.decompose_reduction(schedule.get_block("B"), inner)
    assert (
        str(outer.stmt.body.stmts[0])
        == """\
serial for (i_1, 0, 4)
{
  if ((((i_0 * 4) + i_1) < 7)) {
    {
      ScheduleBlock(B__reduce_init)
      {
        i0 = axis.bind(((i_0 * 4) + i_1))
        B__reduce_init[i0] = 0.00000000f
      }
    }
  }
}"""
    )
    check(func, schedule)


def test_other_branch_of_a_condition_stays_where_the_first_values_were_in_the_second():
    A, B = memory("A", 6), memory("B", 6)
    i, v, w = tir.Var("i"), tir.Var("v"), tir.Var("w")
    first = tir.ScheduleBlock((v,), (), (), "B__reduce_init", tir.Store(B, tir.IntImm(0), (v,)))
    step = tir.ScheduleBlock((w,), (), (), "B", tir.Store(B, B[w] + A[w], (w,)))
    other = tir.Block((tir.Store(A, tir.IntImm(1), (i,)),))
    mine = tir.Block((tir.ScheduleBlockRealize((i,), first),))
    branch = tir.IfThenElse(tir.LT(i, 3), other, mine)
    body = for_(i, 0, 6, branch, tir.ScheduleBlockRealize((i,), step))
    func = tir.LoweredFunc("f", (A.buffer, B.buffer), tir.Block((body,)))
    schedule = Schedule(func)
    schedule.decompose_reduction(schedule.get_block("B"), schedule.get_loops("B")[0])
    assert (
        str(schedule.func.body.stmts[0])
        == """\
serial for (i, 0, 6)
{
  if (!(i < 3)) {
    {
      ScheduleBlock(B__reduce_init)
      {
        v = axis.bind(i)
        B[v] = 0
      }
    }
  }
}"""
    )
    check(func, schedule)


def test_first_values_that_would_be_set_after_their_use_are_refused():
    """``C[i]`` is set, summed up, and read by the next row, which sets ``C[0]`` again."""
    A, B, C = memory("A", 4, 5), memory("B", 1), memory("C", 4)
    i, k, v, w = (tir.Var(name) for name in "ikvw")
    zero = tir.IntImm(0)
    first = tir.ScheduleBlock((v,), (), (), "B__reduce_init", tir.Store(B, zero, (zero,)))
    step = tir.ScheduleBlock((v, w), (), (), "B", tir.Store(B, B[0] + A[v, w], (zero,)))
    body = for_(
        i,
        0,
        4,
        tir.ScheduleBlockRealize((i,), first),
        for_(k, 0, 5, tir.ScheduleBlockRealize((i, k), step)),
        tir.Store(C, B[0], (i,)),
    )
    func = tir.LoweredFunc("f", tuple([each.buffer for each in (A, B, C)]), tir.Block((body,)))
    schedule = Schedule(func)
    outer, inner = schedule.get_loops("B")
    block = schedule.get_block("B")
    with pytest.raises(ScheduleError) as refused:
        schedule.decompose_reduction(block, outer)
    assert str(refused.value) == (
        "ScheduleBlock(B__reduce_init) cannot stand before for (i, 0, 4): B[0] = 0 at i = 1 "
        "has to come after B[0] at i = 0, k = 0; take a loop further in, or give what is accessed "
        "in between memory of its own, as cache_write does"
    )
    with pytest.raises(ScheduleError, match="stands outside of for"):
        schedule.decompose_reduction(block, inner)


def test_block_without_first_values_is_refused():
    A = tir.placeholder("A", (4,))
    schedule = Schedule(tir.lower("f", [A, tir.compute((4,), lambda i: A[i] + 1, "B")]))
    with pytest.raises(ScheduleError, match="0 blocks of f are called 'B__reduce_init'"):
        schedule.decompose_reduction(schedule.get_block("B"), schedule.get_loops("B")[0])


def test_loop_that_is_not_around_the_block_is_refused():
    A = tir.placeholder("A", (4,), "int32")
    k = tir.reduce_axis("k", 4)
    B = tir.compute((3,), lambda _: tir.reduce_sum(A[k], [k]), "B")
    C = tir.compute((3,), lambda i: B[i] + 1, "C")
    schedule = Schedule(tir.lower("f", [A, B, C]))
    with pytest.raises(ScheduleError, match=r"is not around ScheduleBlock\(B\)"):
        schedule.decompose_reduction(schedule.get_block("B"), schedule.get_loops("C")[0])
