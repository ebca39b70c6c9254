"""Drivers: pipelines whose passes begin and end together, with options of a command line."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, Self, TypeVar

from relayish.domain.driver.context import DriverCtx
from relayish.errors import PassError, add_note, suggest
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.context import PassContext, resume
from relayish.pass_infra.base.pass_class import Pass
from relayish.pass_infra.base.program_file import BINARY_SUFFIX, read_program
from relayish.pass_infra.composition.pass_config import config_of
from relayish.pass_infra.composition.sequential import Sequential, parse_pipeline
from relayish.pass_infra.instruments.dump import make_safe_name

_M = TypeVar("_M", bound=AnyModule)


class Driver(Sequential):
    """A ``Sequential`` that is seen as the driver of its passes.

    Called, it runs all: ``init`` of every pass in order, ``pre_run`` of every pass in order, the
    passes, ``post_run`` of every pass in reverse order, ``fini`` of every pass in reverse order;
    the last two of passes whose ``pre_run``, or ``init``, was called, also after an error. These
    may be called one by one as well. The passes are those that run under the pass context then,
    with options from the driver context.

    A driver in the pipeline of another is part of its run: hooks of its passes are called with
    those of the outer ones, and given the inner driver. It borrows the context of the outer one
    unless it was given one.

    Args:
        passes: As of a ``Sequential``, or a pipeline as text.
        ctx: The context that it owns. A driver without, which is not ``standalone``, borrows it.
        standalone: Whether it owns its context, one with the defaults if none is given.
        name: Its name.
        opt_level: As of a ``Sequential``.
        required: As of a ``Sequential``.

    Source:
        AIR ``DRIVER``, ``PASS_MANAGER``.

    Example:
        >>> from relayish.domain.driver import GlobalConfig
        >>> from relayish.ir.relay.module import IRModule
        >>> from relayish.pass_infra import create_module_pass
        >>> one = create_module_pass(lambda mod, ctx: print("One") or mod, 0, "One")
        >>> two = create_module_pass(lambda mod, ctx: print("Two") or mod, 0, "Two")
        >>> mod = Driver([one, two], DriverCtx(GlobalConfig(skip_after=1)))(IRModule())
        One
        // Two is not run
    """

    def __init__(
        self,
        passes: Sequence[Pass | str] | str | None = None,
        ctx: DriverCtx | None = None,
        *,
        standalone: bool = True,
        name: str = "driver",
        opt_level: int = 0,
        required: Sequence[str] = (),
    ) -> None:
        if ctx is not None and not standalone:
            raise PassError(
                f"driver {name} is given a context, so it is standalone; leave one of them out"
            )
        made = parse_pipeline(passes).passes if isinstance(passes, str) else passes
        super().__init__(made, opt_level, name, required)
        self._ctx = DriverCtx() if ctx is None and standalone else ctx
        self._own = self._ctx is not None
        self._schedule: Sequential | None = None
        self._ended = _Ended()
        self._done = 0
        """How many passes a run that is resumed has behind it."""

    @property
    def ctx(self) -> DriverCtx:
        """The driver context: its own, or that of the driver in whose run it is.

        Raises:
            PassError: If it is to borrow one and was not initialised.
        """
        if self._ctx is None:
            raise PassError(
                f"driver {self.info.name} has no context yet: it is not standalone; call "
                f"init(up), or put it into the pipeline of another driver"
            )
        return self._ctx

    def configs(self) -> tuple[Any, ...]:
        """Return the configurations of the passes that would run, or run.

        Any: each is of a class of its own, which :func:`config_class` makes.
        """
        return tuple([config_of(pass_) for pass_ in self.plan()])

    def get_pass(self, phase: str) -> Pass:
        """Return the pass of a phase, options set: ``FoldConstant#2`` is the second of that name.

        Raises:
            PassError: If there is no such phase; lists those there are.
        """
        return self.plan()[self._place_of(phase)]

    def set_pass_enable(self, name: str, is_enabled: bool) -> None:
        """Let passes of that name run, or not, in runs that begin later.

        Raises:
            PassError: If no pass of that name is in the run.
        """
        names = [pass_.info.name for pass_ in self.plan()]
        if name not in names:
            raise PassError(
                f"driver {self.info.name} runs no pass {name!r}{suggest(name, names)}; it runs "
                f"{', '.join(dict.fromkeys(names)) or 'none'}"
            )
        self.ctx.options.setdefault(name, {})["enable"] = is_enabled

    # -- the phases of a run ---------------------------------------------------------------------

    def init(self, driver: Driver | None = None) -> None:
        """Settle what runs and with which options, and call ``init`` of every pass, in order.

        Args:
            driver: The driver whose context to borrow, where this one is not standalone.

        Raises:
            PassError, UnknownNameError, PipelineError, OptionError: If a pass, a requirement or an
                option is not there.
        """
        if driver is not None:
            if self._own:
                raise PassError(
                    f"driver {self.info.name} has a context of its own; make it with "
                    f"standalone=False to let it borrow that of {driver.info.name}"
                )
            self._ctx = driver.ctx
        ctx = self.ctx
        with ctx:
            self._schedule = _schedule(self, ctx, self._done)
            self._ended = _Ended()
            _warn_of_unused(self, self._schedule, ctx)
            for pass_, around in _walk(self._schedule, self):
                self._ended.fini.callback(_call, pass_, "fini", around)
                _call(pass_, "init", around)

    def pre_run(self, driver: object = None) -> None:  # noqa: ARG002 - a hook
        """Call ``pre_run`` of every pass, in order."""
        with self.ctx:
            for pass_, around in _walk(self._scheduled(), self):
                self._ended.post_run.callback(_call, pass_, "post_run", around)
                _call(pass_, "pre_run", around)

    def run(self, mod: _M, ctx: PassContext | None = None) -> _M:
        """Run the passes.

        Args:
            mod: The program.
            ctx: The pass context; that of the driver context if not given.

        Returns:
            What they make of it; the context holds it as well.
        """
        if self.is_resolved:
            return self._run_inside(mod, PassContext.current() if ctx is None else ctx)
        if self._schedule is None:
            return self(mod)
        with self.ctx, resume(self.ctx.pass_context() if ctx is None else ctx) as inside:
            self.ctx.module = mod
            out = Sequential.run(self._schedule, mod, inside)
            self.ctx.module = out
        return out

    def post_run(self, driver: object = None) -> None:  # noqa: ARG002 - a hook
        """Call ``post_run`` of every pass that prepared, in reverse order."""
        with self.ctx:
            self._ended.post_run.close()

    def fini(self, driver: object = None) -> None:  # noqa: ARG002 - a hook
        """Call ``fini`` of every pass that began, in reverse order; what runs is forgotten."""
        with self.ctx:
            self._ended.fini.close()
        self._schedule = None

    def __call__(self, mod: _M) -> _M:
        """Return what the passes make of ``mod``, all phases of the run around them.

        Part of another driver's run, it is a pass like any other.
        """
        if self.is_resolved:
            return super().__call__(mod)
        return self._run_all(mod, 0)

    # -- resuming --------------------------------------------------------------------------------

    def resume(self, mod: _M, phase: str) -> _M:
        """Run the passes behind a phase: ``mod`` is what the pass of that name made.

        Args:
            mod: The program.
            phase: The name of the last pass that ran; ``FoldConstant#2`` is the second of a name.

        Raises:
            PassError: If there is no such phase; lists those there are.
        """
        return self._run_all(mod, self._place_of(phase) + 1)

    def resume_file(self, path: str) -> AnyModule:
        """Run the passes behind the phase that a file of a program tells; all if it tells none."""
        mod, phase = read_program(path)
        return self.resume(mod, phase) if phase else self(mod)

    def phases(self) -> tuple[str, ...]:
        """Return the names of the phases of a run under the current context, in order."""
        return tuple([pass_.info.phase for pass_ in self.plan()])

    def _place_of(self, phase: str) -> int:
        phases = self.phases()
        if phase not in phases:
            raise PassError(
                f"driver {self.info.name} has no phase {phase!r}{suggest(phase, phases)}; it has "
                f"{', '.join(phases) or 'none'}"
            )
        return phases.index(phase)

    def plan(self, ctx: PassContext | None = None) -> tuple[Pass, ...]:
        """Return the passes that would run, options set; in a run, those that run.

        Each has its number as its place, from 1. Those that are skipped are among them.

        Raises:
            PassError, UnknownNameError, PipelineError, OptionError: As :meth:`init`.
        """
        if self.is_resolved:
            return super().plan(ctx)
        if self._schedule is not None:
            return self._schedule.plan()
        with self.ctx, resume(PassContext.current() if ctx is None else ctx):
            return _schedule(self, self.ctx).plan()

    # -- private ---------------------------------------------------------------------------------

    def _run_all(self, mod: _M, done: int) -> _M:
        worker = copy.copy(self)  # one driver may run in several threads
        return worker._work(mod, done)  # noqa: SLF001 - of this class

    def _work(self, mod: _M, done: int) -> _M:
        self._done, self._ended = done, _Ended()
        with self.ctx:
            try:
                self.init()
                try:
                    self.pre_run()
                    return self.run(mod)
                finally:
                    self.post_run()
            finally:
                self.fini()

    def _run_inside(self, mod: _M, ctx: PassContext) -> _M:
        """Run as part of another driver, whose run has settled the passes."""
        with self.ctx:
            return Sequential.run(self, mod, ctx)

    def context(self, ctx: PassContext) -> PassContext:
        """Return the context under which the passes run where this runs under ``ctx``."""
        level = self._ctx.config.opt_level if self._own and self._ctx is not None else None
        return ctx if level is None else ctx.with_level(level)

    def resolve(
        self,
        ctx: PassContext | None = None,
        change: Callable[[Pass], Pass] = lambda pass_: pass_,
        change_inside: Callable[[Sequential], Sequential] = lambda pipeline: pipeline,
    ) -> Self:
        """Return this as part of the run of another; see :meth:`Sequential.resolve`."""
        if not self._own:
            return super().resolve(ctx, change, change_inside)._lend(DriverCtx.current())  # noqa: SLF001 - as above
        own = self.ctx
        settle = _Settling(own)
        return super().resolve(
            ctx,
            lambda pass_: change(settle(pass_)),
            lambda pipeline: change_inside(own.configure_inside(pipeline)),
        )

    def _lend(self, ctx: DriverCtx) -> Self:
        self._ctx = ctx
        return self

    def _scheduled(self) -> Sequential:
        if self._schedule is None:
            raise PassError(f"driver {self.info.name} was not initialised; call init() first")
        return self._schedule


class _Ended:
    """What is to be called of passes when a run ends, in reverse order."""

    def __init__(self) -> None:
        self.fini = ExitStack()
        self.post_run = ExitStack()


def _call(pass_: Pass, hook: str, driver: Driver) -> None:
    try:
        getattr(pass_, hook)(driver)
    except BaseException as error:
        add_note(error, f"in {hook} of pass {pass_.info.name}")
        raise


def _walk(pipeline: Sequential, driver: Driver) -> Iterator[tuple[Pass, Driver]]:
    """Yield the passes of a resolved pipeline in order, each with the innermost driver around."""
    for step in pipeline.passes:
        if isinstance(step, Sequential):
            yield from _walk(step, step if isinstance(step, Driver) else driver)
        else:
            yield step, driver


def _schedule(driver: Driver, ctx: DriverCtx, done: int = 0) -> Sequential:
    """Return what runs, as a pipeline of passes with the options asked for and their phases.

    Args:
        driver: Whose passes.
        ctx: Its context, which is the current one.
        done: How many passes have run already.
    """
    plain = Sequential(driver.passes, driver.info.opt_level, driver.info.name)
    return plain.resolve(ctx.pass_context(), _Settling(ctx, done), ctx.configure_inside)


class _Settling:
    """Gives the passes of a run, one after the other, options, phases and numbers."""

    def __init__(self, ctx: DriverCtx, done: int = 0) -> None:
        self.ctx = ctx
        self.done = done
        self.number = 0
        self.counts: dict[str, int] = {}

    def __call__(self, pass_: Pass) -> Pass:
        ctx, name = self.ctx, pass_.info.name
        self.number += 1
        count = self.counts[name] = self.counts.get(name, 0) + 1
        phase = name if count == 1 else f"{name}#{count}"
        made = ctx.configure(pass_)
        made = made.with_info(dataclasses.replace(made.info, phase=phase))
        if ctx.config.keep and not made.info.common.write_ir:
            kept = f"{ctx.files.stem}.{make_safe_name(phase).lower()}{BINARY_SUFFIX}"
            made = made.with_common(write_ir=kept)
        is_left_out = self.number <= self.done or ctx.config.bounds().is_skipped(self.number)
        return made.with_common(enable=False) if is_left_out else made


def _warn_of_unused(driver: Driver, schedule: Sequential, ctx: DriverCtx) -> None:
    run = dict.fromkeys(_names(schedule))
    unused = sorted(set(ctx.options) - set(run) - {group.name for group in ctx.line.groups})
    if unused:
        ctx.warn(
            f"options are given for {', '.join(unused)}, which do not run in driver "
            f"{driver.info.name}; there run {', '.join(run) or 'no passes'}"
        )


def _names(pipeline: Sequential) -> Iterator[str]:
    """Yield the names of the passes in a pipeline, pipelines inside it among them."""
    for step in pipeline.passes:
        yield step.info.name
        if isinstance(step, Sequential):
            yield from _names(step)
