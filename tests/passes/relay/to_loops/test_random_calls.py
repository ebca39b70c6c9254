"""Random sound calls of operators, in C beside loops and numpy."""

from __future__ import annotations

import pytest

from tests.support.compiled_loops import skip_without_compiler
from tests.support.compiled_operators import OPERATORS, Report, drawn_call
from tests.support.seeds import seeds

EVERY = 8


@pytest.mark.slow("compiles a function for each call")
def test_random_calls_are_computed_in_c_and_by_loops_as_by_numpy():
    skip_without_compiler()
    report = Report()
    for seed in seeds(1):
        made = [drawn_call(name, seed) for name in OPERATORS[seed % EVERY :: EVERY]]
        report.try_all([each for each in made if each is not None])
    assert report.wrong == []
    assert report.right.total() >= 15
