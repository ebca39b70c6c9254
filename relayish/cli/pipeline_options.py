"""Options of commands that run passes: the pipeline and the context around it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from relayish.cli.forms import Form
from relayish.cli.report import tell_error
from relayish.errors import ConfigError
from relayish.pass_infra.base.config import read_config
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.passes.default_pipeline import DEFAULT_PASSES, LOOP_PASSES, default_pipeline
from relayish.transform import PassContext, Sequential, parse_pipeline, pass_entry

DEFAULT_LEVEL = 2
"""The level where neither a pipeline nor a level is given."""


def named_pipeline(args: argparse.Namespace) -> Sequential | None:
    """Return the pipeline that is named, if one is: asked before a file is read.

    Raises:
        PipelineError, UnknownNameError: If it names what there is not.
    """
    return None if args.passes is None else parse_pipeline(args.passes)


def usual_pipeline(args: argparse.Namespace, form: Form) -> Sequential:
    """Return the default pipeline of the level for what a file holds."""
    level = DEFAULT_LEVEL if args.opt_level is None else args.opt_level
    return default_pipeline(level, DEFAULT_PASSES if form is Form.RELAY else LOOP_PASSES)


def context_of(
    args: argparse.Namespace, pipeline: Sequential, instruments: Sequence[PassInstrument] = ()
) -> PassContext:
    """Return the context to run ``pipeline`` under; tell which of its passes will not run.

    Raises:
        ConfigError, UnknownNameError: If an option or a pass is unknown.
    """
    for name in (*args.disable_pass, *args.required_pass):
        pass_entry(name)  # misspelt, it would silently have no effect
    ctx = PassContext(
        opt_level=_level(args, pipeline),
        required_pass=args.required_pass,
        disabled_pass=args.disable_pass,
        instruments=instruments,
        config=dict(_read_setting(item) for item in args.config),
    )
    if args.passes is not None:  # nobody has named those of the default pipeline
        _tell_skipped(pipeline, ctx)
    return ctx


def _level(args: argparse.Namespace, pipeline: Sequential) -> int:
    """Return the level of the context: who names a pass and no level wants the pass to run."""
    if args.opt_level is not None:
        return int(args.opt_level)
    if args.passes is None:
        return DEFAULT_LEVEL
    return max(DEFAULT_LEVEL, *(pass_.info.opt_level for pass_ in pipeline.passes))


def _read_setting(item: str) -> tuple[str, object]:
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
        tell_error(f"relayish: note: {pass_.info.name} is not run: {why}\n")
