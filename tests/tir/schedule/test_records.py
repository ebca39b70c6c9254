"""Records of schedules: which of them is replayed, on which functions."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import relayish as relay
from relayish import tir
from relayish._support.sealed_lines import append_entry
from relayish.errors import ScheduleError
from relayish.tir.schedule.recorded import recorded
from relayish.tir.schedule.records import (
    ScheduleRecord,
    add_record,
    best_schedule,
    program_of,
    read_records,
    workload_of,
)
from relayish.transform import get_pass
from tests.support.tuning import product, scaled


def record(
    func: tir.LoweredFunc, factor: int | None, seconds: float | None, **more: object
) -> ScheduleRecord:
    """What was found of a function whose loop is split by a factor."""
    schedule = tir.Schedule(func)
    if factor is not None:
        schedule.split(schedule.get_loops("B")[0], [-1, factor])
    made = ScheduleRecord(
        function=func.name,
        workload=workload_of(func),
        program=program_of(schedule.func),
        steps=None if factor is None else json.loads(schedule.trace.to_json()),
        verdict="right",
        seconds=seconds,
        machine="here",
    )
    return replace(made, **more)  # type: ignore[arg-type]  # fields of it


def factor_of(schedule: tir.Schedule | None) -> int | None:
    """By what the loop of a schedule is split."""
    if schedule is None:
        return None
    extent = schedule.get_loops("B")[-1].stmt.extent
    return getattr(extent, "value", None)


def test_records_come_back_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    written = [record(scaled(), 8, 1.0), record(scaled(), None, None, verdict="crash", reason="ä")]
    for each in written:
        add_record(path, each)
    assert read_records(path) == written
    assert str(read_records(path)[0].trace) == str(written[0].trace)


def test_the_fastest_that_is_right_is_replayed() -> None:
    func = scaled()
    known = [
        record(func, 4, 3.0),
        record(func, 8, 2.0),
        record(func, 16, 1.0, verdict="wrong"),
        record(func, 32, None),
        record(scaled(8), 2, 0.5),
    ]
    assert factor_of(best_schedule(known, func)) == 8


def test_a_function_of_another_name_is_the_same_workload_and_one_of_another_shape_is_not() -> None:
    known = [record(scaled(), 8, 1.0)]
    other = best_schedule(known, scaled().with_fields(name="other"))
    assert other is not None
    assert other.func.name == "other"
    assert best_schedule(known, scaled(64)) is None
    assert best_schedule(known, product(4)) is None


def test_where_what_is_compiled_otherwise_is_the_fastest_there_is_no_schedule() -> None:
    func = scaled()
    assert best_schedule([record(func, 8, 2.0), record(func, None, 1.0)], func) is None
    assert factor_of(best_schedule([record(func, 8, 1.0), record(func, None, 2.0)], func)) == 8


def test_what_was_measured_on_the_same_machine_counts_more() -> None:
    func = scaled()
    known = [record(func, 4, 1.0, machine="there"), record(func, 8, 2.0)]
    assert factor_of(best_schedule(known, func)) == 4
    assert factor_of(best_schedule(known, func, machine="here")) == 8
    assert factor_of(best_schedule(known[:1], func, machine="here")) == 4


def test_how_it_was_timed_can_be_asked_for() -> None:
    func = scaled()
    known = [record(func, 4, 1.0, exact=False), record(func, 8, 2.0)]
    assert factor_of(best_schedule(known, func, exact=True)) == 8
    assert factor_of(best_schedule(known, func, exact=False)) == 4


@pytest.mark.parametrize(
    "steps",
    [7, {}, {"format": "relayish schedule trace 1", "steps": [{"name": "gone", "args": {}}]}],
)
def test_steps_that_cannot_be_taken_leave_it_to_the_next(steps: object) -> None:
    func = scaled()
    broken = record(func, 4, 1.0, steps=steps)
    assert factor_of(best_schedule([broken, record(func, 8, 2.0)], func)) == 8
    assert best_schedule([broken], func) is None


def test_steps_that_are_none_are_an_error_of_whoever_asks_for_them() -> None:
    with pytest.raises(ScheduleError, match="no trace"):
        _ = record(scaled(), 4, 1.0, steps=None).trace


def test_a_record_of_a_later_version_is_read_as_far_as_it_is_known(tmp_path: Path) -> None:

    path = tmp_path / "records.jsonl"
    add_record(path, record(scaled(), 8, 1.0))
    entry = json.loads(path.read_text())
    del entry["digest"]
    append_entry(path, {**entry, "later": 1})
    append_entry(path, {"of": "something else"})
    first, second = read_records(path)
    assert first == second


def test_the_schedule_recorded_replays_what_a_file_knows(tmp_path: Path) -> None:
    path = tmp_path / "records.jsonl"
    add_record(path, record(scaled(), 8, 2.0))
    apply = get_pass("ApplySchedules", rules=f'recorded{{file="{path}"}}')
    func, other = scaled(), scaled(64)
    made = apply(relay.IRModule({"f": func, "g": other}))
    assert factor_of(tir.Schedule(made["f"])) == 8
    assert made["g"] is other
    add_record(path, record(scaled(), 16, 1.0))
    again = apply(relay.IRModule({"f": func}))
    assert factor_of(tir.Schedule(again["f"])) == 16


def test_the_schedule_recorded_refuses_a_file_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "list.json"
    path.write_text("[1, 2, 3]\n")
    schedule = tir.Schedule(product())
    with pytest.raises(ScheduleError, match=r"found no record of steps in .*list.json; expected"):
        recorded(schedule, file=str(path))
    path.write_text("")  # nothing was found so far
    recorded(schedule, file=str(path))
    assert not schedule.has_changed
