"""Loops that are made parallel, vectorised, unrolled, and bound to a device."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from tests.support.tir_small import function, loop, memory


def shifted(distance):
    a, i = memory("A", 64), tir.Var("i")
    stmt = tir.store(a, a[i] + 1, i + distance)
    schedule = tir.Schedule(function([a], loop(i, 0, 32, stmt)))
    return schedule, schedule.get_loops()[0]


def test_loop_without_dependences_is_made_parallel():
    schedule, i = shifted(32)
    schedule.parallel(i)
    assert i.stmt.for_type is tir.ForType.PARALLEL


def test_loop_whose_iterations_depend_on_one_another_is_not():
    schedule, i = shifted(31)
    with pytest.raises(ScheduleError) as found:
        schedule.parallel(i)
    assert str(found.value) == (
        "loop i cannot be PARALLEL: A[i] at i = 31 has to come after A[(i + 31)] = (A[i] + 1) at "
        "i = 0; let each iteration have elements of its own, as rfactor, cache_write and "
        "set_buffer with fixed=True do"
    )
    with pytest.raises(ScheduleError, match="loop i cannot be GPU_THREAD"):
        schedule.bind(i, "threadIdx.x")


def test_vector_may_be_as_long_as_dependences_are_far():
    schedule, i = shifted(4)
    with pytest.raises(ScheduleError, match="loop i cannot be VECTORIZED"):
        schedule.vectorize(i, 5)
    schedule.vectorize(i, 4)
    assert i.stmt.vectorize_info == tir.VectorizeInfo(0, 4)


def test_lanes_that_depend_on_one_another_are_told_not_iterations_further_apart():
    a, i = memory("A", 64), tir.Var("i")
    stmt = tir.store(a, a[i] + 1, 40 - i)  # iterations 9 and 31, 10 and 30, up to 19 and 21
    schedule = tir.Schedule(function([a], loop(i, 0, 32, stmt)))
    [lanes] = schedule.get_loops()
    with pytest.raises(ScheduleError, match=r"at i = 31 has to come after .* at i = 9;"):
        schedule.parallel(lanes)
    with pytest.raises(ScheduleError, match=r"at i = 22 has to come after .* at i = 18;"):
        schedule.vectorize(lanes, 5)


def test_vector_has_by_default_all_iterations():
    schedule, i = shifted(32)
    schedule.vectorize(i)
    assert i.stmt.vectorize_info.factor == 32


@pytest.mark.parametrize("lanes", [0, -2])
def test_vector_of_no_lanes_is_refused(lanes):
    schedule, i = shifted(32)
    with pytest.raises(ScheduleError, match="expected a positive factor"):
        schedule.vectorize(i, lanes)


def test_unknown_extent_needs_a_factor():
    a, i, n = memory("A", 64), tir.Var("i"), tir.Var("n")
    schedule = tir.Schedule(function([a], loop(i, 0, n, tir.store(a, 1, i)), scalars=(n,)))
    with pytest.raises(ScheduleError, match="since its extent is no number"):
        schedule.vectorize(schedule.get_loops()[0])


def test_any_loop_may_be_unrolled():
    schedule, i = shifted(1)
    schedule.unroll(i)
    assert i.stmt.for_type is tir.ForType.UNROLLED
    with pytest.raises(ScheduleError, match="is UNROLLED already; expected a serial loop"):
        schedule.parallel(i)


def test_loop_is_bound_to_an_index_of_the_device_once():
    a, i, j = memory("A", 8, 8), tir.Var("i"), tir.Var("j")
    schedule = tir.Schedule(function([a], loop(i, 0, 8, loop(j, 0, 8, tir.store(a, 1, (i, j))))))
    outer, inner = schedule.get_loops()
    schedule.bind(outer, "threadIdx.x")
    assert str(outer.stmt.bind_info) == "threadIdx.x"
    with pytest.raises(ScheduleError, match=r"loop i, around j, is bound to threadIdx.x already"):
        schedule.bind(inner, "threadIdx.x")
    with pytest.raises(ScheduleError, match=r"'thread.x' is no index of a device"):
        schedule.bind(inner, "thread.x")
    assert not tir.verify(schedule.func)
