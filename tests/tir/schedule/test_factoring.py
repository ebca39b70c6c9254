"""Partial results of reductions."""

import numpy as np
import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir import Schedule
from tests.support.tir_programs import same_result
from tests.support.tir_small import loop as for_
from tests.support.tir_small import memory


def totals(dtype="int32", reduce=tir.reduce_sum, **init):
    """``C[i]``, what is left of two dimensions of ``A``."""
    A = tir.placeholder("A", (3, 7, 4), dtype)
    k, m = tir.reduce_axis("k", 7), tir.reduce_axis("m", 4)
    C = tir.compute((3,), lambda i: reduce(A[i, k, m], [k, m], **init), "C")
    return tir.lower("f", [A, C])


def check(before, schedule):
    assert tir.verify(schedule.func) == ()
    assert same_result(before, schedule.func)


def test_iterations_of_a_loop_get_results_of_their_own_that_are_combined():
    func = totals()
    schedule = Schedule(func)
    _, k, m = schedule.get_loops("C")
    k_0, k_1 = schedule.split(k, [-1, 4])
    block = schedule.rfactor(k_1, 0)
    assert block.name == "rf_C"
    assert (
        str(schedule.get_loops(block)[0].stmt)
        == """\
serial for (i, 0, 3)
{
  serial for (k_1, 0, 4)
  {
    ScheduleBlock(rf_C__reduce_init)
    {
      i0, i1 = axis.bind(i, k_1)
      rf_C__reduce_init[i1, i0] = 0
    }
    serial for (k_0, 0, 2)
    {
      serial for (m, 0, 4)
      {
        if ((((k_0 * 4) + k_1) < 7)) {
          {
            ScheduleBlock(rf_C)
            {
              i0, i1_0, i2, i3 = axis.bind(i, ((k_0 * 4) + k_1), m, k_1)
              rf_C[i3, i0] = (rf_C[i3, i0] + A[i0, i1_0, i2])
            }
          }
        }
      }
    }
  }
}"""
    )
    assert (
        str(k_1.stmt)
        == """\
serial for (k_1, 0, 4)
{
  ScheduleBlock(C)
  {
    i0, i1 = axis.bind(i, k_1)
    C[i0] = (C[i0] + rf_C[i1, i0])
  }
}"""
    )
    for gone in (k_0, m):
        with pytest.raises(ScheduleError, match="gone since step"):
            _ = gone.stmt
    check(func, schedule)


def test_partial_results_can_be_made_in_parallel():
    func = totals()
    schedule = Schedule(func)
    block = schedule.rfactor(schedule.get_loops("C")[1], 1)
    i, k, _ = schedule.get_loops(block)
    schedule.parallel(k)
    schedule.reorder([k, i])
    check(func, schedule)


@pytest.mark.parametrize(
    ("dtype", "reduce", "init"),
    [
        ("int32", tir.reduce_sum, {"init": 5}),
        ("uint8", tir.reduce_mul, {"init": 3}),
        ("int8", tir.reduce_max, {"init": -2}),
        ("int64", tir.reduce_min, {}),
        ("bool", tir.reduce_all, {}),
        ("bool", tir.reduce_any, {"init": False}),
    ],
)
def test_integers_and_truth_values_are_the_same_in_any_order(dtype, reduce, init):
    func = totals(dtype, reduce, **init)
    for axis, at in enumerate((1, 2)):
        schedule = Schedule(func)
        schedule.rfactor(schedule.get_loops("C")[at], axis)
        check(func, schedule)


def test_floats_are_combined_in_another_order_only_if_that_is_allowed():
    func = totals("float32", tir.reduce_max, init=-np.inf)
    schedule = Schedule(func)
    loop = schedule.get_loops("C")[2]
    with pytest.raises(ScheduleError, match=r"rfactor of float32 changes .* allow_reordering=True"):
        schedule.rfactor(loop, 0)
    schedule.rfactor(loop, 0, allow_reordering=True)
    assert tir.verify(schedule.func) == ()
    given = np.full((3, 7, 4), -np.inf, "float32")
    given[1, 2, 3] = -1
    left = np.zeros(3, "float32")
    tir.run(schedule.func, given, left)
    assert left.tolist() == [-np.inf, -1, -np.inf]


def test_sums_of_floats_are_near_if_another_order_is_allowed():
    func = totals("float64")
    schedule = Schedule(func)
    schedule.rfactor(schedule.get_loops("C")[1], 0, allow_reordering=True)
    given = np.random.default_rng(0).normal(size=(3, 7, 4))
    left = np.zeros(3)
    tir.run(schedule.func, given, left)
    assert np.allclose(left, given.sum((1, 2)))


@pytest.mark.parametrize(
    ("at", "axis", "message"),
    [
        (0, 0, r"holds 2 blocks; expected a loop of a reduction alone"),
        (1, 2, r"found rf_axis 2; expected 0 to 1"),
        (1, -1, r"found rf_axis -1; expected 0 to 1"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(at, axis, message):
    schedule = Schedule(totals())
    with pytest.raises(ScheduleError, match=message):
        schedule.rfactor(schedule.get_loops("C")[at], axis)


def test_differences_have_no_partial_results():
    schedule = Schedule(totals(reduce=tir.reduce_sub, init=0))
    with pytest.raises(ScheduleError, match="has no partial results"):
        schedule.rfactor(schedule.get_loops("C")[1], 0)


def test_loop_whose_iterations_store_other_elements_is_refused():
    schedule = Schedule(totals())
    i, k, m = schedule.get_loops("C")
    schedule.decompose_reduction(schedule.get_block("C"), i)
    schedule.reorder([k, i, m])
    for loop in (i, k):
        with pytest.raises(ScheduleError, match="not among the innermost loops"):
            schedule.rfactor(loop, 0)
    schedule.rfactor(m, 0)
    check(totals(), schedule)


def test_loop_that_runs_as_often_as_another_tells_is_refused():
    A, B = memory("A", 6, 6), memory("B", 1)
    j, k, v, w = (tir.Var(name) for name in "jkvw")
    zero = tir.IntImm(0)
    block = tir.ScheduleBlock((v, w), (), (), "B", tir.Store(B, B[0] + A[v, w], (zero,)))
    body = for_(j, 0, 6, for_(k, 0, j, tir.ScheduleBlockRealize((j, k), block)))
    func = tir.LoweredFunc("f", (A.buffer, B.buffer), tir.Block((body,)))
    schedule = Schedule(func)
    outer, inner = schedule.get_loops("B")
    with pytest.raises(ScheduleError, match="depends on loops around it"):
        schedule.rfactor(inner, 0)
    schedule.rfactor(outer, 0)
    check(func, schedule)


def test_partial_results_stand_where_what_they_are_made_of_is_there():
    """``T`` is made in each iteration of the loop around the reduction."""
    A, T, B = memory("A", 4, 5), memory("T", 5), memory("B", 4)
    i, j, k, v, w, x, y = (tir.Var(name) for name in "ijkvwxy")
    made = tir.ScheduleBlock((v, w), (), (), "T", tir.Store(T, A[v, w] + v, (w,)))
    step = tir.ScheduleBlock((x, y), (), (), "B", tir.Store(B, B[x] + T[y], (x,)))
    body = for_(
        i,
        0,
        4,
        for_(j, 0, 5, tir.ScheduleBlockRealize((i, j), made)),
        for_(k, 0, 5, tir.ScheduleBlockRealize((i, k), step)),
    )
    func = tir.LoweredFunc("f", (A.buffer, B.buffer), tir.Block((body,)), (T.buffer,))
    schedule = Schedule(func)
    block = schedule.rfactor(schedule.get_loops("B")[-1], 0)
    assert [each.stmt.loop_var.name for each in schedule.get_loops(block)] == ["i", "k"]
    check(func, schedule)


def test_conditions_of_other_loops_are_asked_around_the_reduction():
    func = totals()
    schedule = Schedule(func)
    i, k, _ = schedule.get_loops("C")
    schedule.decompose_reduction(schedule.get_block("C"), i)
    schedule.split(i, [-1, 2])
    block = schedule.rfactor(k, 0)
    guard = schedule.get_loops(block)[1].stmt.body.stmts[0]
    assert str(guard.condition) == "(((i_0 * 2) + i_1) < 3)"
    check(func, schedule)


def test_condition_of_the_reduction_and_of_other_loops_is_refused():
    A, B = memory("A", 4, 4), memory("B", 4)
    i, k, v, w = (tir.Var(name) for name in "ikvw")
    block = tir.ScheduleBlock((v, w), (), (), "B", tir.Store(B, B[v] + A[v, w], (v,)))
    branch = tir.IfThenElse(tir.LT(i, k), tir.Block((tir.ScheduleBlockRealize((i, k), block),)))
    body = tir.Block((for_(i, 0, 4, for_(k, 0, 4, branch)),))
    schedule = Schedule(tir.LoweredFunc("f", (A.buffer, B.buffer), body))
    with pytest.raises(ScheduleError, match="depends on loops of the reduction and on others"):
        schedule.rfactor(schedule.get_loops("B")[1], 0)


def test_partial_results_may_stand_right_before_what_combines_them():
    A, B = tir.placeholder("A", (3, 8), "int32"), tir.placeholder("B", (8,), "int32")
    k = tir.reduce_axis("k", 8)
    first = tir.compute((3,), lambda i: tir.reduce_max(A[i, k], [k]), "C")
    n = tir.reduce_axis("n", 8)
    last = tir.compute((3,), lambda i: tir.reduce_max(B[n] * first[i], [n]), "D")
    func = tir.lower("f", [A, B, last])
    schedule = Schedule(func)
    schedule.compute_with(schedule.get_loops("C")[0], schedule.get_loops("D")[0])
    i, n = schedule.get_loops("D")
    _, lane = schedule.split(n, [-1, 4])
    block = schedule.rfactor(lane, 1)
    assert schedule.get_loops(block)[0] == i  # it reads what is found in the same iteration
    check(func, schedule)
