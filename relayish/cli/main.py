"""The ``relayish`` command.

While it runs, Python's cyclic garbage collector runs rarely, and not over the program that was
read: it would find nothing there, and take up to half of the time. ``--collector`` says otherwise.
When the process ends, it does not look once more through what the process holds, which the system
takes back anyway.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import gc
import importlib
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NoReturn, TextIO

from relayish._support.collector import Manner, collect_as_told
from relayish.cli.commands import COMMANDS, load_command
from relayish.cli.exit_codes import INTERRUPTED, PIPE_CLOSED, USAGE
from relayish.cli.parser import build_parser
from relayish.cli.report import (
    Verbosity,
    flush_output,
    tell_error,
    tell_failure,
    tell_step,
    telling,
    verbosity,
)


def run_process() -> NoReturn:
    """Run the command line of the process, and end that."""
    atexit.register(gc.freeze)
    sys.exit(main())


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (that of the process if not given); return the exit code."""
    _replace_closed_streams()
    try:
        return _run(list(sys.argv[1:] if argv is None else argv))
    except BrokenPipeError:
        _discard_output()
        return PIPE_CLOSED


_OPTIONS: Final = "relayish.cli.pipeline_options"
_LIKE_DRIVERS: Final = re.compile(r"-[A-Za-z_][\w.-]")
"""What words for drivers begin like; others may, as ``-O2`` does."""


def _parse(words: Sequence[str]) -> argparse.Namespace:
    """Return what the words of the command line say."""
    parser = build_parser()
    command = next(filter(COMMANDS.__contains__, words), "")
    if command in ("optimize", "opt", "bisect"):
        for word in filter(_LIKE_DRIVERS.match, words):
            advice = importlib.import_module(_OPTIONS).advise(word)
            if advice:
                parser.error(advice)
    try:
        return parser.parse_args(words)
    finally:  # it leaves behind what it has told, as help is
        flush_output()


def _tell_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Tell a warning as Python does, with what names hold escaped."""
    del file
    if verbosity() is not Verbosity.QUIET:
        tell_error(warnings.formatwarning(message, category, filename, lineno, line))


def _load(names: Sequence[str]) -> None:
    """Load what users bring, before any name is looked for."""
    for name in names:
        with contextlib.redirect_stdout(sys.stderr):  # what it says is no result
            module = importlib.import_module("relayish.cli.loading").load(name)
        tell_step(f"loaded {name}, as {module.__name__}")


def _run(words: Sequence[str]) -> int:
    args = argparse.Namespace(traceback=False)
    command: Callable[[argparse.Namespace], int]
    try:
        with _ended_by_signals(), warnings.catch_warnings():
            args = _parse(words)
            warnings.showwarning = _tell_warning
            with collect_as_told(Manner(args.collector)), telling(args.verbosity):
                _load([*args.load_first, *args.load])
                command = load_command(args.command).run
                code = command(args)
            flush_output()
            return code
    except BrokenPipeError:
        raise
    except SystemExit as leaving:  # argparse has said what there is to say
        return leaving.code if isinstance(leaving.code, int) else USAGE
    except KeyboardInterrupt:
        tell_error("relayish: interrupted\n")
        return INTERRUPTED
    except _Ended as ended:
        tell_error(f"relayish: ended by {ended.signal.name}\n")
        return 128 + ended.signal
    except Exception as error:  # noqa: BLE001 - reported, and told by the exit code
        code = tell_failure(error, has_traceback=args.traceback)
        if isinstance(error, OSError):
            _discard_output()
        return code


class _Ended(BaseException):
    """The process is asked to end; what it has begun is cleaned up on the way."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = signal.Signals(number)


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let signals that end a process leave it as exceptions do, with nothing half-written."""

    def end(number: int, _frame: object) -> None:
        raise _Ended(number)

    ends = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    ends = [each for each in ends if signal.getsignal(each) is signal.SIG_DFL]  # else as was asked
    if threading.current_thread() is not threading.main_thread():
        ends = []  # others may not say what signals do
    for each in ends:
        signal.signal(each, end)
    try:
        yield
    finally:
        for each in ends:
            signal.signal(each, signal.SIG_DFL)


def _replace_closed_streams() -> None:
    """Let streams that the process was started without be pipes that nobody holds the end of."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            ends = os.pipe()
            is_read = name == "stdin"
            os.close(ends[is_read])
            own, mode = ends[not is_read], "r" if is_read else "w"
            setattr(sys, name, os.fdopen(own, mode, closefd=False))


def _discard_output() -> None:
    """Keep the interpreter from complaining about an output that fails when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    run_process()
