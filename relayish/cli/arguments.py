"""Arguments that commands share: programs, outputs, pipelines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Final, NoReturn

from relayish._support.printable import message_text

EXIT_USAGE: Final = 2
"""The exit code for an error in what was given."""


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong as all errors are said."""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        super().exit(status, None if message is None else message_text(message))

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(EXIT_USAGE, f"relayish: error: {message}\n")


# typeshed knows these only by private names
Commands = argparse._SubParsersAction  # noqa: SLF001
Group = argparse._ActionsContainer  # noqa: SLF001


def add_command(
    commands: Commands[Parser], name: str, summary: str, more: str | None = None
) -> argparse.ArgumentParser:
    """Add a command; ``more`` is told below its options."""
    described = f"{summary[:1].upper()}{summary[1:]}."
    command = commands.add_parser(name, help=summary, description=described, epilog=more)
    add_flags(command, {"--traceback": "show where an error was raised"})
    return command


def add_program(command: argparse.ArgumentParser, *, is_optional: bool = False) -> None:
    """Add the program that a command reads."""
    what = "Relay text, loops, or a file in binary form; - for standard input"
    command.add_argument("file", nargs="?" if is_optional else None, metavar="FILE", help=what)
    add_unknown_ops(command)


def add_unknown_ops(command: argparse.ArgumentParser) -> None:
    """Add whether operators are read that nobody declared."""
    what = "read operators that are not declared as operators of which nothing is known"
    add_flags(command, {"--allow-unknown-ops": what})


def add_output(command: argparse.ArgumentParser, what: str = "") -> None:
    """Add where a result goes."""
    usual = "in binary form if it ends in .rly; standard output if not given"
    what = f"where to write the result, whole or not at all{what or ': ' + usual}"
    command.add_argument("-o", "--output", metavar="OUT", help=what)


def parse_level(text: str) -> int:
    """Return the whole number that an argument says."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0; found {text!r}")
    return int(text)


def add_pipeline(command: argparse.ArgumentParser) -> Group:
    """Add the passes to run, with options, and what is to be told of them; return the latter."""
    passes = command.add_argument_group("passes")
    passes.add_argument("-p", "--passes", metavar="PIPELINE", help=_PIPELINE)
    passes.add_argument("-O", "--opt-level", type=parse_level, metavar="LEVEL", help=_LEVEL)
    add_names(passes, "--pass-options", _OPTIONS_OF_PASSES, "PASS{...}")
    add_names(passes, "--disable-pass", "leave a pass out")
    add_names(passes, "--required-pass", "run a pass of the pipeline whatever its level")
    for bound, which in _SKIPPED.items():
        what = f"leave out {which}, as --print-pass counts them"
        passes.add_argument(f"--skip-{bound}", type=parse_level, default=-1, metavar="N", help=what)
    add_flags(passes, {"--print-pass": "list the passes with their options; run none"})
    add_names(passes, "--config", "set an option of the pass context", "NAME=VALUE")
    watching = command.add_argument_group("watching passes")
    add_flags(watching, _WATCHING)
    what = "where to write what is traced; standard error if not given"
    watching.add_argument("--trace-file", metavar="FILE", help=what)
    add_names(watching, "--dump-after", "write the program to a file after this pass")
    return watching


_PIPELINE: Final = """\
what to run, in order: "FoldConstant,DeadCodeElimination", with options as in
"FoldConstant{fold_qnn=true}"; `relayish passes` lists all, `relayish passes NAME` the options of
one; if not given, the default passes of the level
"""
_LEVEL: Final = """\
run passes of this level and below; if not given, all that are named, and of the default passes
those of level 2
"""
_OPTIONS_OF_PASSES: Final = """\
set options of a pass wherever it runs, among the default passes and where others require it as well
"""
_SKIPPED: Final = {
    "before": "passes with a smaller number",
    "after": "passes with a greater number",
    "equal": "the pass with this number",
}
_WATCHING: Final = {
    "--show": "tell which pass runs",
    "--verify-each": "after every pass, check that the program is well formed and well typed and "
    "keeps the rules of its domains, and what the pass says of it",
    "--trace": "trace symbols and program before and after every pass",
    "--trace-mp": "trace the memory that each pass took",
    "--perf": "trace time, and sizes of the program, of every pass",
    "--keep": "write the program to a file after every pass, behind which --resume goes on",
}


def add_report(command: Group) -> None:
    """Add where a page goes that tells what each pass did."""
    what = "write a page that shows the program before and after every pass"
    command.add_argument("--report", metavar="FILE.html", help=what)


def add_flags(command: Group, flags: Mapping[str, str]) -> None:
    """Add options that are given or not, each with what it does."""
    for option, what in flags.items():
        command.add_argument(option, action="store_true", help=what)


def add_names(command: Group, option: str, what: str, metavar: str = "NAME") -> None:
    """Add an option that may be given again and again."""
    command.add_argument(option, action="append", default=[], metavar=metavar, help=what)
