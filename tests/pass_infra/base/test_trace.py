"""Trace files: by name, opened when written to, closed when left."""

from __future__ import annotations

import io
import threading
from pathlib import Path

import pytest

from relayish.errors import DuplicateNameError
from relayish.transform import TraceFiles, current_trace_files


def test_a_file_registered_twice_is_the_first(tmp_path):
    files = TraceFiles("model")
    first = files.register("visits", tmp_path / "visits.t")
    assert files.register("visits") == first == tmp_path / "visits.t"


def test_a_file_registered_twice_has_one_stream(tmp_path):
    with TraceFiles() as files:
        files.register("visits", tmp_path / "visits.t")
        assert files.stream("visits") is files.stream("visits")


def test_a_second_path_for_a_name_is_refused(tmp_path):
    files = TraceFiles()
    files.register("visits", "a.t")
    with pytest.raises(DuplicateNameError, match=r"'visits' is 'a\.t' already; found 'b\.t'"):
        files.register("visits", "b.t")


def test_a_file_without_path_is_named_after_the_input():
    assert TraceFiles("model.relay").register("visits") == Path("model.relay.visits.t")


def test_no_file_is_made_before_something_is_written(tmp_path):
    with TraceFiles() as files:
        files.register("visits", tmp_path / "visits.t")
        assert list(tmp_path.iterdir()) == []
        print("one", file=files.stream("visits"))
    assert (tmp_path / "visits.t").read_text() == "one\n"


def test_a_file_that_was_left_is_closed(tmp_path):
    with TraceFiles() as files:
        files.register("visits", tmp_path / "visits.t")
        stream = files.stream("visits")
    assert stream.closed


def test_a_stream_that_was_given_stays_open():
    stream = io.StringIO()
    with TraceFiles(standard=stream) as files:
        assert files.stream() is stream
    assert not stream.closed


def test_two_names_of_one_path_share_the_stream(tmp_path):
    with TraceFiles() as files:
        for name in ("a", "b"):
            files.register(name, tmp_path / "both.t")
            print(name, file=files.stream(name))
    assert (tmp_path / "both.t").read_text() == "a\nb\n"


def test_the_standard_one_is_standard_output_as_it_is_then(capsys):
    print("here", file=current_trace_files().stream())
    assert capsys.readouterr().out == "here\n"


def test_the_innermost_entered_is_in_force():
    with TraceFiles() as outer:
        with TraceFiles() as inner:
            assert current_trace_files() is inner
        assert current_trace_files() is outer


def test_files_entered_again_stay_open_until_the_last_is_left(tmp_path):
    files = TraceFiles(standard=tmp_path / "run.t")
    with files:
        with files:
            print("one", file=files.stream())
        print("two", file=files.stream())
    assert (tmp_path / "run.t").read_text() == "one\ntwo\n"


def test_another_thread_has_its_own_nesting():
    seen = []
    with TraceFiles() as files:
        thread = threading.Thread(target=lambda: seen.append(current_trace_files()))
        thread.start()
        thread.join()
    assert seen[0] is not files


def test_a_file_that_cannot_be_written_is_an_error(tmp_path):
    with (
        TraceFiles(standard=tmp_path / "nowhere" / "run.t") as files,
        pytest.raises(FileNotFoundError),
    ):
        files.stream()
