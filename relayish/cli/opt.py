"""``relayish opt``: run a pipeline of passes over a program."""

from __future__ import annotations

import argparse
import sys

from relayish import text
from relayish.cli.files import read_module, write_result
from relayish.errors import ConfigError
from relayish.transform.config import read_config
from relayish.transform.context import PassContext
from relayish.transform.instrument import PassInstrument
from relayish.transform.printing import PassPrintingInstrument, PrintAfterAll
from relayish.transform.registry import pass_entry
from relayish.transform.sequential import Sequential, parse_pipeline
from relayish.transform.timing import PassTimingInstrument


def run(args: argparse.Namespace) -> int:
    """Run the command; the result is written when every pass has succeeded."""
    pipeline = parse_pipeline(args.passes)
    for name in (*args.disable_pass, *args.required_pass, *args.print_ir_after):
        pass_entry(name)  # misspelt, it would silently have no effect
    timing = PassTimingInstrument()
    ctx = PassContext(
        opt_level=_level(pipeline, args.opt_level),
        required_pass=args.required_pass,
        disabled_pass=args.disable_pass,
        instruments=[*_printers(args), *([timing] if args.timing else [])],
        config=dict(_setting(item) for item in args.config),
    )
    mod = read_module(args.file, allow_unknown_ops=args.allow_unknown_ops)
    _tell_skipped(pipeline, ctx)
    with ctx:
        # without the call around it, which would print and time the whole like one more pass
        out = pipeline.run(mod, ctx)
        sys.stderr.write(timing.render())
    write_result(text.astext(out), args.output)
    return 0


def _level(pipeline: Sequential, given: int | None) -> int:
    """Return the level of the context: who names a pass and no level wants the pass to run."""
    if given is not None:
        return given
    return max(2, *(pass_.info.opt_level for pass_ in pipeline.passes))


def _printers(args: argparse.Namespace) -> list[PassInstrument]:
    if args.print_ir_after_all:
        return [PrintAfterAll(file=sys.stderr)]
    if args.print_ir_after:
        return [PassPrintingInstrument((), args.print_ir_after, file=sys.stderr)]
    return []


def _setting(item: str) -> tuple[str, object]:
    name, equals, value = item.partition("=")
    if not equals:
        raise ConfigError(f"expected NAME=VALUE after --config; found {item!r}")
    return name, read_config(name, value)


def _tell_skipped(pipeline: Sequential, ctx: PassContext) -> None:
    for pass_ in pipeline.passes:
        if ctx.pass_enabled(pass_.info):
            continue
        why = (
            "it is disabled"
            if pass_.info.name in ctx.disabled_pass
            else f"its level is {pass_.info.opt_level}, above {ctx.opt_level}"
        )
        sys.stderr.write(f"relayish: note: {pass_.info.name} is not run: {why}\n")
