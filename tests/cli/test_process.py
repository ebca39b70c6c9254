"""The command as a process of its own: exit codes, closed pipes, interrupts."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from relayish.text import astext, parse

COMMAND = [sys.executable, "-W", "error", "-m", "relayish.cli"]


def run(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *args], input=stdin, capture_output=True, text=True, timeout=60, check=False
    )


def test_pipeline_runs_from_standard_input_to_standard_output(program: Path) -> None:
    done = run("opt", "-", "-p", "FoldConstant", stdin=program.read_text())
    assert (done.returncode, done.stderr) == (0, "")
    assert astext(parse(done.stdout)).rstrip() == done.stdout.rstrip()
    assert "3f" in done.stdout


def test_error_exits_with_two_and_one_message() -> None:
    done = run("opt", "nowhere.relay", "-p", "FoldConstant")
    assert done.returncode == 2
    assert done.stderr == "relayish: error: nowhere.relay: No such file or directory\n"


def test_reader_that_stops_reading_is_no_error_to_tell() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        done = subprocess.run(
            [*COMMAND, "passes"],
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("command", ["print", "check"])
def test_output_that_was_closed_from_the_start_is_no_error_to_tell(
    command: str, program: Path
) -> None:
    closing = ["/bin/sh", "-c", 'exec "$0" "$@" >&-', *COMMAND, command, str(program)]
    done = subprocess.run(
        closing,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (141, "")


def test_file_may_begin_with_a_byte_order_mark(program: Path) -> None:
    marked = program.with_name("marked.relay")
    marked.write_bytes(b"\xef\xbb\xbf" + program.read_bytes())
    assert run("print", str(marked)).stdout == run("print", str(program)).stdout


def test_interrupt_exits_with_130_and_no_traceback(tmp_path: Path) -> None:
    pipe, out = tmp_path / "pipe", tmp_path / "out.relay"
    os.mkfifo(pipe)
    both_ends = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)  # so that nothing here waits for ever
    argv = [*COMMAND, "opt", str(pipe), "-p", "FoldConstant", "-o", str(out)]
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) as process:
        try:
            os.write(both_ends, b" ")
            deadline = time.monotonic() + 30
            while _unread(both_ends) and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            told = _last_words(process, both_ends)
        finally:
            process.kill()
            os.close(both_ends)
    assert (process.returncode, told) == (130, "relayish: interrupted\n")
    assert list(tmp_path.iterdir()) == [pipe]


def _last_words(process: subprocess.Popen[str], pipe: int) -> str:
    """Return what an interrupted process says; it may read more until it sees the signal.

    A signal that comes between two reads is seen only when the second returns.
    """
    for _ in range(60):
        try:
            return process.communicate(timeout=0.5)[1]
        except subprocess.TimeoutExpired:
            os.write(pipe, b" ")
    raise AssertionError("the process does not end")


def _unread(pipe: int) -> int:
    """Return how many bytes wait in a pipe to be read."""
    count = fcntl.ioctl(pipe, termios.FIONREAD, b"\0\0\0\0")
    return int.from_bytes(count, sys.byteorder)
