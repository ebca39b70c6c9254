"""What holds of every program of operators, shown on random ones."""

from __future__ import annotations

import functools

import pytest

from tests.support.operator_programs import NAMES, Maker, check_program
from tests.support.seeds import seeds

BATCH = 10
SEEDS = seeds(60)
BATCHES = [SEEDS[start : start + BATCH] for start in range(0, len(SEEDS), BATCH)]


@functools.cache
def checked(seed):
    """Check the program of a seed, and return the operators that it calls."""
    try:
        return check_program(seed)
    except Exception as error:
        error.add_note(f"python -m tests.support.operator_programs --only {seed}")
        raise


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: f"{batch.start}+")
def test_program_has_one_meaning_however_it_is_typed_printed_folded_and_run(batch):
    for seed in batch:
        checked(seed)


def test_the_programs_call_nearly_every_operator():
    called = [name for seed in SEEDS for name in checked(seed)]
    as_many_drawn_alike = len(NAMES) * (1 - (1 - 1 / len(NAMES)) ** len(called))
    assert len(set(called)) > 0.85 * as_many_drawn_alike


def test_the_same_seed_makes_the_same_program():
    first, again = Maker(11), Maker(11)
    assert first.names == again.names
    assert [str(value) for _, value in first.nodes] == [str(value) for _, value in again.nodes]
