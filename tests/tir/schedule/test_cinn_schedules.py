"""CINN's tests of schedules, by meaning: what comes out of them, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.errors import EvaluationError, ScheduleError
from tests.support.cinn_schedules import (
    CASES,
    copied,
    expected,
    indices_of_tiles,
    nest,
    stored_in_each_step,
)

REFUSED = {
    "ComplexIndices": "the block would be run several times for the same values",
}
"""What CINN does, and is not done here, with the reason."""


def leaves(func: tir.LoweredFunc) -> list[np.ndarray]:
    random = np.random.default_rng(0)
    given = [
        random.integers(-9, 9, [size.value for size in arg.shape]).astype(arg.dtype.numpy)
        for arg in func.args
    ]
    tir.run(func, *given)
    return given


@pytest.mark.parametrize("name", [name for name in CASES if name not in REFUSED])
def test_steps_make_the_nest_that_they_make_in_cinn(name):
    schedule = CASES[name]()
    assert nest(schedule.func) == expected()[name]
    assert tir.verify(schedule.func) == ()
    for one, other in zip(leaves(schedule.func), leaves(schedule.program), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_steps_are_refused_with_the_reason(name):
    with pytest.raises(ScheduleError, match=REFUSED[name]):
        CASES[name]()


def test_what_is_refused_reads_in_cinn_what_nothing_stored():
    with pytest.raises(EvaluationError, match=r"element \(0,\) of S is read before anything"):
        leaves(stored_in_each_step(zeros=False))


def test_with_zeros_in_it_what_is_refused_would_end_with_the_sums():
    given, sums = leaves(stored_in_each_step(zeros=True))
    assert np.array_equal(sums, given.sum(1))


def test_a_sum_is_copied_in_the_loop_in_which_it_is_done():
    schedule = indices_of_tiles((0, 2, 3, 1))
    copied = [each.stmt.loop_var.name for each in schedule.get_loops("B")]
    assert copied == ["i_0", "ax0"]
    assert tir.verify(schedule.func) == ()
    for one, other in zip(leaves(schedule.func), leaves(schedule.program), strict=True):
        assert np.array_equal(one, other)


def test_split_throw_is_refused_in_cinn_too():
    schedule = copied(8, 8)
    fused = schedule.fuse(schedule.get_loops("B"))
    with pytest.raises(ScheduleError, match=r"cannot be split by \[-1, -1\]"):
        schedule.split(fused, [-1, -1])
    assert schedule.get_loops("B") == [fused]


def test_most_of_what_cinn_tests_holds():
    assert len(CASES) == 42  # of 43: split_throw, which is refused in both, makes nothing
    assert len(CASES) - len(REFUSED) == 41
