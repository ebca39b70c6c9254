"""Steps that move memory about, taken of random programs: legal ones change no result."""

import pytest

from tests.support.random_memory import CALLS, attempt


@pytest.mark.parametrize("name", CALLS)
def test_steps_leave_results_as_they_are_or_are_refused(name):
    assert "wrong" not in [attempt(name, seed).what for seed in range(6)]
