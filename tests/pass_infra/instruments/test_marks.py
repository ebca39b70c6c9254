"""Timing marks; the cases of AIR's ``ut_timing`` are among these."""

from __future__ import annotations

import io

import pytest

from relayish.pass_infra.instruments import marks as module
from relayish.transform import TimingMarks, TraceFiles


@pytest.fixture
def clock(monkeypatch):
    """A clock that is set by hand, in milliseconds."""
    now = [0]
    monkeypatch.setattr(module.time, "perf_counter_ns", lambda: now[0] * 1_000_000)
    return now


@pytest.fixture
def marks() -> TimingMarks:
    return TimingMarks(io.StringIO())


def test_the_first_mark_has_taken_no_time(clock, marks):
    clock[0] = 100
    mark = marks.start()
    assert (mark.taken, mark.total, mark.remark) == (0.0, 0.0, "start")


def test_a_mark_tells_the_time_since_the_one_before(clock, marks):
    marks.start()
    clock[0] = 100
    assert marks.taken("parsed").taken == 0.1
    clock[0] = 250
    assert marks.taken("typed").taken == pytest.approx(0.15)


def test_totals_grow_from_mark_to_mark(clock, marks):
    marks.start()
    totals = []
    for clock[0] in (100, 200, 300):
        totals.append(marks.taken().total)
    assert totals == [0.1, 0.2, 0.3]


def test_a_mark_needs_no_remark(clock, marks):
    marks.start()
    clock[0] = 100
    assert marks.taken().remark == ""


def test_starting_again_begins_anew(clock, marks):
    marks.start()
    clock[0] = 500
    marks.taken()
    marks.start()
    clock[0] = 600
    assert marks.taken().total == 0.1
    assert len(marks.marks) == 2


def test_a_mark_before_any_start_is_the_first(clock, marks):
    clock[0] = 700
    assert marks.taken("here").total == 0.0


def test_several_sets_of_marks_do_not_mix(clock, marks):
    other = TimingMarks(io.StringIO())
    marks.start()
    clock[0] = 100
    other.start()
    clock[0] = 300
    assert (marks.taken().total, other.taken().total) == (0.3, 0.2)


def test_a_mark_tells_line_and_function_of_its_place(marks):
    first, second = marks.start(), marks.taken()
    assert first.function == "test_a_mark_tells_line_and_function_of_its_place"
    assert second.line == first.line > 0


def test_marks_are_written_as_lines_under_a_heading(clock):
    stream = io.StringIO()
    marks = TimingMarks(stream)
    marks.start()
    clock[0] = 1500
    mark = marks.taken("parsed")
    lines = stream.getvalue().splitlines()
    assert lines[0].split() == ["LINE", "FUNCTION", "TIMING", "REMARK"]
    assert lines[2].split() == [
        str(mark.line), mark.function, "1.500000s", "/", "1.500000s", "parsed"
    ]  # fmt: skip


def test_marks_go_to_a_trace_file_by_its_name(tmp_path):
    with TraceFiles() as files:
        files.register("timing", tmp_path / "timing.t")
        TimingMarks("timing").start("begin")
    assert "begin" in (tmp_path / "timing.t").read_text()


def test_marks_go_to_the_trace_file_in_force(capsys):
    TimingMarks().start("begin")
    assert "begin" in capsys.readouterr().out
