"""The parser of the command line: all commands, with what they take."""

from __future__ import annotations

from typing import Final

from relayish._support.version import VERSION
from relayish.cli.arguments import Parser, add_frame
from relayish.cli.exit_codes import EXIT_CODES
from relayish.cli.model_arguments import add_model_commands
from relayish.cli.program_arguments import add_program_commands

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
        action="version",
        version=f"relayish {VERSION}",
        help="say which version this is, and leave",
    )
    add_frame(parser)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_model_commands(commands)
    add_program_commands(commands)
    return parser
