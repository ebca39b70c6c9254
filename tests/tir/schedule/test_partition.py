"""Loops that are cut in several."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.errors import ScheduleError
from tests.support.tir_small import function, left, loop, memory, nodes


def padded() -> tir.LoweredFunc:
    A = tir.placeholder("A", (8,), "int32")
    B = tir.compute((10,), lambda i: A[i % 8] * 2, "B")
    return tir.lower("f", [A, B])


def guarded(extent: tir.Operand, low: int = 0, *scalars: tir.Var) -> tir.LoweredFunc:
    """A loop that does something else in its iterations from the third on."""
    a, i = memory("A", 40), tir.Var("i")
    early, late = tir.store(a, i, i), tir.store(a, -i, i)
    stmt = tir.IfThenElse(i < low + 3, tir.Block((early,)), tir.Block((late,)))
    return function([a], loop(i, low, extent, stmt), scalars=scalars)


def cut(func: tir.LoweredFunc, *at: int) -> tir.Schedule:
    schedule = tir.Schedule(func)
    made = schedule.loop_partition(schedule.get_loops()[0], at)
    assert len(made) == len(at) + 1
    assert tir.verify(schedule.func) == ()
    return schedule


@pytest.mark.parametrize("at", [[1], [3], [9], [2, 3, 7], [1, 2, 3, 4, 5, 6, 7, 8, 9]])
@pytest.mark.parametrize("low", [0, 5])
def test_parts_run_the_iterations_that_there_were(at, low):
    func = guarded(10, low)
    zeros = np.zeros(40, "int32")
    assert left(func, zeros) == left(cut(func, *at).func, zeros)


def test_branches_are_decided_in_parts_that_know():
    assert len(nodes(cut(guarded(10), 3).func, tir.IfThenElse)) == 0
    assert len(nodes(cut(guarded(10), 4).func, tir.IfThenElse)) == 1
    assert len(nodes(cut(guarded(10, 5), 3).func, tir.IfThenElse)) == 0


def test_the_tail_of_a_split_ends_where_its_guard_does():
    A = tir.placeholder("A", (10,))
    schedule = tir.Schedule(tir.lower("f", [A, tir.compute((10,), lambda i: A[i] * 2, "B")]))
    outer, inner = schedule.split(schedule.get_loops("B")[0], [-1, 4])
    whole, tail = schedule.loop_partition(outer, [2])
    assert whole == outer
    schedule.vectorize(inner)
    assert nodes(whole.stmt, tir.IfThenElse) == []
    assert nodes(tail.stmt, tir.IfThenElse) == []
    assert [each.extent.value for each in nodes(tail.stmt, tir.For)] == [1, 2]


def test_one_of_two_conditions_becomes_a_bound_and_the_other_stays():
    A = tir.placeholder("A", (10, 7))
    func = tir.lower("f", [A, tir.compute((10, 7), lambda i, j: A[i, j] * 2, "B")])
    schedule = tir.Schedule(func)
    i, j = schedule.get_loops("B")
    i_0, i_1 = schedule.split(i, [-1, 4])
    j_0, j_1 = schedule.split(j, [-1, 5])
    schedule.reorder([i_0, j_0, i_1, j_1])
    _, tail = schedule.loop_partition(i_0, [2])
    assert [each.extent.value for each in nodes(tail.stmt, tir.For)] == [1, 2, 2, 5]
    assert len(nodes(tail.stmt, tir.IfThenElse)) == 1
    given, zeros = np.arange(70, dtype="float32").reshape(10, 7), np.zeros((10, 7), "float32")
    assert left(schedule.func, given, zeros) == left(func, given, zeros)


def test_lanes_of_vectors_stay_with_their_guard():
    A = tir.placeholder("A", (10,))
    schedule = tir.Schedule(tir.lower("f", [A, tir.compute((10,), lambda i: A[i] * 2, "B")]))
    outer, inner = schedule.split(schedule.get_loops("B")[0], [-1, 4])
    schedule.vectorize(inner)
    _, tail = schedule.loop_partition(outer, [2])
    assert len(nodes(tail.stmt, tir.IfThenElse)) == 1


def test_parts_have_memory_of_their_own_where_iterations_have():
    A = tir.placeholder("A", (8, 4))
    schedule = tir.Schedule(tir.lower("f", [A, tir.compute((8, 4), lambda i, j: A[i, j], "B")]))
    copied = schedule.cache_write(schedule.get_block("B"), 0, "local")
    rows = schedule.get_loops("B")[0]
    schedule.compute_at(copied, rows)
    schedule.set_buffer(copied, "local", fixed=True)
    parts = schedule.loop_partition(rows, [3])
    memory = [nodes(part.stmt, tir.Alloc)[0].destination for part in parts]
    assert memory[0] is not memory[1]
    assert set(memory) <= set(schedule.func.temp_bufs)
    assert not tir.verify(schedule.func)


@pytest.mark.parametrize("count", [-(2**31), -1, 0, 1, 3, 5, 9, 12])
def test_parts_of_an_unknown_extent(count):
    n = tir.Var("n")
    func = guarded(n, 0, n)
    schedule = cut(func, 3, 5, 9)
    zeros = np.zeros(40, "int32")
    assert left(func, np.int32(count), zeros) == left(schedule.func, np.int32(count), zeros)
    assert nodes(schedule.func, tir.IfThenElse) == []


def test_parts_of_an_extent_that_is_known_to_be_large_are_of_fixed_lengths():
    n = tir.Var("n", "int32", 10, 20)
    first, second, third = cut(guarded(n, 0, n), 3, 9).get_loops()
    assert [first.stmt.extent.value, second.stmt.extent.value] == [3, 6]
    assert tir.astext(third.stmt.extent).startswith("(n - 9)\n")


def test_blocks_in_other_parts_have_names_of_their_own():
    schedule = tir.Schedule(padded())
    block = schedule.get_block("B")
    schedule.loop_partition(schedule.get_loops(block)[0], [2, 8])
    assert [each.name for each in schedule.get_all_blocks()] == ["B", "B_1", "B_2"]
    assert schedule.get_block("B") == block
    assert len({each.loop_var for each in nodes(schedule.func, tir.For)}) == 3


@pytest.mark.parametrize("at", [[], [0], [10], [-1], [3, 3], [5, 2], [2, 11]])
def test_cuts_that_make_no_sense_are_refused(at):
    schedule = tir.Schedule(padded())
    with pytest.raises(ScheduleError, match="loop i of 10 iterations cannot be cut"):
        schedule.loop_partition(schedule.get_loops()[0], at)


def test_a_loop_that_never_runs_has_no_place_for_a_cut():
    schedule = tir.Schedule(guarded(0))
    with pytest.raises(ScheduleError, match="loop i of 0 iterations cannot be cut"):
        schedule.loop_partition(schedule.get_loops()[0], [1])


def test_a_loop_that_changes_how_often_it_runs_is_not_cut():
    a, n, i = memory("A", 40), memory("N", 1), tir.Var("i")
    func = function([a, n], loop(i, 0, n[0], tir.store(n, 1, 0), tir.store(a, i, i)))
    schedule = tir.Schedule(func)
    with pytest.raises(ScheduleError, match="computes how often it runs from memory"):
        schedule.loop_partition(schedule.get_loops()[0], [2])
    with pytest.raises(ScheduleError, match="computes how often it runs from memory"):
        schedule.split(schedule.get_loops()[0], [-1, 2])


def test_vectorised_loop_is_not_cut():
    schedule = tir.Schedule(padded())
    (i,) = schedule.get_loops()
    schedule.vectorize(i, 2)
    with pytest.raises(ScheduleError, match="loop i is VECTORIZED"):
        schedule.loop_partition(i, [4])
