"""What holds of every program of operators, shown on random ones."""

from __future__ import annotations

import collections

import pytest

from tests.support.operator_programs import NAMES, Maker, check_program

BATCH = 20
BATCHES = [range(start, start + BATCH) for start in range(0, 200, BATCH)]


@pytest.mark.parametrize("seeds", BATCHES, ids=lambda seeds: f"{seeds.start}+")
def test_program_has_one_meaning_however_it_is_typed_printed_folded_and_run(seeds):
    for seed in seeds:
        try:
            check_program(seed)
        except Exception as error:
            error.add_note(f"python -m tests.support.operator_programs --only {seed}")
            raise


def test_the_programs_call_nearly_every_operator():
    called = collections.Counter(
        name for seeds in BATCHES for seed in seeds for name in Maker(seed).names
    )
    assert len(called) > 0.8 * len(NAMES)


def test_the_same_seed_makes_the_same_program():
    first, again = Maker(11), Maker(11)
    assert first.names == again.names
    assert [str(value) for _, value in first.nodes] == [str(value) for _, value in again.nodes]
