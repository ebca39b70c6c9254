"""The parser of the command line: all commands, with what they take."""

from __future__ import annotations

import argparse
import importlib
from typing import Final

from relayish._support.version import VERSION
from relayish.cli.arguments import Parser, add_frame
from relayish.cli.exit_codes import EXIT_CODES
from relayish.cli.model_arguments import add_model_commands
from relayish.cli.program_arguments import add_program_commands
from relayish.cli.report import tell

_EPILOG: Final = f"exit codes: {'; '.join(f'{code} {what}' for code, what in EXIT_CODES.items())}"


def build_parser() -> Parser:
    """Return the parser of the command line."""
    parser = Parser(
        prog="relayish",
        description="Optimise and compile models of ONNX; read, check, analyse, transform and "
        "print programs.",
        epilog=_EPILOG,
        allow_abbrev=False,  # what is short for an option of a command is none of these
    )
    parser.add_argument(
        "--version",
        action=_TellVersion,
        nargs=0,
        help="say which version this is, with the compiled core or in pure Python, and leave",
    )
    add_frame(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_model_commands(commands)
    add_program_commands(commands)
    return parser


class _TellVersion(argparse.Action):
    """Prints the version and, behind it, whether the core is compiled, and if not, why."""

    def __call__(self, parser: argparse.ArgumentParser, *_given: object, **_named: object) -> None:
        mode = importlib.import_module("relayish._kernel").MODE  # only where it is asked for
        tell(f"relayish {VERSION} ({mode})\n")
        parser.exit()
