"""Options of commands that run passes: the pipeline and the context around it."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from relayish._support.own import GLOBAL_PREFIX
from relayish.cli.forms import Form
from relayish.cli.report import Verbosity, tell_note, verbosity
from relayish.cli.steps import StepInstrument
from relayish.domain.driver import Driver, DriverCtx, GlobalConfig
from relayish.domain.driver.config import GLOBAL_NAMES
from relayish.errors import ConfigError, PipelineError, UnknownNameError
from relayish.pass_infra.base.common import NOTHING_ASKED, CommonConfig
from relayish.pass_infra.base.config import read_config
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.base.trace import TraceFiles
from relayish.pass_infra.composition.registry import REGISTRY
from relayish.pass_infra.instruments.verify import USUAL_CHECKS, VerifyInstrument
from relayish.pass_infra.relay.preserved import PreservedAnalysesInstrument
from relayish.passes.relay.default_pipeline import DEFAULT_PASSES, LOOP_PASSES, default_pipeline
from relayish.registry.option import MISSING
from relayish.registry.syntax import parse_specs
from relayish.transform import (
    PassContext,
    Sequential,
    parse_instruments,
    parse_pipeline,
    pass_entry,
)

Around: TypeAlias = Callable[[Sequence[PassInstrument]], tuple[PassInstrument, ...]]
"""Puts instruments before and behind others."""

DEFAULT_LEVEL = 2
"""The level where neither a pipeline nor a level is given."""

_OF_MODELS: Final = "relayish.passes.onnx.default_pipeline"


def named_pipeline(args: argparse.Namespace) -> Sequential | None:
    """Return the pipeline that is named, if one is: asked before a file is read.

    Raises:
        PipelineError, UnknownNameError: If it names what there is not.
    """
    if args.passes is None:
        return None
    with _advising_to_load(args.passes):
        return parse_pipeline(args.passes)


_IN_A_FILE: Final = re.compile(r"(?P<file>[\w./\\~-]*\w)(?P<end>\.py)?[:.](?P<name>[A-Za-z_]\w*)")

_BESIDE_NAMES: Final = re.compile(rf"\{{[^{{}}]*\}}|{re.escape(GLOBAL_PREFIX)}")


@contextlib.contextmanager
def _advising_to_load(text: str) -> Iterator[None]:
    """Tell, in errors about names, how one is had that a file of the user registers."""
    try:
        yield
    except (PipelineError, UnknownNameError) as error:
        found = _IN_A_FILE.search(_BESIDE_NAMES.sub("", text))
        if found is not None:
            name = "NAME" if found["name"] == "py" else found["name"]
            file = found["file"] + (".py" if found["name"] == "py" else found["end"] or "")
            error.add_note(
                f"what a file registers goes by its name alone: --load {file}, and {name}"
            )
        raise


def named_instruments(args: argparse.Namespace) -> tuple[PassInstrument, ...]:
    """Return the instruments that are named, made anew.

    Raises:
        PipelineError, UnknownNameError: If one is named that there is not.
    """
    made: list[PassInstrument] = []
    for text in args.instrument:
        with _advising_to_load(text):
            made += parse_instruments(text)
    return tuple(made)


def usual_pipeline(args: argparse.Namespace, form: Form) -> Sequential:
    """Return the default pipeline of the level for what a file holds."""
    level = DEFAULT_LEVEL if args.opt_level is None else args.opt_level
    if form is Form.MODEL:
        # loaded for models alone
        models: Sequential = importlib.import_module(_OF_MODELS).onnx_pipeline(level)
        return models
    return default_pipeline(level, DEFAULT_PASSES if form is Form.RELAY else LOOP_PASSES)


class CommandCtx(DriverCtx):
    """The driver context of a command; what is traced goes to a file, or standard error."""

    def __init__(
        self,
        file: str | None,
        config: GlobalConfig,
        options: Mapping[str, Mapping[str, object]],
        trace_file: str | None,
    ) -> None:
        stem = "program" if file in (None, "-") else str(file)
        trace = TraceFiles(stem, trace_file or sys.stderr)
        super().__init__(config, options, trace=trace, input=stem)

    def warn(self, message: str) -> None:
        tell_note(message)


def driver_context(args: argparse.Namespace) -> DriverCtx:
    """Return the context in which a driver does what the options of a command ask for.

    Raises:
        OptionError, PipelineError, UnknownNameError: If they ask for what there is not.
    """
    for name in args.dump_after:
        pass_entry(name)  # misspelt, it would silently have no effect
    named_instruments(args)  # asked before a file is read
    config = GlobalConfig(
        show=args.show,
        trace=args.trace,
        trace_mp=args.trace_mp,
        perf=args.perf,
        keep=args.keep,
        dump=tuple(args.dump_after),
        skip_before=args.skip_before,
        skip_after=args.skip_after,
        skip_equal=args.skip_equal,
    )
    options: dict[str, dict[str, object]] = {}
    for text in args.pass_options:
        for spec in parse_specs(text):
            entry = REGISTRY.entry_of(spec, text)
            options.setdefault(entry.name, {}).update(entry.read_options(spec, text))
    return CommandCtx(args.file, config, options, args.trace_file)


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


_GROUP: Final = re.compile(r"-(?P<name>[A-Za-z_][\w.]*):(?P<options>.*)", re.DOTALL)
_WORD: Final = re.compile(r"-(?P<name>[A-Za-z_][\w-]+)(?:=.*)?", re.DOTALL)
_ELSEWHERE: Final = {"verify": "--verify-each", "dump": "--dump-after", "print_meta": ""}
"""What options of drivers are called as those of commands, where that is not the same."""


def advise(word: str) -> str:
    """Return what to write in place of a word for ``relayish drive``; ``""`` if it is none.

    Example:
        >>> advise("-VEC:level=3:show")
        "-VEC:level=3:show is for relayish drive; write --pass-options 'VEC{level=3, show=true}', \
or so in the pipeline"
        >>> advise("-skip_after=7"), advise("-O2")
        ('-skip_after=7 is for relayish drive; write --skip-after=7', '')
    """
    group, found = _GROUP.fullmatch(word), _WORD.fullmatch(word)
    if group is not None:
        given = group["options"].split(":")
        options = ", ".join([each if "=" in each else f"{each}=true" for each in given])
        told = f"--pass-options '{group['name']}{{{options}}}', or so in the pipeline"
        if given == ["help"]:
            told = f"relayish passes {group['name']}"
    elif found is not None and (name := found["name"].replace("-", "_")) in GLOBAL_NAMES:
        option = _ELSEWHERE.get(name, f"--{name.replace('_', '-')}")
        told = f"{option}{word[found.end('name') :]}" if option else "relayish domains"
    else:
        return ""
    return f"{word} is for relayish drive; write {told}"


def context_of(
    args: argparse.Namespace,
    pipeline: Sequential,
    instruments: Sequence[PassInstrument] = (),
    around: Around = tuple,
) -> PassContext:
    """Return the context to run ``pipeline`` under; tell which of its passes will not run.

    Args:
        args: Of the command.
        pipeline: The passes.
        instruments: What else watches them, behind the checks that are asked for.
        around: Puts others before and behind all that, to see what the checks refuse.

    Raises:
        ConfigError, UnknownNameError: If an option or a pass is unknown.
    """
    for name in (*args.disable_pass, *args.required_pass):
        pass_entry(name)  # misspelt, it would silently have no effect
    checking: tuple[PassInstrument, ...] = named_instruments(args)
    if verbosity() is Verbosity.VERBOSE:
        checking = (StepInstrument(), *checking)
    if args.verify_each:
        checking = (
            *checking,
            VerifyInstrument((*USUAL_CHECKS, "verified")),
            PreservedAnalysesInstrument(),
        )
    watching = (*checking, *instruments)
    ctx = PassContext(
        opt_level=_level(args, pipeline),
        required_pass=args.required_pass,
        disabled_pass=args.disable_pass,
        instruments=around(watching),
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
        tell_note(f"{pass_.info.name} is not run: {why}")
