"""Schedules by name, and steps that are tried."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import (
    DeclarationError,
    DuplicateNameError,
    PipelineError,
    ScheduleError,
    UnknownNameError,
)
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.module import IRModule
from relayish.tir.schedule.rules import SCHEDULES, parse_schedules
from relayish.transform import get_pass
from tests.support.tir_small import function, loop, memory


@pytest.fixture
def rows():
    with declared_temporarily():

        @tir.register_schedule("test_rows", targets=["c"])
        def test_rows(schedule: tir.Schedule, *, rows: int = 2) -> None:
            """Let outermost loops run in groups of rows."""
            schedule.split(schedule.get_loops()[0], [-1, rows])

        yield test_rows


def counting():
    a, i = memory("A", 8), tir.Var("i")
    return tir.Schedule(function([a], loop(i, 0, 8, tir.store(a, i, i))))


def test_schedule_is_found_by_name_in_any_spelling_with_its_options(rows):
    for text, extent in (("test_rows", 2), ("TestRows{rows=4}", 4)):
        schedule = counting()
        [rule] = parse_schedules(text)
        rule(schedule)
        assert schedule.get_loops()[1].stmt.extent.value == extent
    assert "test_rows" in tir.list_schedules()
    assert SCHEDULES.get("test_rows").description == "Let outermost loops run in groups of rows."


def test_schedules_for_other_targets_are_left_out(rows):
    assert len(parse_schedules("test_rows,test_rows", "c")) == 2
    assert parse_schedules("test_rows", "cuda") == ()
    assert parse_schedules(" ") == ()


def test_unknown_schedule_or_option_is_refused_with_its_place(rows):
    with pytest.raises(UnknownNameError, match="no schedule 'test_row' is registered"):
        parse_schedules("test_row")
    with pytest.raises(PipelineError, match="schedule test_rows has no option 'columns'"):
        parse_schedules("test_rows{columns=4}")


def test_name_is_claimed_once(rows):
    with pytest.raises(DuplicateNameError, match="the name test_rows of a schedule is claimed by"):

        @tir.register_schedule("test_rows")
        def another(schedule: tir.Schedule) -> None:
            pass


def test_what_is_no_schedule_is_refused():
    with pytest.raises(DeclarationError, match="can stand in a list"):
        tir.register_schedule("two words")
    with pytest.raises(DeclarationError, match="takes a function of a schedule; found 3"):
        tir.register_schedule("number")(3)
    with pytest.raises(DeclarationError, match="takes nothing; expected a function of a schedule"):
        tir.register_schedule("of_nothing")(lambda: None)
    with pytest.raises(DeclarationError, match=r"put them behind a \*"):

        @tir.register_schedule("by_position")
        def by_position(schedule: tir.Schedule, rows: int) -> None:
            pass


def test_attempt_that_is_refused_is_undone_as_a_whole():
    schedule = counting()
    before = schedule.func
    with schedule.attempt():
        outer, _ = schedule.split(schedule.get_loops()[0], [2, 4])
        schedule.parallel(outer)
        schedule.vectorize(outer)
    assert schedule.func is before
    assert schedule.trace.steps == ()
    assert len(schedule.get_loops()) == 1


def test_attempt_that_succeeds_stays():
    schedule = counting()
    with schedule.attempt():
        schedule.split(schedule.get_loops()[0], [2, 4])
    assert len(schedule.get_loops()) == 2


def _split_and_fail(schedule):
    with schedule.attempt():
        schedule.split(schedule.get_loops()[0], [2, 4])
        raise ZeroDivisionError


def test_other_errors_undo_an_attempt_and_are_raised():
    schedule = counting()
    with pytest.raises(ZeroDivisionError):
        _split_and_fail(schedule)
    assert len(schedule.get_loops()) == 1


def test_schedule_that_is_refused_is_told_by_the_pass(rows):

    a, i = memory("A", 8), tir.Var("i")
    func = function([a], loop(i, 0, 8, tir.store(a, i, i)))
    mod = IRModule({"f": func})
    made = get_pass("ApplySchedules", rules="test_rows{rows=4}")(mod)["f"]
    assert made.body.stmts[0].extent.value == 2
    assert get_pass("ApplySchedules", rules="test_rows", target="cuda")(mod)["f"] is func
    with pytest.raises(ScheduleError) as found:
        get_pass("ApplySchedules", rules="test_rows{rows=0}")(mod)
    assert "while f was scheduled by test_rows" in found.value.__notes__
