"""Copies that blocks read, and memory that they write before it is copied."""

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir import Schedule
from tests.support.tir_programs import same_result
from tests.support.tir_regions import with_regions
from tests.support.tir_small import function, memory
from tests.support.tir_small import loop as for_


def sums(dtype="int32"):
    """``C[i, j]``, sums over ``A``, and ``D``, which reads some of it."""
    A = tir.placeholder("A", (6, 5), dtype)
    k = tir.reduce_axis("k", 5)
    C = tir.compute((6, 4), lambda i, j: tir.reduce_sum(A[i, k] + A[i, j], [k]), "C")
    D = tir.compute((3, 4), lambda i, j: C[i + 2, j] + C[i + 1, j], "D")
    return tir.lower("f", [A, C, D])


def check(before, schedule):
    assert tir.verify(schedule.func) == ()
    assert same_result(before, schedule.func)


def nest_of(schedule, block):
    """The outermost loop of a block, as it is printed."""
    return str(schedule.get_loops(block)[0].stmt)


def test_copy_has_the_part_that_is_read_and_stands_before_the_loops():
    func = sums()
    schedule = Schedule(func)
    copy = schedule.cache_read(schedule.get_block("D"), 0, "local")
    assert copy.name == "C_local_temp_buffer"
    assert (
        nest_of(schedule, copy)
        == """\
serial for (cache_ax0, 0, 4)
{
  serial for (cache_ax1, 0, 4)
  {
    ScheduleBlock(C_local_temp_buffer)
    {
      i0, i1 = axis.bind(cache_ax0, cache_ax1)
      C_local_temp_buffer[i0, i1] = C[(i0 + 1), i1]
    }
  }
}"""
    )
    stores = tir.collect_ir_nodes(schedule.get_block("D").stmt, lambda n: isinstance(n, tir.Store))
    assert [str(each) for each in stores] == [
        "D[i0, i1] = (C_local_temp_buffer[(i0 + 1), i1] + C_local_temp_buffer[i0, i1])"
    ]
    assert [each.memory_type for each in schedule.func.temp_bufs] == [tir.MemoryType.GPU_LOCAL]
    check(func, schedule)


def test_buffers_that_a_block_writes_as_well_come_last():
    func = sums()
    schedule = Schedule(func)
    assert schedule.cache_read(schedule.get_block("C"), 0, "global").name == "A_global_temp_buffer"
    check(func, schedule)


def test_block_writes_memory_that_is_copied_by_one_of_its_name():
    func = sums()
    schedule = Schedule(func)
    block = schedule.get_block("C")
    computing = schedule.cache_write(block, 0, "local")
    assert computing == block
    assert block.name == "C_local_temp_buffer"
    assert [each.name for each in schedule.get_all_blocks()] == [
        "C_local_temp_buffer__reduce_init",
        "C_local_temp_buffer",
        "C",
        "D",
    ]
    assert (
        nest_of(schedule, "C")
        == """\
serial for (cache_ax0, 0, 6)
{
  serial for (cache_ax1, 0, 4)
  {
    ScheduleBlock(C)
    {
      i0, i1 = axis.bind(cache_ax0, cache_ax1)
      C[i0, i1] = C_local_temp_buffer[i0, i1]
    }
  }
}"""
    )
    check(func, schedule)


def test_first_values_that_stand_before_go_to_the_new_memory_too():
    func = sums()
    schedule = Schedule(func)
    block = schedule.get_block("C")
    schedule.decompose_reduction(block, schedule.get_loops(block)[0])
    schedule.cache_write(block, 0, "local")
    assert [each.name for each in schedule.get_all_blocks()] == [
        "C_local_temp_buffer__reduce_init",
        "C_local_temp_buffer",
        "C",
        "D",
    ]
    check(func, schedule)


def test_part_that_is_not_all_stored_to_is_copied_before():
    A, B = memory("A", 8), memory("B", 8)
    i, v = tir.Var("i"), tir.Var("v", "int32", 0, 3)
    store = tir.Store(B, A[v] + B[v + 1], (v * 2,))
    block = tir.ScheduleBlock((v,), (), (), "U", store)
    func = function([A, B], for_(i, 0, 3, tir.ScheduleBlockRealize((i,), block)))
    schedule = Schedule(func)
    schedule.cache_write(schedule.get_block("U"), 0, "stack")
    assert [each.name for each in schedule.get_all_blocks()] == [
        "B_stack_temp_buffer_first",
        "U",
        "B_1",
    ]
    assert [str(each.shape[0]) for each in schedule.func.temp_bufs] == ["5"]
    check(func, schedule)


def update_in_place(shift):
    """``A[v] = A[v - shift] + 1`` in a loop."""
    A = memory("A", 8)
    i, v = tir.Var("i"), tir.Var("v", "int32", 1, 8)
    store = tir.Store(A, A[v - shift] + 1, (v,))
    block = tir.ScheduleBlock((v,), (), (), "U", store)
    return function(
        [A], for_(i, max(shift, 1), 6 - max(shift - 1, 0), tir.ScheduleBlockRealize((i,), block))
    )


def test_copy_stands_where_nothing_writes_what_is_read_after_it():
    func = update_in_place(1)
    schedule = Schedule(func)
    copy = schedule.cache_read(schedule.get_block("U"), 0, "global")
    assert [each.stmt.loop_var.name for each in schedule.get_loops(copy)] == ["i", "cache_ax0"]
    check(func, schedule)
    ahead = Schedule(update_in_place(-1))
    copy = ahead.cache_read(ahead.get_block("U"), 0, "global")
    assert [each.stmt.loop_var.name for each in ahead.get_loops(copy)] == ["cache_ax0"]
    check(update_in_place(-1), ahead)


def test_lanes_of_vectors_have_no_copies():
    schedule = Schedule(update_in_place(2))
    schedule.vectorize(schedule.get_loops("U")[0], 2)
    with pytest.raises(ScheduleError, match="cache_read before vectorize"):
        schedule.cache_read(schedule.get_block("U"), 0, "global")


def test_block_that_reads_what_it_has_stored_itself_is_refused():
    A, B = memory("A", 4), memory("B", 4)
    i, v = tir.Var("i"), tir.Var("v")
    body = tir.Block((tir.Store(A, v + 1, (v,)), tir.Store(B, A[v], (v,))))
    block = tir.ScheduleBlock((v,), (), (), "U", body)
    schedule = Schedule(function([A, B], for_(i, 0, 4, tir.ScheduleBlockRealize((i,), block))))
    with pytest.raises(ScheduleError) as refused:
        schedule.cache_read(schedule.get_block("U"), 0, "local")
    assert str(refused.value) == (
        "ScheduleBlock(U) reads what it has written itself: A[v] has to come after "
        "A[v] = (v + 1); expected reads of what is there before it"
    )


def test_copy_in_a_parallel_loop_is_of_each_iteration_alone():
    A, B = memory("A", 4, 6), memory("B", 4, 6)
    i, j, v, w = (tir.Var(name) for name in "ijvw")
    store = tir.Store(B, A[v, w] + B[v, w - 1], (v, w))
    block = tir.ScheduleBlock((v, w), (), (), "U", store)
    inner = for_(j, 1, 5, tir.ScheduleBlockRealize((i, j), block))
    func = function([A, B], for_(i, 0, 4, inner, kind="PARALLEL"))
    schedule = Schedule(func)
    schedule.cache_read(schedule.get_block("U"), 1, "local")
    check(func, schedule)
    allocs = tir.collect_ir_nodes(schedule.func, lambda each: isinstance(each, tir.Alloc))
    assert [str(each) for each in allocs] == ["alloc(_B_local_temp_buffer, 1, 1)"]


def test_blocks_say_what_they_access_afterwards_if_they_did_before():
    func = with_regions(sums())
    schedule = Schedule(func)
    schedule.cache_read(schedule.get_block("D"), 0, "local")
    schedule.cache_write(schedule.get_block("C"), 0, "local")
    check(func, schedule)


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda s: s.cache_read(s.get_block("D"), 1, "local"), r"reads 1 buffers \(0: _C\)"),
        (lambda s: s.cache_write(s.get_block("D"), -1, "local"), "found number -1"),
        (lambda s: s.cache_read(s.get_block("D"), 0, "lokal"), "no memory is called 'lokal'"),
    ],
)
def test_what_there_is_not_is_refused(step, message):
    schedule = Schedule(sums())
    with pytest.raises(ScheduleError, match=message):
        step(schedule)


def test_temporary_that_is_not_all_stored_to_is_not_copied():
    A, T, B = memory("A", 8), memory("T", 8), memory("B", 4)
    i, j, v, w = (tir.Var(name) for name in "ijvw")
    first = tir.ScheduleBlock((v,), (), (), "T", tir.Store(T, A[v], (v * 2,)))
    second = tir.ScheduleBlock((w,), (), (), "B", tir.Store(B, T[w * 2], (w,)))
    body = tir.Block(
        (
            for_(i, 0, 4, tir.ScheduleBlockRealize((i,), first)),
            for_(j, 0, 4, tir.ScheduleBlockRealize((j,), second)),
        )
    )
    func = tir.LoweredFunc("f", (A.buffer, B.buffer), body, (T.buffer,))
    schedule = Schedule(func)
    with pytest.raises(ScheduleError, match="it is not known that each element of _T is stored"):
        schedule.cache_read(schedule.get_block("B"), 0, "local")
    with pytest.raises(ScheduleError, match="nor that something before it"):
        schedule.cache_write(schedule.get_block("T"), 0, "local")


@pytest.mark.parametrize(
    ("first", "count", "is_stored"), [(2, 4, True), (2, 3, False), (3, 5, False)]
)
def test_part_that_is_read_has_to_be_stored_the_rest_need_not(first, count, is_stored):
    """``T[2..5]`` is read, of which so many elements are stored from the first on."""
    A, T, B = memory("A", 8), memory("T", 8), memory("B", 4)
    i, j, v, w = (tir.Var(name) for name in "ijvw")
    stored = tir.ScheduleBlock((v,), (), (), "T", tir.Store(T, A[v], (v,)))
    read = tir.ScheduleBlock((w,), (), (), "B", tir.Store(B, T[w + 2], (w,)))
    body = tir.Block(
        (
            for_(i, first, count, tir.ScheduleBlockRealize((i,), stored)),
            for_(j, 0, 4, tir.ScheduleBlockRealize((j,), read)),
        )
    )
    func = tir.LoweredFunc("f", (A.buffer, B.buffer), body, (T.buffer,))
    schedule = Schedule(func)
    if is_stored:
        schedule.cache_read(schedule.get_block("B"), 0, "local")
        check(func, schedule)
        return
    with pytest.raises(ScheduleError, match="it is not known that each element of _T is stored"):
        schedule.cache_read(schedule.get_block("B"), 0, "local")
