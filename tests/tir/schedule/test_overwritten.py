"""Stores that change places where nothing reads what the earlier one left."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir import Schedule
from tests.support.tir_programs import same_result
from tests.support.tir_small import loop, memory

A, B, T = memory("A", 8), memory("B", 8), memory("T", 8)
K, J = tir.Var("i"), tir.Var("j")


def block(name, values, body):
    own = tuple([tir.Var(f"v{at}") for at in range(len(values))])
    made = tir.ScheduleBlock(own, (), (), name, body(*own))
    return tir.ScheduleBlockRealize(tuple(values), made)


def function(*stmts, temporary=True, around=None):
    body = tir.Block(stmts)
    if around is not None:
        body = tir.Block((loop(around, 0, 2, *stmts),))
    args = (A.buffer, B.buffer) if temporary else (A.buffer, B.buffer, T.buffer)
    return tir.LoweredFunc("f", args, body, (T.buffer,) if temporary else ())


def first():
    """Stores all of ``T``."""
    return loop(K, 0, 8, block("first", [K], lambda v: tir.store(T, A[v], v)))


def second(*indices, count=8):
    """Stores to ``T[indices]`` again, in as many iterations."""
    at = indices[0] if indices else 3
    index = (lambda _: at) if isinstance(at, int) else at
    return loop(K, 0, count, block("second", [K], lambda v: tir.store(T, A[v] * 2, index(v))))


def use(index, name="use"):
    """Reads ``T``, in four iterations."""
    return loop(J, 0, 4, block(name, [J], lambda v: tir.store(B, T[index(v)], v)))


def is_moved(func):
    """Whether the second stores may run in the loop of the first, each after one of these."""
    schedule = Schedule(func)
    loops = schedule.get_loops("first")
    try:
        schedule.simple_compute_at(schedule.get_block("second"), loops[0])
    except ScheduleError:
        return False
    assert [str(each) for each in tir.verify(schedule.func)] == []
    assert same_result(func, schedule.func, seeds=range(3))
    return True


def test_stores_change_places_where_nothing_reads_what_they_leave():
    assert is_moved(function(first(), second(lambda v: 7 - v), use(lambda v: v)))


def test_stores_keep_their_places_where_one_is_read():
    assert not is_moved(function(first(), second(lambda v: 7 - v), use(lambda v: v + 1)))


def test_stores_keep_their_places_where_the_caller_sees_them():
    assert not is_moved(function(first(), second(lambda v: 7 - v), temporary=False))


def test_stores_keep_their_places_where_a_later_round_reads_them():
    read = use(lambda v: v)
    stmts = (read, first(), second(lambda v: 7 - v))
    assert not is_moved(function(*stmts, around=tir.Var("t")))


def test_last_of_the_stores_to_an_element_counts():
    assert is_moved(function(first(), second(3), use(lambda v: v), temporary=False))


def test_last_store_has_to_come_last():
    assert not is_moved(function(first(), second(lambda v: 7 - v / 2), use(lambda v: v + 4)))


@pytest.mark.parametrize(("when", "is_legal"), [(5, False), (-1, True)])
def test_store_that_is_read_before_the_last_counts(when, is_legal):
    """What the iteration 5 reads is of that before, and ``first`` must not come between."""

    def body(v):
        read = tir.IfThenElse(tir.EQ(v, tir.const(when)), tir.Block((tir.store(B, T[5], 0),)))
        return tir.Block((read, tir.store(T, A[v] * 2, 5)))

    func = function(first(), loop(K, 0, 8, block("second", [K], body)), use(lambda v: v + 2))
    assert is_moved(func) == is_legal


def test_iterations_that_run_at_once_have_no_last_store():
    stores = second(3).with_fields(for_type=tir.ForType.PARALLEL)
    assert not is_moved(function(first(), stores, use(lambda v: v)))


@pytest.mark.parametrize(("read", "is_legal"), [(7, True), (5, False)])
def test_block_is_computed_again_where_it_reads_what_it_does_not_write(read, is_legal):
    """``T[0..5]`` are made of an element of ``T``, in each iteration that needs all of them."""
    update = loop(J, 0, 6, block("update", [J], lambda v: tir.store(T, T[read] + A[v], v)))
    total = block("use", [J], lambda v: tir.store(B, T[0] + T[5] + A[v], v))
    func = function(first(), update, loop(J, 0, 4, total))
    schedule = Schedule(func)
    place = schedule.get_block("update"), schedule.get_loops("use")[0]
    if not is_legal:
        with pytest.raises(ScheduleError, match="reads what it writes"):
            schedule.compute_at(*place)
        return
    schedule.compute_at(*place)
    assert not tir.verify(schedule.func)
    assert same_result(func, schedule.func, seeds=range(3))
