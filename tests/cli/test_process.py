"""The command as a process of its own: exit codes, closed pipes, interrupts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from relayish.passes import PASSES
from relayish.text import astext, parse
from tests.support.guard import HANGS

PYTHON = [sys.executable, "-W", "error"]
COMMAND = [*PYTHON, "-m", "relayish.cli"]


def run_python(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PYTHON, *args], input=stdin, capture_output=True, text=True, timeout=HANGS, check=False
    )


def run(*args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return run_python("-m", "relayish.cli", *args, stdin=stdin)


def test_pipeline_runs_from_standard_input_to_standard_output(program: Path) -> None:
    done = run("opt", "-", "-p", "FoldConstant", stdin=program.read_text())
    assert (done.returncode, done.stderr) == (0, "")
    assert astext(parse(done.stdout)).rstrip() == done.stdout.rstrip()
    assert "3f" in done.stdout


def test_passes_are_found_by_a_process_that_imported_nothing_else() -> None:
    listed = run("passes").stdout.splitlines()
    assert {line.split()[0] for line in listed[1:]} >= set(PASSES)
    assert run("passes", "FoldConstant").stdout.startswith("relayish.pass_.FoldConstant\n")


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
            timeout=HANGS,
            check=False,
        )
    assert (done.returncode, done.stderr) == (141, "")


def run_in_shell(redirected: str, *args: str) -> tuple[int, str]:
    words = ["/bin/sh", "-c", f'exec "$0" "$@" {redirected}', *COMMAND, *args]
    done = subprocess.run(words, capture_output=True, text=True, timeout=HANGS, check=False)
    return done.returncode, done.stderr


@pytest.mark.parametrize("command", ["print", "check"])
def test_output_that_was_closed_from_the_start_is_no_error_to_tell(
    command: str, program: Path
) -> None:
    assert run_in_shell(">&-", command, str(program)) == (141, "")


def test_bytes_for_an_output_that_was_closed_are_no_error_to_tell() -> None:
    closed = "import os, sys; from relayish.cli.main import main, _replace_closed_streams\n"
    closed += "sys.stdout = None; _replace_closed_streams(); sys.stdout.buffer.write(b'a')\n"
    assert run_python("-c", f"{closed}sys.exit(main(['--version']))").returncode == 141


def test_input_that_was_closed_from_the_start_is_empty() -> None:
    code, told = run_in_shell("<&-", "print", "-")
    assert (code, told.partition(";")[0]) == (2, "relayish: error: <stdin> is empty")


EXIT_INTERRUPTED = """
import io, os, signal, sys
from relayish.cli.main import main

class Slow(io.BytesIO):
    def read(self, size=-1):
        os.kill(os.getpid(), signal.SIGINT)
        return super().read(size)

signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs in the background ignore it
sys.stdin = io.TextIOWrapper(Slow())
sys.exit(main(sys.argv[1:]))
"""


def test_interrupt_exits_with_130_and_no_traceback(tmp_path: Path) -> None:
    out = tmp_path / "out.relay"
    done = run_python("-c", EXIT_INTERRUPTED, "opt", "-", "-p", "FoldConstant", "-o", str(out))
    assert (done.returncode, done.stderr) == (130, "relayish: interrupted\n")
    assert list(tmp_path.iterdir()) == []


def test_process_ends_without_a_last_search_for_garbage() -> None:
    script = (
        "import atexit, gc, sys; from relayish.cli.main import run_process\n"
        "atexit.register(lambda: print(gc.get_freeze_count() > 5000))\n"
        "sys.argv = ['relayish', 'completion', 'bash', '--reply', 'chec']; run_process()"
    )
    assert run_python("-c", script).stdout == "check\nTrue\n"
