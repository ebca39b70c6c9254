"""Arguments that commands share: programs, outputs, pipelines."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, NoReturn

from relayish._support.collector import Manner
from relayish._support.printable import message_text
from relayish.cli.commands import load_command
from relayish.cli.exit_codes import USAGE
from relayish.cli.report import Verbosity, tell
from relayish.errors import suggest


class Parser(argparse.ArgumentParser):
    """A parser that says what is wrong as all errors are said.

    Args:
        takes_words: Take but what all commands take, and leave other words to the command, which
            has a grammar of its own.
        named: As of any parser.
    """

    def __init__(self, *, takes_words: bool = False, **named: Any) -> None:  # Any: as there
        super().__init__(**named)
        self.takes_words = takes_words

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        super().exit(status, None if message is None else message_text(message))

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"relayish: error: {message}\n")

    def format_usage(self) -> str:
        """Return the usage as errors show it: without options, which would hide the error."""
        taken = [
            _TAKEN.get(action.nargs, "{}").format(_metavar_of(action))
            for action in self._get_positional_actions()
        ]
        words = " ".join([self.prog, "[OPTION...]", *taken])
        return f"usage: {words}; {self.prog} --help tells more\n"

    def parse_known_args(  # type: ignore[override]  # typeshed lets namespaces be of any class
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Return what words say; what means nothing is an error of the command it is given to."""
        found, rest = super().parse_known_args(args, namespace)
        if self.takes_words:
            found.words = rest
            return found, []
        if rest:
            self.error(self._describe_rest(rest))
        return found, rest

    def _describe_rest(self, rest: Sequence[str]) -> str:
        options = [word.partition("=")[0] for word in rest if word.startswith("-")]
        if options:
            known = [option for action in self._actions for option in action.option_strings]
            commands = [each for each in self._actions if isinstance(each, Commands)]
            inner = [command for each in commands for command in each.choices.values()]
            if any(options[0] in command._option_string_actions for command in inner):  # noqa: SLF001
                return f"{options[0]} is an option of commands; write it behind the name of one"
            return f"unrecognized arguments: {' '.join(rest)}{suggest(options[0], known)}"
        taken = [_metavar_of(action) for action in self._get_positional_actions()]
        return (
            f"{self.prog} takes {' and '.join(taken) or 'options alone'}; found "
            f"{', '.join(map(repr, rest))} as well; call it for each"
        )

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # Any: as it is there
        if action.choices is not None and value not in action.choices:
            known = [str(each) for each in action.choices]
            near = suggest(value, known)
            if isinstance(action, Commands) and os.path.exists(value):  # noqa: PTH110 - any text
                near = f"; the command stands before the file: {self.prog} show {value}"
            raise argparse.ArgumentError(
                action, f"invalid choice: {value!r}; choose from {', '.join(known)}{near}"
            )


_TAKEN: Final[Mapping[object, str]] = {"?": "[{}]", "*": "[{}...]", "+": "{}..."}
"""How often something is given, as usage shows it."""


def _metavar_of(action: argparse.Action) -> str:
    return str(action.metavar or action.dest)


# typeshed knows these only by private names
Commands = argparse._SubParsersAction  # noqa: SLF001
Group = argparse._ActionsContainer  # noqa: SLF001


def add_command(
    commands: Commands[Parser], name: str, summary: str, more: str | None = None, **named: Any
) -> Parser:
    """Add a command; ``more`` is told below its options, the rest is for its parser."""
    described = f"{summary[:1].upper()}{summary[1:]}."
    command = commands.add_parser(name, help=summary, description=described, epilog=more, **named)
    add_frame(command, is_inner=True)
    return command


FRAME: Final = "options of all commands"
"""What the options that all commands take are called in the help."""


def add_frame(parser: Parser, *, is_inner: bool = False) -> None:
    """Add what all commands take, before the name of the command or, ``is_inner``, behind it.

    Where words have a grammar of their own, options of one letter are left to that.
    """
    frame = parser.add_argument_group(FRAME)
    frame.add_argument(
        "--load",
        action="append",
        metavar="FILE.py",
        dest="load" if is_inner else "load_first",
        default=[],
        help=_LOAD,
    )
    loudness: Mapping[str, tuple[Verbosity, str]] = {
        "quiet": (Verbosity.QUIET, "tell only what is wrong, and what is asked for"),
        "verbose": (Verbosity.VERBOSE, "tell what is read and loaded, and which passes run"),
    }
    for name, (value, what) in loudness.items():
        frame.add_argument(
            *([f"-{name[0]}"] if not parser.takes_words else []),
            f"--{name}",
            action="store_const",
            const=value,
            dest="verbosity",
            help=what,
            default=argparse.SUPPRESS if is_inner else Verbosity.USUAL,
        )
    frame.add_argument(
        "--collector",
        choices=[each.value for each in Manner],
        help=_COLLECTOR,
        default=argparse.SUPPRESS if is_inner else Manner.FROZEN.value,
    )
    default = argparse.SUPPRESS if is_inner else False
    what = "show where an error was raised"
    frame.add_argument("--traceback", action="store_true", help=what, default=default)


_COLLECTOR: Final = """\
how Python's cyclic garbage collector runs: frozen, if not given: rarely, and not over the program
that was read; rare: rarely; usual: as Python has it; off: never, which may take memory
"""

_LOAD: Final = """\
import a file of Python, or a package by its name, before anything else; what it registers, passes,
operators, analyses, checks, domains, kinds, instruments, is there by name; may be given again
"""


def add_color(command: Group) -> None:
    """Add whether differences are in colour."""
    what = "whether differences are in colour; auto: on a terminal"
    command.add_argument("--color", choices=("auto", "always", "never"), default="auto", help=what)


def add_json(command: Group, what: str) -> None:
    """Add that the result is told as JSON, and the schema of that."""
    command.add_argument("--json", action="store_true", help=what)
    what = "print the JSON Schema of what --json prints, and leave"
    command.add_argument("--json-schema", action=_TellSchema, nargs=0, help=what)


class _TellSchema(argparse.Action):
    """Prints the schema of results of the command, whatever else is given."""

    def __call__(self, parser: argparse.ArgumentParser, *_given: object, **_named: object) -> None:
        command = parser.prog.split()[-1]
        kind = load_command(command).RESULT
        forms = importlib.import_module("relayish.cli.json_form")  # only where it is asked for
        tell(forms.render_schema(kind, parser.prog))
        parser.exit()


def add_program(command: argparse.ArgumentParser, *, is_optional: bool = False) -> None:
    """Add the program that a command reads."""
    command.add_argument("file", nargs="?" if is_optional else None, metavar="FILE", help=_READ)
    add_unknown_ops(command)


def add_programs(command: argparse.ArgumentParser, *, are_optional: bool = False) -> None:
    """Add the programs that a command reads one after the other."""
    command.add_argument("files", nargs="*" if are_optional else "+", metavar="FILE", help=_READ)
    add_unknown_ops(command)


_READ: Final = """\
Relay text, loops, core, a program in binary form or a model of ONNX, told by content; - for
standard input
"""


def add_unknown_ops(command: argparse.ArgumentParser) -> None:
    """Add whether operators are read that nobody declared."""
    what = "read operators that are not declared as operators of which nothing is known"
    add_flags(command, {"--allow-unknown-ops": what})


def add_output(command: argparse.ArgumentParser, what: str = "") -> None:
    """Add where a result goes."""
    usual = "binary if it ends in .rly, a model if in .onnx; standard output if not given"
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
    add_names(passes, "--disable-pass", "leave a pass out", "PASS")
    add_names(passes, "--required-pass", "run a pass of the pipeline whatever its level", "PASS")
    for bound, which in _SKIPPED.items():
        what = f"leave out {which}, as --print-pass counts them"
        passes.add_argument(f"--skip-{bound}", type=parse_level, default=-1, metavar="N", help=what)
    add_flags(passes, {"--print-pass": "list the passes with their options; run none"})
    add_names(passes, "--config", "set an option of the pass context", "NAME=VALUE")
    watching = command.add_argument_group("watching passes")
    add_flags(watching, _WATCHING)
    add_names(watching, "--instrument", _INSTRUMENT, "INSTRUMENT{...}")
    what = "where to write what is traced; standard error if not given"
    watching.add_argument("--trace-file", metavar="FILE", help=what)
    add_names(watching, "--dump-after", "write the program to a file after this pass", "PASS")
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


_INSTRUMENT: Final = """\
let instruments watch passes, "Diff" or with options as "PrintAfter{only_changed=true}"; `relayish
passes --instruments` lists all
"""


def add_report(command: Group) -> None:
    """Add where a page goes that tells what each pass did."""
    what = "write a page that shows the program before and after every pass"
    command.add_argument("--report", metavar="FILE.html", help=what)


def add_flags(command: Group, flags: Mapping[str, str]) -> None:
    """Add options that are given or not, each with what it does."""
    for option, what in flags.items():
        command.add_argument(option, action="store_true", help=what)


def add_names(command: Group, option: str, what: str, metavar: str) -> None:
    """Add an option that may be given again and again; completion goes by what ``metavar`` is."""
    command.add_argument(option, action="append", default=[], metavar=metavar, help=what)
