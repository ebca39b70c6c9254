"""Options of drivers and passes: ``-skip_after=7 -VEC:level=3:trace_ir_after --dump=VEC``."""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import re
import sys
from collections.abc import Sequence
from typing import Final

from relayish.cli.passes import render_entry
from relayish.cli.report import tell_error
from relayish.domain.driver import Driver, DriverCtx
from relayish.domain.driver.config import GLOBAL_NAMES
from relayish.pass_infra.base.common import NOTHING_ASKED, CommonConfig
from relayish.pass_infra.base.trace import TraceFiles
from relayish.registry.option import MISSING
from relayish.transform import Sequential, pass_entry

_GROUP: Final = re.compile(r"-(?!-)[A-Za-z_][\w.]*:|--(?:dump|keep|show|trace|perf)(?:=|$)")
_WORD: Final = re.compile(r"-(?P<name>[A-Za-z_][\w-]+)(?:=.*)?$", re.DOTALL)


_HELP: Final = """\
options of passes, -PASS:OPTION[=VALUE][:OPTION...]; -PASS:help lists those of one
"""


def split_words(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words of a command line that are not for drivers, and those that are.

    Example:
        >>> split_words(["a.relay", "-O2", "-trace", "-VEC:level=3", "-p", "VEC", "--timing"])
        (['a.relay', '-O2', '-p', 'VEC', '--timing'], ['-trace', '-VEC:level=3'])
    """
    others: list[str] = []
    driven: list[str] = []
    for word in words:
        found = _WORD.match(word)
        is_driven = _GROUP.match(word) is not None or (
            found is not None and found["name"].replace("-", "_") in GLOBAL_NAMES
        )
        (driven if is_driven else others).append(word)
    return others, driven


class _CommandCtx(DriverCtx):
    def warn(self, message: str) -> None:
        tell_error(f"relayish: note: {message}\n")


def driver_context(args: argparse.Namespace) -> DriverCtx:
    """Return the context that the words for drivers ask for, and let the others follow it.

    What is traced goes to ``--trace-file``, or standard error.

    Raises:
        OptionError: If a word says what there is not.
    """
    stem = "program" if args.file in (None, "-") else args.file
    ctx = _CommandCtx(
        trace=TraceFiles(stem, getattr(args, "trace_file", None) or sys.stderr), input=stem
    )
    if args.driver_words:
        ctx.parse_options(args.driver_words)
    args.output = ctx.config.output or args.output
    if ctx.config.opt_level is not None:
        args.opt_level = ctx.config.opt_level
    return ctx


def listing(ctx: DriverCtx, pipeline: Sequential) -> str:
    """Return what is to be told in place of running anything; ``""`` if nothing is.

    Args:
        ctx: Which asks for options of passes, or for all operators.
        pipeline: What would run.
    """
    told = [_render_options(name) for name, given in ctx.options.items() if given.get("help")]
    if ctx.config.help:
        told.append(f"{ctx.line.describe()}{_HELP}")
    if ctx.config.print_pass:
        told.append(render_run(Driver(pipeline.passes, ctx)))
    if ctx.config.print_meta:
        # imported when asked for: it loads every language
        told.append(importlib.import_module("relayish.cli.domains").render_domains())
    return "\n".join(told)


def _render_options(name: str) -> str:
    """Return what is known of a pass, with the options that every pass has."""
    entry = pass_entry(name)
    lines = [f"    {option}: {option.description}\n" for option in entry.common]
    return f"{render_entry(entry)}  options of every pass:\n{''.join(lines)}"


def render_run(driver: Driver) -> str:
    """Return the passes of a run, a line each: number, phase, options with their values."""
    plan = zip(driver.phases(), driver.configs(), strict=True)
    return "".join(
        f"{number} {phase}{_render_set(config)}\n" for number, (phase, config) in enumerate(plan, 1)
    )


def _render_set(config: CommonConfig) -> str:
    """Return the options of the pass, and those of every pass that have other values than usual."""
    given = {
        declared.name: getattr(config, declared.name)
        for declared in dataclasses.fields(config)
        if getattr(config, declared.name) != getattr(NOTHING_ASKED, declared.name, MISSING)
    }
    return "".join(f" {name}={value!r}" for name, value in given.items())
