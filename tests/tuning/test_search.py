"""The search: the same whoever measures, whatever becomes of candidates, and from where it was."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from relayish._support.sealed_lines import append_entry, read_entries
from relayish.errors import CodegenError, OptionError, ParallelError
from relayish.tir.schedule.records import best_schedule, read_records, workload_of
from relayish.tir.tune import TuneOptions, TuneProgress, TuneResult
from relayish.tuning import evolution
from relayish.tuning.measuring import Measurement, Trial, Verdict
from relayish.tuning.search import search
from tests.support.tuning import (
    Interrupting,
    as_bad_as_can_be,
    by_program,
    few,
    losing,
    scaled,
    tiles,
)


@pytest.fixture(autouse=True)
def _small_population(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evolution, "POPULATION", 5)
    monkeypatch.setattr(evolution, "ROUNDS", 1)


def run(measurer: Any = by_program, **options: Any) -> TuneResult:
    chosen = {"space": tiles, "trials": 16, "batch": 4, **options}
    return search(scaled(), TuneOptions(**chosen), measurer=measurer)


def programs(path: Path) -> list[str]:
    return [each.program for each in read_records(path)]


def test_the_fastest_program_is_what_its_schedule_makes() -> None:
    told: list[TuneProgress] = []
    found = run(progress=told.append)
    assert found.verdicts == {"right": 16}
    assert found.schedule is not None
    assert found.seconds == min(each.record.time for each in told) <= found.baseline
    assert found.speedup == found.baseline / found.seconds
    assert (told[-1].done, told[-1].best) == (16, found.seconds)
    assert [each.done for each in told] == list(range(1, 17))
    assert {each.baseline for each in told} == {found.baseline}


@pytest.mark.parametrize("executor", ["threads:1", "threads:5"])
def test_candidates_are_the_same_whoever_measures(tmp_path: Path, executor: str) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    run(records=here)
    run(records=there, executor=executor)
    assert sorted(programs(here)) == sorted(programs(there))
    assert len(set(programs(here))) == 16


def test_another_seed_tries_others(tmp_path: Path) -> None:
    run(records=tmp_path / "a", trials=7)
    run(records=tmp_path / "b", trials=7, seed=1)
    assert set(programs(tmp_path / "a")) != set(programs(tmp_path / "b"))


def test_what_was_measured_is_not_measured_again_and_the_search_goes_on(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    expected = run(records=whole)
    assert run(records=parts, trials=9).measured == 9
    found = run(records=parts)
    assert found.measured == 7
    assert programs(parts) == programs(whole)
    assert (found.seconds, found.verdicts) == (expected.seconds, expected.verdicts)


def test_ctrl_c_keeps_what_was_found(tmp_path: Path) -> None:
    path = tmp_path / "records"
    found = run(Interrupting(11), records=path)
    assert found.is_interrupted
    assert found.verdicts == {"right": 11}
    assert len(programs(path)) == 11
    assert found.seconds == min(each.time for each in read_records(path))
    assert run(records=path, trials=13).measured == 2


def test_ctrl_c_before_anything_is_known_gives_the_function_as_it_is() -> None:
    found = run(Interrupting(0))
    assert found.is_interrupted
    assert (found.schedule, found.verdicts, found.seconds) == (None, {}, math.inf)


def test_what_is_wrong_crashes_or_takes_too_long_is_a_trial_and_ends_nothing(
    tmp_path: Path,
) -> None:
    found = run(as_bad_as_can_be, records=tmp_path / "records", trials=24)
    assert set(found.verdicts) == {"right", "wrong", "crash", "timeout", "refused"}
    assert sum(found.verdicts.values()) == 24
    records = read_records(tmp_path / "records")
    bad = [each for each in records if each.verdict != "right"]
    assert {each.reason for each in bad} == {"as bad as can be"}
    assert {each.seconds for each in bad} == {None}
    assert found.seconds == min(each.time for each in records)
    again = run(records=tmp_path / "records", trials=24)  # what was bad is not tried again
    assert again.verdicts["crash"] >= 1


def test_candidates_whose_worker_is_lost_are_tried_again_next_time(tmp_path: Path) -> None:
    found = run(losing, records=tmp_path / "records", trials=5)
    assert found.verdicts == {"right": 1, "lost": 4}
    assert run(records=tmp_path / "records", trials=5).measured == 4


def test_a_space_that_has_no_more_ends_the_search() -> None:
    found = run(space=few)
    assert found.is_exhausted
    assert found.verdicts == {"right": 3}


def test_an_error_of_the_measurer_is_raised() -> None:
    def broken(_: Trial) -> Measurement:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(broken)


def test_a_function_that_cannot_be_measured_is_refused() -> None:
    def unable(_: Trial) -> Measurement:
        return Measurement(Verdict.REFUSED, reason="nobody tells n")

    with pytest.raises(CodegenError, match="'scaled' cannot be measured: nobody tells n"):
        run(unable)


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"trials": 0}, OptionError, "trials must be a number from 1; found 0"),
        ({"batch": 0}, OptionError, "batch must be a number from 1"),
        ({"seconds": math.nan}, OptionError, "seconds must be a number from 0"),
        ({"limit": -1}, OptionError, "limit must be a number from 0"),
        ({"executor": "proceses:2"}, ParallelError, "did you mean processes"),
    ],
)
def test_options_that_make_no_sense_are_refused_before_anything_runs(
    options: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        run(lambda _: pytest.fail("it was measured"), **options)


def test_what_others_found_fast_is_measured_first(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    run(records=here)
    for entry in read_entries(here):
        append_entry(there, {**entry, "machine": "another"})
    found = run(records=there, seed=7, trials=9, batch=12)
    assert found.measured == 9
    fastest = sorted(read_records(here), key=lambda each: each.time)
    wanted = [each.program for each in fastest if each.steps is not None]
    assert programs(there)[17:] == wanted[:8]


def test_the_best_of_the_records_is_the_schedule_that_was_found(tmp_path: Path) -> None:
    found = run(records=tmp_path / "records")
    best = best_schedule(read_records(tmp_path / "records"), scaled())
    assert best is not None
    assert found.schedule is not None
    assert workload_of(best.func) == workload_of(found.schedule.func)
