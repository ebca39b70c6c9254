"""Blocks whose values are computed where they are used."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir import Schedule
from tests.support.tir_programs import same_result
from tests.support.tir_small import loop as for_
from tests.support.tir_small import memory


def body_of(schedule):
    """The loops of a function, as they are printed."""
    return str(schedule.func.body.stmts[0].schedule_block.body).strip()


def check(before, schedule):
    assert tir.verify(schedule.func) == ()
    assert same_result(before, schedule.func)


def chain(fn, *, shape=(6, 6), dtype="float32"):
    """``B``, twice ``A``, and ``C``, what ``fn`` makes of ``B``."""
    A = tir.placeholder("A", shape, dtype)
    B = tir.compute(shape, lambda i, j: A[i, j] * 2, "B")
    return tir.lower("f", [A, tir.compute(shape, lambda i, j: fn(B, i, j), "C")])


def block(name, values, body, variables=None):
    own = tuple(variables) if variables else tuple([tir.Var(f"v{n}") for n in range(len(values))])
    held = body(*own) if callable(body) else body
    made = tir.ScheduleBlock(own, (), (), name, held)
    return tir.ScheduleBlockRealize(tuple(values), made)


def function(args, temps, *stmts):
    args = tuple([each.buffer for each in args])
    temps = tuple([each.buffer for each in temps])
    return tir.LoweredFunc("f", args, tir.Block(stmts), temps)


def test_inlined_block_is_computed_where_it_is_loaded():
    func = chain(lambda B, i, j: B[j, i] + B[i, j])
    schedule = Schedule(func)
    schedule.compute_inline(schedule.get_block("B"))
    assert (
        body_of(schedule)
        == """\
{
  serial for (i, 0, 6)
  {
    serial for (j, 0, 6)
    {
      ScheduleBlock(C)
      {
        i0, i1 = axis.bind(i, j)
        C[i0, i1] = ((A[i1, i0] * 2.00000000f) + (A[i0, i1] * 2.00000000f))
      }
    }
  }
}"""
    )
    assert schedule.func.temp_bufs == ()
    check(func, schedule)


def test_handles_of_consumers_stay_and_that_of_the_block_is_gone():
    func = chain(lambda B, i, j: B[i, j] + 1)
    schedule = Schedule(func)
    gone, stays = schedule.get_block("B"), schedule.get_block("C")
    loops = schedule.get_loops("C")
    schedule.compute_inline(gone)
    assert stays.name == "C"
    assert [each.stmt.loop_var.name for each in loops] == ["i", "j"]
    with pytest.raises(ScheduleError, match="is gone since step 3, compute_inline"):
        schedule.get_loops(gone)


def test_reduction_inlines_what_it_reduces():
    A = tir.placeholder("A", (4, 5))
    B = tir.compute((4, 5), lambda i, j: A[i, j] * 2, "B")
    k = tir.reduce_axis("k", 5)
    func = tir.lower("f", [A, tir.compute((4,), lambda i: tir.reduce_sum(B[i, k], [k]), "C")])
    schedule = Schedule(func)
    schedule.compute_inline(schedule.get_block("B"))
    check(func, schedule)


def test_shifted_store_is_inverted():
    A, T, C = memory("A", 8), memory("T", 10), memory("C", 8)
    i, j = tir.Var("i"), tir.Var("j")
    func = function(
        [A, C],
        [T],
        for_(i, 0, 8, block("T", [i], lambda v: tir.store(T, A[v] * 3, v + 2))),
        for_(j, 0, 8, block("C", [j], lambda v: tir.store(C, T[9 - v], v))),
    )
    schedule = Schedule(func)
    schedule.compute_inline(schedule.get_block("T"))
    assert "C[v0] = (A[(-(v0) + 7)] * 3)" in str(schedule.func)
    check(func, schedule)


def test_reduction_is_no_expression_to_inline():
    A = tir.placeholder("A", (4, 5))
    k = tir.reduce_axis("k", 5)
    B = tir.compute((4,), lambda i: tir.reduce_sum(A[i, k], [k]), "B")
    schedule = Schedule(tir.lower("f", [A, tir.compute((4,), lambda i: B[i] + 1, "C")]))
    with pytest.raises(ScheduleError, match="own for each of the variables"):
        schedule.compute_inline(schedule.get_block("B"))


def test_argument_is_not_inlined():
    A = tir.placeholder("A", (4,))
    B = tir.compute((4,), lambda i: A[i] + 1, "B")
    schedule = Schedule(tir.lower("f", [A, B, tir.compute((4,), lambda i: B[i] * 2, "C")]))
    with pytest.raises(ScheduleError, match="_B is an argument; expected memory of the function"):
        schedule.compute_inline(schedule.get_block("B"))


def overwritten(index):
    """``T`` is made of ``A``, of which elements change before ``C`` is made of ``T``."""
    A, T, C = memory("A", 8), memory("T", 8), memory("C", 8)
    i, j, k = tir.Var("i"), tir.Var("j"), tir.Var("k")
    return function(
        [A, C],
        [T],
        for_(i, 0, 8, block("T", [i], lambda v: tir.store(T, A[v] * 3, v))),
        for_(j, 0, 4, block("A", [j], lambda v: tir.store(A, v, v))),
        for_(k, 0, 4, block("C", [k], lambda v: tir.store(C, T[index(v)], v))),
    )


def test_what_is_overwritten_between_is_not_read_later():
    schedule = Schedule(overwritten(lambda v: v + 3))
    with pytest.raises(ScheduleError) as refused:
        schedule.compute_inline(schedule.get_block("T"))
    assert str(refused.value).startswith(
        "compute_inline of T would change what is computed: A[v0] = v0 at j = 3 has to come after "
        "A[v0] at i = 3, and would come before it"
    ), refused.value


def test_what_is_overwritten_elsewhere_does_not_matter():
    func = overwritten(lambda v: v + 4)
    schedule = Schedule(func)
    schedule.compute_inline(schedule.get_block("T"))
    check(func, schedule)


def test_block_that_nothing_needs_is_gone_then():
    A, T = memory("A", 8), memory("T", 8)
    i = tir.Var("i")
    func = function([A], [T], for_(i, 0, 8, block("T", [i], lambda v: tir.store(T, A[v], v))))
    schedule = Schedule(func)
    schedule.compute_inline(schedule.get_block("T"))
    assert schedule.get_loops() == []
    check(func, schedule)


def test_each_consumer_is_asked_about():
    A, T, B, C = memory("A", 8), memory("T", 8), memory("B", 8), memory("C", 8)
    h, i, j, k = [tir.Var(name) for name in "hijk"]
    func = function(
        [A, B, C],
        [T],
        for_(i, 0, 8, block("T", [i], lambda v: tir.store(T, A[v] * 3, v))),
        for_(h, 0, 8, block("B", [h], lambda v: tir.store(B, T[v], v))),
        for_(j, 0, 8, block("A", [j], lambda v: tir.store(A, v, v))),
        for_(k, 0, 8, block("C", [k], lambda v: tir.store(C, T[v], v))),
    )
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="compute_inline of T would change what is computed"):
        schedule.compute_inline(schedule.get_block("T"))


def test_consumer_that_overwrites_what_later_ones_need_is_refused():
    A, T = memory("A", 8), memory("T", 8)
    i, j = tir.Var("i"), tir.Var("j")
    func = function(
        [A],
        [T],
        for_(i, 0, 8, block("T", [i], lambda v: tir.store(T, A[v] * 3, v))),
        for_(j, 0, 8, block("A", [j], lambda v: tir.store(A, T[7 - v], v))),
    )
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="would change what is computed"):
        schedule.compute_inline(schedule.get_block("T"))


def test_consumer_that_overwrites_its_own_element_is_fine():
    A, T = memory("A", 8), memory("T", 8)
    i, j = tir.Var("i"), tir.Var("j")
    func = function(
        [A],
        [T],
        for_(i, 0, 8, block("T", [i], lambda v: tir.store(T, A[v] * 3, v))),
        for_(j, 0, 8, block("A", [j], lambda v: tir.store(A, T[v], v))),
    )
    schedule = Schedule(func)
    schedule.compute_inline(schedule.get_block("T"))
    check(func, schedule)


def in_time(extent):
    """In each step ``T`` is made of some of ``A``, and ``A`` of ``T``."""
    A, T = memory("A", 8), memory("T", 8)
    t, i, j = tir.Var("t"), tir.Var("i"), tir.Var("j")
    made = for_(i, 0, extent, block("T", [i], lambda v: tir.store(T, A[v] + 1, v)))
    used = for_(j, 0, 8, block("A", [j], lambda v: tir.store(A, T[v], v)))
    return function([A], [T], for_(t, 0, 3, made, used))


def test_loop_around_both_inlines_what_each_iteration_computes():
    func = in_time(8)
    schedule = Schedule(func)
    schedule.compute_inline(schedule.get_block("T"))
    check(func, schedule)


def test_loop_around_both_keeps_what_an_iteration_does_not_compute():
    schedule = Schedule(in_time(7))
    with pytest.raises(ScheduleError, match="does not store in the same iteration"):
        schedule.compute_inline(schedule.get_block("T"))


def test_reverse_inlined_block_is_computed_where_its_element_is():
    func = chain(lambda B, i, j: B[j, i] + 1)
    schedule = Schedule(func)
    schedule.reverse_compute_inline(schedule.get_block("C"))
    assert (
        body_of(schedule)
        == """\
{
  serial for (i, 0, 6)
  {
    serial for (j, 0, 6)
    {
      ScheduleBlock(B)
      {
        i0, i1 = axis.bind(i, j)
        C[i1, i0] = ((A[i0, i1] * 2.00000000f) + 1.00000000f)
      }
    }
  }
}"""
    )
    check(func, schedule)


def test_reverse_inlined_part_is_guarded():
    A, T, C = memory("A", 8), memory("T", 8), memory("C", 8)
    i, j = tir.Var("i"), tir.Var("j")
    func = function(
        [A, C],
        [T],
        for_(i, 0, 8, block("T", [i], lambda v: tir.store(T, A[v] * 3, v))),
        for_(j, 2, 4, block("C", [j], lambda v: tir.store(C, T[v], v))),
    )
    schedule = Schedule(func)
    schedule.reverse_compute_inline(schedule.get_block("C"))
    check(func, schedule)
    assert "if ((v0 >= 2))" in str(schedule.func)
    assert "if ((v0 <= 5))" in str(schedule.func)


def test_reverse_inline_of_a_stencil_is_refused():
    func = chain(lambda B, i, j: B[i, j] + B[j, i])
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="is made of no element that one block stores"):
        schedule.reverse_compute_inline(schedule.get_block("C"))


def test_reverse_inline_that_overwrites_what_is_read_later_is_refused():
    A, T = memory("A", 8), memory("T", 8)
    i, j = tir.Var("i"), tir.Var("j")
    func = function(
        [A],
        [T],
        for_(i, 0, 8, block("T", [i], lambda v: tir.store(T, A[7 - v] * 3, v))),
        for_(j, 0, 8, block("A", [j], lambda v: tir.store(A, T[v], v))),
    )
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="reverse_compute_inline of A would change"):
        schedule.reverse_compute_inline(schedule.get_block("A"))
