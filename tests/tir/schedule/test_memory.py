"""Where memory is, memory of iterations alone, and threads that wait."""

import numpy as np
import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir import Schedule
from tests.support.tir_programs import arguments, same_result
from tests.support.tir_regions import with_regions
from tests.support.tir_small import loop as for_
from tests.support.tir_small import memory


def block(name, values, store):
    """A block over variables called as the loops, with what it does given these."""
    variables = tuple([tir.Var(f"v{at}") for at in range(len(values))])
    return tir.ScheduleBlockRealize(
        values, tir.ScheduleBlock(variables, (), (), name, store(*variables))
    )


def smoothed(width=3, *, step=1, first=None):
    """``T``, made for some columns, is read by ``B`` in each iteration of ``j``.

    Args:
        width: Of how many columns each iteration makes ``T``.
        step: How far the columns of two iterations are apart.
        first: The number of an iteration that alone makes ``T``.
    """
    A, T, B = memory("A", 3, 12), memory("T", 3, 12), memory("B", 3, 4)
    i, j, k, m = (tir.Var(name) for name in "ijkm")
    make = for_(
        k,
        0,
        width,
        block("T", (i, j * step + k), lambda v, w: tir.Store(T, A[v, w] * 2, (v, w))),
    )
    if first is not None:
        make = tir.IfThenElse(tir.EQ(j, first), tir.Block((make,)))
    use = for_(
        m,
        0,
        width,
        block(
            "B",
            (i, j, j * step + m),
            lambda v, w, x: tir.Store(B, B[v, w] + T[v, x], (v, w)),
        ),
    )
    body = tir.Block((for_(i, 0, 3, for_(j, 0, 4, make, use)),))
    return tir.LoweredFunc("f", (A.buffer, B.buffer), body, (T.buffer,))


def check(before, schedule):
    assert tir.verify(schedule.func) == ()
    assert same_result(before, schedule.func)


def test_type_of_memory_changes_for_all_uses():
    func = smoothed()
    schedule = Schedule(func)
    schedule.set_buffer(schedule.get_block("T"), "shared")
    [buffer] = schedule.func.temp_bufs
    assert buffer.memory_type is tir.MemoryType.GPU_SHARED
    used = {
        each.tensor.buffer
        for each in tir.collect_ir_nodes(schedule.func, lambda n: isinstance(n, tir.Load))
        if each.tensor.name == "T"
    }
    assert used == {buffer}
    check(func, schedule)


@pytest.mark.parametrize("step", [1, 2, 3])
def test_iterations_get_memory_of_their_own_which_they_fill(step):
    func = smoothed(step=step)
    schedule = Schedule(func)
    i, j = schedule.get_loops("T")[:2]
    schedule.set_buffer(schedule.get_block("T"), "local", fixed=True)
    assert str(j.stmt.body.stmts[0]) == "alloc(_T, 1, 3)"
    assert [str(each.stmt.loop_var.name) for each in schedule.get_loops("T")] == ["i", "j", "k"]
    schedule.parallel(j)
    schedule.parallel(i)
    check(func, schedule)
    given = arguments(func)
    expected = [np.copy(each) for each in given]
    tir.run(func, *expected)
    tir.build(schedule.func)(*given)
    assert all(np.array_equal(*pair) for pair in zip(given, expected, strict=True))


def test_loop_whose_iterations_share_memory_is_not_parallel_until_then():
    schedule = Schedule(smoothed())
    with pytest.raises(ScheduleError, match="set_buffer with fixed=True"):
        schedule.parallel(schedule.get_loops("T")[1])


def test_indices_are_those_of_the_part():
    schedule = Schedule(smoothed())
    schedule.set_buffer(schedule.get_block("T"), "local", fixed=True)
    stores = tir.collect_ir_nodes(schedule.func, lambda each: isinstance(each, tir.Store))
    assert [str(each.indices[-1]) for each in stores if each.tensor.name == "T"] == ["(v1 - j)"]


def test_memory_is_of_an_outer_loop_where_inner_iterations_read_from_each_other():
    func = smoothed(width=12, step=0, first=0)
    schedule = Schedule(func)
    i, j = schedule.get_loops("T")[:2]
    schedule.set_buffer(schedule.get_block("T"), "global", fixed=True)
    assert str(i.stmt.body.stmts[0]) == "alloc(_T, 1, 12)"
    check(func, schedule)
    with pytest.raises(ScheduleError):
        schedule.parallel(j)
    schedule.parallel(i)
    check(func, schedule)


def test_iterations_that_read_what_others_stored_have_none():
    A, T, B = memory("A", 6), memory("T", 7), memory("B", 6)
    i, k = tir.Var("i"), tir.Var("k")
    start = for_(k, 0, 7, block("S", (k,), lambda v: tir.Store(T, v, (v,))))
    make = block("T", (i,), lambda v: tir.Store(T, A[v] + T[v], (v + 1,)))
    use = block("B", (i,), lambda v: tir.Store(B, T[v + 1], (v,)))
    body = for_(i, 0, 6, make, use)
    twice = for_(tir.Var("t"), 0, 2, start, body)
    func = tir.LoweredFunc("f", (A.buffer, B.buffer), tir.Block((start, body)), (T.buffer,))
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="no loop is around all uses of _T"):
        schedule.set_buffer(schedule.get_block("T"), "local", fixed=True)
    only = Schedule(tir.LoweredFunc("f", func.args, tir.Block((twice,)), func.temp_bufs))
    only.set_buffer(only.get_block("T"), "local", fixed=True)
    check(tir.LoweredFunc("f", func.args, tir.Block((twice,)), func.temp_bufs), only)
    rolling = tir.LoweredFunc("f", (A.buffer, B.buffer), tir.Block((body,)), (T.buffer,))
    schedule = Schedule(rolling)
    with pytest.raises(ScheduleError, match=r"an iteration of for \(i, 0, 6\) reads what another"):
        schedule.set_buffer(schedule.get_block("T"), "local", fixed=True)


def test_memory_that_threads_share_is_not_of_their_loops():
    func = smoothed(step=3)
    schedule = Schedule(func)
    i, j = schedule.get_loops("T")[:2]
    schedule.bind(i, "blockIdx.x")
    schedule.bind(j, "threadIdx.x")
    schedule.set_buffer(schedule.get_block("T"), "shared", fixed=True)
    assert str(i.stmt.body.stmts[0]) == "alloc(_T, 1, 12)"


def test_argument_is_no_temporary():
    schedule = Schedule(smoothed())
    with pytest.raises(ScheduleError, match=r"_B is an argument of f.*cache_write makes one"):
        schedule.set_buffer(schedule.get_block("B"), "local")


def test_memory_that_is_allocated_already_is_refused():
    schedule = Schedule(smoothed())
    schedule.set_buffer(schedule.get_block("T"), "local", fixed=True)
    with pytest.raises(ScheduleError, match="gives _T its memory already"):
        schedule.set_buffer(schedule.get_block("T"), "local")


def test_blocks_that_say_what_they_access_say_so_of_the_new_memory():
    for fixed in (False, True):
        func = with_regions(smoothed())
        schedule = Schedule(func)
        schedule.set_buffer(schedule.get_block("T"), "stack", fixed=fixed)
        check(func, schedule)


def test_threads_wait_beside_a_loop_or_a_block():
    func = smoothed()
    schedule = Schedule(func)
    _, j, k = schedule.get_loops("T")
    schedule.sync_threads(k)
    schedule.sync_threads(schedule.get_block("B"), after=False)
    assert [type(each).__name__ for each in j.stmt.body.stmts] == ["For", "Call", "For"]
    inner = schedule.get_loops("B")[-1].stmt.body.stmts
    assert [str(each).split("(")[0] for each in inner] == ["cuda_sync_threads", "ScheduleBlock"]
    check(func, schedule)


def test_threads_do_not_wait_where_not_all_of_them_come():
    A = memory("A", 4, 4)
    i, k = tir.Var("i"), tir.Var("k")
    inner = for_(k, 0, 4, block("A", (i, k), lambda v, w: tir.Store(A, v, (v, w))))
    branch = tir.IfThenElse(tir.LT(i, 2), tir.Block((inner,)))
    func = tir.LoweredFunc("f", (A.buffer,), tir.Block((for_(i, 0, 4, branch),)))
    schedule = Schedule(func)
    i, k = schedule.get_loops("A")
    schedule.sync_threads(k)
    schedule = Schedule(func)
    i, k = schedule.get_loops("A")
    schedule.bind(i, "threadIdx.x")
    with pytest.raises(ScheduleError, match="holds for some threads only: it depends on i"):
        schedule.sync_threads(k)
    schedule.sync_threads(i)
