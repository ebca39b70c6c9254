"""``relayish drive``: run passes over a program, by the command line of AIR's drivers.

It takes words as ``-O2 -trace -skip_after=7 -VEC:level=3:trace_ir_after --dump=VEC``, and does what
``relayish opt`` does with such options.
"""

from __future__ import annotations

import argparse
import importlib
from typing import Final

from relayish.cli.arguments import Parser
from relayish.cli.lists import named
from relayish.cli.opt import run_driven
from relayish.cli.passes import render_entry
from relayish.cli.pipeline_options import CommandCtx
from relayish.cli.program_arguments import add_opt_arguments
from relayish.cli.report import tell
from relayish.domain.driver import DriverCtx
from relayish.domain.driver.command_line import ValueForm
from relayish.errors import OptionError
from relayish.registry.option import PassOption

OPTIONS: Final = (
    PassOption(
        "passes", str | None, None, "", "what to run, in order; if not given, what is usual"
    ),
    PassOption("resume", bool, False, "", "go on behind the pass that the file is the result of"),
    PassOption("trace_file", str | None, None, "", "where to write what is traced"),
    PassOption("allow_unknown_ops", bool, False, "", "read operators that are not declared"),
    PassOption("traceback", bool, False, "", "show where an error was raised"),
)
"""What the command takes beside what a driver does."""
_FORMS: Final = {"passes": ValueForm.SPACE, "trace_file": ValueForm.SPACE}

_USAGE: Final = "usage: relayish drive FILE [OPTION...]\n\n"
_GROUPS: Final = (
    "options of passes, -PASS:OPTION[=VALUE][:OPTION...]; -PASS:help lists those of one\n"
)


def run(args: argparse.Namespace) -> int:
    """Run the command, of which ``args.words`` are the words."""
    ctx = DriverCtx()
    ctx.register_options(OPTIONS, _FORMS)
    files = ctx.parse_options(args.words)
    args.traceback |= ctx.values["traceback"]
    if len(files) > 1:
        raise OptionError(f"one input file is taken; found {', '.join(files)}")
    told = _listing(ctx)
    if told:
        tell(told)
        return 0
    parser = Parser()
    add_opt_arguments(parser)
    given = parser.parse_args(files, argparse.Namespace(**ctx.values))
    given.opt_level, given.print_pass = ctx.config.opt_level, ctx.config.print_pass
    given.output = ctx.config.output or None
    return run_driven(given, CommandCtx(given.file, ctx.config, ctx.options, given.trace_file))


def _listing(ctx: DriverCtx) -> str:
    """Return what is to be told in place of running anything; ``""`` if nothing is."""
    passes = [name for name, given in ctx.options.items() if given.get("help")]
    told = [render_entry(named("passes", name)) for name in passes]
    if ctx.config.help:
        told.append(f"{_USAGE}{ctx.line.describe()}{_GROUPS}")
    if ctx.config.print_meta:
        # imported when asked for: it loads every language
        told.append(importlib.import_module("relayish.cli.domains").render_domains())
    return "\n".join(told)
