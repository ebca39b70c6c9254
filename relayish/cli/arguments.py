"""Arguments that commands share: programs, outputs, pipelines."""

from __future__ import annotations

import argparse
import sys
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


# mypy knows the type only by a private name, which exists nowhere at run time
Commands = argparse._SubParsersAction  # noqa: SLF001


def add_command(
    commands: Commands[Parser], name: str, summary: str, more: str | None = None
) -> argparse.ArgumentParser:
    """Add a command; ``more`` is told below its options."""
    described = f"{summary.capitalize()}."
    command = commands.add_parser(name, help=summary, description=described, epilog=more)
    command.add_argument("--traceback", action="store_true", help="show where an error was raised")
    return command


def add_program(command: argparse.ArgumentParser, *, is_optional: bool = False) -> None:
    """Add the program that a command reads."""
    command.add_argument(
        "file",
        nargs="?" if is_optional else None,
        metavar="FILE",
        help="Relay text, loops, or a file in binary form; - for standard input",
    )
    command.add_argument(
        "--allow-unknown-ops",
        action="store_true",
        help="read operators that are not declared as operators of which nothing is known",
    )


def add_output(command: argparse.ArgumentParser) -> None:
    """Add where a result goes."""
    command.add_argument(
        "-o",
        "--output",
        metavar="OUT",
        help="where to write the result, whole or not at all: in binary form if it ends in .rly; "
        "standard output if not given",
    )


def parse_level(text: str) -> int:
    """Return the whole number that an argument says."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0; found {text!r}")
    return int(text)


def add_pipeline(command: argparse.ArgumentParser) -> None:
    """Add the passes to run, and options of the context around them."""
    command.add_argument(
        "-p",
        "--passes",
        metavar="PIPELINE",
        help='what to run, in order: "FoldConstant,DeadCodeElimination", with options as in '
        '"FoldConstant{fold_qnn=true}"; `relayish passes` lists all; if not given, the default '
        "passes of the level",
    )
    command.add_argument(
        "-O",
        "--opt-level",
        type=parse_level,
        metavar="LEVEL",
        help="run passes of this level and below; if not given, all that are named, and of the "
        "default passes those of level 2",
    )
    add_names(command, "--disable-pass", "leave a pass out")
    add_names(command, "--required-pass", "run a pass of the pipeline whatever its level")
    add_names(command, "--config", "set an option of the pass context", "NAME=VALUE")


def add_names(
    command: argparse.ArgumentParser, option: str, what: str, metavar: str = "NAME"
) -> None:
    """Add an option that may be given again and again."""
    command.add_argument(option, action="append", default=[], metavar=metavar, help=what)
