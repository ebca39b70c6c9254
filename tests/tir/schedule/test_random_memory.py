"""Steps that move memory about, taken of random programs: legal ones change no result."""

from collections import Counter

import pytest

from tests.support.random_memory import CALLS, attempt


@pytest.mark.parametrize("name", CALLS)
def test_steps_leave_results_as_they_are_or_are_refused(name):
    assert "wrong" not in [attempt(name, seed).what for seed in range(6)]


@pytest.mark.deep
@pytest.mark.slow("a thousand programs")
@pytest.mark.parametrize("name", CALLS)
def test_few_of_the_steps_that_are_refused_are_legal(name):
    found = Counter([attempt(name, seed).what for seed in range(1000)])
    assert found["legal"] > 50
    assert not found["wrong"]
    assert found["loss"] <= 0.05 * (found["refused"] + found["loss"]) + 2, found
