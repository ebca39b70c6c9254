"""CINN's tests of schedules, by meaning: what comes out of them, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.errors import ScheduleError
from tests.support.cinn_schedules import CASES, expected, nest

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


def test_most_of_what_cinn_tests_holds():
    assert len(CASES) - len(REFUSED) == 41
