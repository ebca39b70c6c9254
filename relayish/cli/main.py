"""The ``relayish`` command.

While it runs, Python's cyclic garbage collector runs rarely, and not over the program that was
read: it would find nothing there, and take up to half of the time.

Exit codes:
    0: Done.
    1: ``check`` found the program wanting, ``bisect`` a pass at fault, ``optimize`` that the result
       is not equal, ``diff`` a difference.
    2: An error in what was given: arguments, pipeline, program text, files.
    3: An error nobody foresaw, in a pass or in relayish; ``--traceback`` shows where.
    130: Interrupted (Ctrl-C).
    141: Whoever read the output stopped reading.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import re
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from relayish._support.collector import collect_rarely
from relayish._support.version import VERSION
from relayish.cli.arguments import (
    EXIT_USAGE,
    Commands,
    Parser,
    add_command,
    add_names,
    add_output,
    add_pipeline,
    add_program,
    parse_level,
)
from relayish.cli.model_arguments import add_model_commands
from relayish.cli.report import describe_error, flush_output, tell_error
from relayish.errors import RelayishError

EXIT_INTERNAL: Final = 3
EXIT_INTERRUPTED: Final = 130
EXIT_PIPE_CLOSED: Final = 141

# A command is imported when it is the one asked for: `relayish --help` needs neither numpy nor
# the intermediate representation.
_COMMANDS: Final = {
    "optimize": "relayish.cli.optimize",
    "show": "relayish.cli.show",
    "diff": "relayish.cli.diff",
    "opt": "relayish.cli.opt",
    "passes": "relayish.cli.passes",
    "domains": "relayish.cli.domains",
    "print": "relayish.cli.print",
    "check": "relayish.cli.check",
    "analyse": "relayish.cli.analyse",
    "bisect": "relayish.cli.bisect",
}

_DRIVER_OPTIONS: Final = "relayish.cli.driver_options"

_EPILOG: Final = """\
exit codes: 0 done; 1 check found the program wanting, bisect a pass at fault, optimize that the
result is not equal, or diff a difference; 2 an error in arguments, pipeline, program or files; 3 an
unforeseen error in a pass or in relayish; 130 interrupted; 141 output closed; 143 ended
"""


_DRIVEN: Final = """\
options with one dash are those of drivers, as -trace and -skip_after=7, and of single passes, as
-FoldConstant:fold_qnn:trace_ir_after; -help lists the first, -PASS:help those of a pass
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (that of the process if not given); return the exit code."""
    _replace_closed_streams()
    words, driver_words = _split_words(sys.argv[1:] if argv is None else argv)
    try:
        args = build_parser().parse_args(words)
        args.driver_words = driver_words
    except SystemExit as leaving:  # argparse has said what there is to say
        return leaving.code if isinstance(leaving.code, int) else EXIT_USAGE
    try:
        code = _run(args)
    except BrokenPipeError:
        _discard_output()
        return EXIT_PIPE_CLOSED
    return code


_LIKE_DRIVERS: Final = re.compile(r"-[A-Za-z_][\w.-]|--(?:dump|keep|perf|show|trace)\b")
"""What words for drivers begin like; others may, as ``-O2`` does."""


_DRIVEN_COMMANDS: Final = ("optimize", "opt", "bisect")


def _split_words(words: Sequence[str]) -> tuple[Sequence[str], list[str]]:
    """Return the words of the command line, and those among them that are for drivers."""
    if (
        not words
        or words[0] not in _DRIVEN_COMMANDS
        or not any(_LIKE_DRIVERS.match(word) for word in words)
    ):
        return words, []
    split: Callable[[Sequence[str]], tuple[list[str], list[str]]]
    split = importlib.import_module(_DRIVER_OPTIONS).split_words
    return split(words)


def _run(args: argparse.Namespace) -> int:
    command: Callable[[argparse.Namespace], int]
    try:
        with _ended_by_signals(), collect_rarely():
            command = importlib.import_module(_COMMANDS[args.command]).run
            code = command(args)
            flush_output()
            return code
    except BrokenPipeError:
        raise
    except KeyboardInterrupt:
        tell_error("relayish: interrupted\n")
        return EXIT_INTERRUPTED
    except _Ended as ended:
        tell_error(f"relayish: ended by {ended.signal.name}\n")
        return 128 + ended.signal
    except Exception as error:  # noqa: BLE001 - reported, and told by the exit code
        if args.traceback:
            tell_error("".join(traceback.format_exception(error)))
        tell_error(f"relayish: error: {describe_error(error)}\n")
        if isinstance(error, OSError):
            _discard_output()
        return EXIT_USAGE if isinstance(error, (RelayishError, OSError)) else EXIT_INTERNAL


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


class _ClosedStream(io.TextIOBase):
    """Stands for a stream that the process was started without."""

    def write(self, text: str, /) -> int:
        raise BrokenPipeError(f"output is closed; {len(text)} characters were not written")


def _replace_closed_streams() -> None:
    """Let what is written to a stream that was closed from the start fail like a broken pipe."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, _ClosedStream())


def _discard_output() -> None:
    """Keep the interpreter from complaining about an output that fails when it ends."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = Parser(
        prog="relayish",
        description="Optimise models of ONNX; read, check, analyse, transform and print programs.",
        epilog=_EPILOG,
    )
    parser.add_argument(
        "--version",
        action="version",
        version=f"relayish {VERSION}",
        help="say which version this is, and leave",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_model_commands(commands)
    _add_opt(commands)
    _add_passes(commands)
    _add_domains(commands)
    _add_print(commands)
    _add_check(commands)
    _add_analyse(commands)
    _add_bisect(commands)
    return parser


def _add_opt(commands: Commands[Parser]) -> None:
    opt = add_command(commands, "opt", "run passes over a program", _DRIVEN)
    add_program(opt, is_optional=True)
    add_output(opt)
    add_pipeline(opt)
    for when in ("before", "after"):
        opt.add_argument(
            f"--print-ir-{when}-all",
            action="store_true",
            help=f"print the program {when} every pass, on standard error",
        )
        add_names(opt, f"--print-ir-{when}", f"print the program {when} this pass")
    opt.add_argument(
        "--print-changed",
        action="store_true",
        help="print the program only after passes that change it",
    )
    opt.add_argument(
        "--diff",
        action="store_true",
        help="print what each pass changes, line by line, on standard error",
    )
    opt.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="whether differences are in colour; auto: on a terminal",
    )
    opt.add_argument(
        "--dump-ir",
        metavar="DIR",
        help="write the program after every pass to a file of its own in a new directory",
    )
    opt.add_argument(
        "--verify-each",
        action="store_true",
        help="after every pass, check that the program is well formed and well typed, and what the "
        "pass says of it",
    )
    add_names(opt, "--verify", "check this as well after every pass")
    opt.add_argument(
        "--resume",
        action="store_true",
        help="go on behind the pass of which the file tells that it is the result",
    )
    opt.add_argument(
        "--trace-file",
        metavar="FILE",
        help="where to write what is traced; standard error if not given",
    )
    opt.add_argument(
        "--timing", action="store_true", help="print how long passes took, on standard error"
    )


def _add_passes(commands: Commands[Parser]) -> None:
    passes = add_command(commands, "passes", "list the passes there are, or describe one")
    passes.add_argument("name", nargs="?", metavar="NAME", help="a pass to describe")


def _add_domains(commands: Commands[Parser]) -> None:
    domains = add_command(commands, "domains", "list the operators of all domains, or of one")
    domains.add_argument("name", nargs="?", metavar="NAME", help="a domain to list")


def _add_print(commands: Commands[Parser]) -> None:
    show = add_command(commands, "print", "read a program and print it")
    add_program(show)
    add_output(show)
    show.add_argument(
        "--as",
        dest="as_",
        choices=("text", "python"),
        default="text",
        help="how to print it: as text, or main and what it needs as Python on numpy",
    )


def _add_check(commands: Commands[Parser]) -> None:
    check = add_command(commands, "check", "check that a program is well formed and well typed")
    add_program(check)
    check.add_argument("--no-types", action="store_true", help="do not infer types")


def _add_analyse(commands: Commands[Parser]) -> None:
    analyse = add_command(
        commands, "analyse", "print a program with what data-flow analyses find around each line"
    )
    add_program(analyse, is_optional=True)
    add_output(analyse)
    analyse.add_argument(
        "-a",
        "--analyses",
        metavar="ANALYSES",
        help='what to find: "liveness,intervals", with options as in "intervals{widen_after=5}"',
    )
    analyse.add_argument(
        "--function", metavar="NAME", help="analyse and print this function alone, not the module"
    )
    analyse.add_argument(
        "--json",
        action="store_true",
        help="print program points in place of the program: a list of objects",
    )
    analyse.add_argument("--list", action="store_true", help="list the analyses there are")


def _add_bisect(commands: Commands[Parser]) -> None:
    bisect = add_command(
        commands, "bisect", "find the pass of a pipeline that is at fault, and the least program"
    )
    add_program(bisect)
    add_output(bisect)
    add_pipeline(bisect)
    add_names(bisect, "--check", "a check that must hold after every pass")
    bisect.add_argument(
        "--value", action="store_true", help="what the program computes must stay the same"
    )
    bisect.add_argument("--entry", default="main", metavar="NAME", help="the function to compute")
    bisect.add_argument("--seed", type=int, default=0, help="of the arguments that are drawn")
    bisect.add_argument("--rtol", type=float, default=1e-5, help="relative error allowed")
    bisect.add_argument("--atol", type=float, default=1e-5, help="absolute error allowed")
    bisect.add_argument(
        "--command",
        dest="command_line",
        metavar="CMD",
        help="a command that must leave with 0; {} stands for a file with the program",
    )
    bisect.add_argument("--timeout", type=float, metavar="SECONDS", help="for the command")
    bisect.add_argument(
        "--tries",
        type=parse_level,
        default=2000,
        help="how many smaller programs to try; 0 for none",
    )


if __name__ == "__main__":
    sys.exit(main())
