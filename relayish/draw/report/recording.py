"""Recording what passes do: an instrument that keeps the program before and after each."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple

from relayish._support.printable import message_text
from relayish.draw.report.report import Report
from relayish.draw.report.steps import CheckOutcome, LeftOut, Step, Views
from relayish.errors import CheckError, notes_of
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.context import PassContext, resume
from relayish.pass_infra.base.info import PassInfo, short_name
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.base.pass_class import Pass, running_pass
from relayish.pass_infra.composition.pass_config import own_options
from relayish.pass_infra.composition.registry import REGISTRY
from relayish.pass_infra.composition.sequential import requirements
from relayish.pass_infra.instruments.running import NestingInstrument, RunningPass
from relayish.pass_infra.instruments.verify import VerifyInstrument
from relayish.rewriting.rule import REASONS
from relayish.transform import Sequential, parse_pipeline

NOTES: int = 100
"""So many notes are kept of a step."""


def report(
    mod: AnyModule,
    pipeline: Pass | str | Sequence[Pass | str],
    *,
    opt_level: int | None = None,
    required_pass: Sequence[str] | None = None,
    disabled_pass: Sequence[str] | None = None,
    instruments: Sequence[PassInstrument] | None = None,
    config: Mapping[str, object] | None = None,
) -> Report:
    """Run passes over a module and return what each of them did.

    Where something is said of the context, the passes run in one of its own; else they run in the
    one that is current, its instruments included. A pass that raises ends the report: its step
    has the error, and ``result`` raises it.

    Args:
        mod: The program.
        pipeline: A pass, a pipeline in a string, or passes in order.
        opt_level: As of a :class:`PassContext`, and so are the others.
        required_pass: See there.
        disabled_pass: See there.
        instruments: See there. Checks of a ``VerifyInstrument`` are told with the steps.
        config: See there.

    Returns:
        What happened; printed it is a table, and in a notebook a page.

    Raises:
        PipelineError, UnknownNameError: If the pipeline names what there is not.

    Example:
        >>> import relayish as relay
        >>> mod = relay.parse('''#[version = "0.0.5"]
        ... def @main(%x: float32) -> float32 { add(%x, add(1f, 2f)) }''')
        >>> done = report(mod, "InferType,FoldConstant")
        >>> [(step.name, step.changed) for step in done.steps]
        [('InferType', False), ('FoldConstant', True)]
        >>> print(done.steps[1].text_after)
        def @main(%x: float32) -> float32 {
          add(%x, 3f)
        }
    """
    chain = _as_pass(pipeline)
    recorder = Recorder(chain, mod)
    given = (opt_level, required_pass, disabled_pass, instruments, config)
    entered: AbstractContextManager[PassContext]
    if all(each is None for each in given):
        entered = resume(_watched(PassContext.current(), recorder))
    else:
        level = PassContext.current().opt_level if opt_level is None else opt_level
        watching = recorder.around(tuple(instruments or ()))
        entered = PassContext(level, required_pass, disabled_pass, watching, config)
    try:
        with recorder.recording(), entered:
            recorder.output = chain(mod)
    except Exception as error:  # noqa: BLE001 - told in the report, and raised by its result
        recorder.error = error
    return recorder.report()


def _watched(ctx: PassContext, recorder: Recorder) -> PassContext:
    """Return a context like one that is entered already, with a recorder around its instruments."""
    watching = recorder.around(ctx.instruments)
    return PassContext(ctx.opt_level, ctx.required_pass, ctx.disabled_pass, watching, ctx.config)


def _as_pass(pipeline: Pass | str | Sequence[Pass | str]) -> Pass:
    if isinstance(pipeline, Pass):
        return pipeline
    return parse_pipeline(pipeline) if isinstance(pipeline, str) else Sequential(pipeline)


class Recorder(NestingInstrument):
    """Keep what each pass is given and returns, how long it takes, and what it says.

    It stands before all other instruments of a context, and what :meth:`around` puts behind them
    begins to measure.

    Args:
        pipeline: What is going to run.
        mod: The program that it is going to run on.
        title: What the report is called; as the pipeline, if not given.

    Attributes:
        steps: The passes that began so far.
        output: What came out in the end, told by who runs the pipeline.
        notes: What is to be told of the whole, likewise.
        error: What was raised, told likewise.
    """

    def __init__(self, pipeline: Pass, mod: AnyModule, title: str = "") -> None:
        super().__init__()
        self._title = title or pipeline.info.name
        self.steps: list[Step] = []
        self.output: AnyModule | None = None
        self.error: Exception | None = None
        self.notes: list[str] = []
        self._pipeline = pipeline
        self._mod = mod
        self._views = Views()
        self._open: list[Step] = []
        self._places: list[_Place] | None = None
        self._place = 0
        self._checks: tuple[str, ...] = ()
        self._left_out: list[LeftOut] = []
        self._warned: list[warnings.WarningMessage] = []
        self._again: list[warnings.WarningMessage] = []

    def around(self, instruments: Sequence[PassInstrument]) -> tuple[PassInstrument, ...]:
        """Return instruments with this one in its places around them."""
        return (self, *instruments, _Clock(self))

    @contextmanager
    def recording(self) -> Iterator[None]:
        """Listen to warnings, which are given again behind the block, and to rules."""
        listening = REASONS.set(self._note)
        try:
            with warnings.catch_warnings(record=True) as self._warned:
                yield
        finally:
            REASONS.reset(listening)
            self._take_warnings()
            for each in self._again:
                warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)

    def begins(self, running: RunningPass) -> None:
        info, around = running.info, running_pass()
        if self._places is None:
            self._look_ahead()
        whole = self._pipeline
        if not self._open and info is whole.info and isinstance(whole, Sequential):
            return  # it is no step of itself
        self._take_warnings()
        if self._open and isinstance(around, Sequential):
            self._open[-1].is_group = True
        step = Step(info.name, info.opt_level, running.mod, self._views, inside=tuple(self._open))
        if around is None or isinstance(around, Sequential):
            self._find_place(step)
        running.kept = step
        self.steps.append(step)
        self._open.append(step)

    def ends(self, running: RunningPass | None, out: AnyModule, info: PassInfo) -> None:
        step = self._close(running)
        if step is None:
            return
        step.after = out
        if self._checks and not step.is_group:
            step.checks = [CheckOutcome(name) for name in (*self._checks, *info.ensures)]

    def fails(self, running: RunningPass | None, info: PassInfo, error: BaseException) -> None:  # noqa: ARG002 - a hook
        step = self._close(running)
        if step is not None:
            step.error = _tell(error)

    def starts(self) -> None:
        """Begin to measure the pass that begins."""
        if self._open:
            self._open[-1].seconds = -time.perf_counter()

    def report(self) -> Report:
        """Return what was recorded so far."""
        self._take_warnings()
        if isinstance(self.error, CheckError):
            self._tell_check(self.error)
        return Report(
            self._title,
            self._mod,
            tuple(self.steps),
            tuple(self._left_out),
            self.error,
            self.output,
            tuple(self.notes),
        )

    # -- private ---------------------------------------------------------------------------------

    def _close(self, running: RunningPass | None) -> Step | None:
        """Return the step of a pass that has ended, with the time that it took."""
        now = time.perf_counter()
        step = None if running is None else running.kept
        if not isinstance(step, Step):
            return None
        self._take_warnings()
        while self._open and self._open.pop() is not step:
            pass  # left open by a hook of another instrument that raised
        step.seconds += now
        return step

    def _look_ahead(self) -> None:
        """Take note of what is going to run, and of the checks of the context."""
        ctx = PassContext.current()
        self._places = list(_places(self._pipeline, ctx, self._left_out))
        for instrument in ctx.instruments:
            if isinstance(instrument, VerifyInstrument):
                self._checks = tuple(dict.fromkeys((*self._checks, *instrument.checks)))

    def _find_place(self, step: Step) -> None:
        """Tell a step what is known of the pass from its place in the pipeline."""
        places = self._places or []
        for number in range(self._place, len(places)):
            if places[number].pass_.info.name == step.name:
                self._place = number + 1
                step.options = options_of(places[number].pass_)
                step.needed_by = places[number].needed_by
                return

    def _note(self, text: str) -> None:
        if self._open and len(self._open[-1].notes) < NOTES:
            self._open[-1].notes.append(message_text(text))

    def _take_warnings(self) -> None:
        """Give what was warned of to the step at hand."""
        for each in self._warned:
            self._note(f"{each.category.__name__}: {each.message}")
            self._again.append(each)
        self._warned.clear()

    def _tell_check(self, error: CheckError) -> None:
        """Tell the step whose result does not pass a check, and what was not asked any more."""
        found = [step for step in self.steps if not step.is_group and step.after is not None]
        if not found or not error.check or short_name(error.pass_name) != found[-1].name:
            return
        step = found[-1]
        names = [each.name for each in step.checks]
        asked = names[: names.index(error.check)] if error.check in names else names
        step.checks = [CheckOutcome(name) for name in asked]
        step.checks.append(CheckOutcome(error.check, _tell(error)))
        step.error = _tell(error)


class _Clock(PassInstrument):
    """Stands behind all other instruments, whose work before a pass is not the pass's."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def run_before_pass(self, mod: AnyModule, info: PassInfo) -> None:  # noqa: ARG002 - a hook
        self._recorder.starts()


class _Place(NamedTuple):
    """A pass of a pipeline, and the name of the one that requires it."""

    pass_: Pass
    needed_by: str = ""


def _places(pipeline: Pass, ctx: PassContext, left_out: list[LeftOut]) -> Iterator[_Place]:
    """Yield the passes that are going to run, in order, pipelines inside taken apart."""
    if not isinstance(pipeline, Sequential):
        yield _Place(pipeline)
        return
    configured = {each.info.name: each for each in pipeline.plan(ctx)}
    pending = [(iter(pipeline.passes), pipeline.context(ctx))]
    while pending:
        passes, inside = pending[-1]
        each = next(passes, None)
        if each is None:
            pending.pop()
            continue
        if not pipeline.is_resolved and not inside.pass_enabled(each.info):
            left_out.append(LeftOut(each.info.name, _why_left_out(each.info, inside)))
            continue
        for required in requirements(each):
            yield _Place(configured.get(required.info.name, required), each.info.name)
        if isinstance(each, Sequential):
            pending.append((iter(each.passes), each.context(inside)))
        else:
            yield _Place(each)


def _why_left_out(info: PassInfo, ctx: PassContext) -> str:
    if short_name(info.name) in ctx.disabled_pass:
        return "it is disabled"
    return f"its level is {info.opt_level}, above {ctx.opt_level}"


def options_of(pass_: Pass) -> dict[str, str]:
    """Return the options of a registered pass that have other values than usual, as text.

    Example:
        >>> from relayish.transform import FoldConstant
        >>> options_of(FoldConstant(fold_qnn=True))
        {'fold_qnn': 'True'}
    """
    entry = REGISTRY.find(pass_.info.name)
    given: Mapping[str, Any] = {}  # Any: values of any type
    if entry is not None:
        given = own_options(pass_, entry) or {}
        usual = {option.name: option.default for option in entry.options}
        given = {name: value for name, value in given.items() if value != usual.get(name)}
    return {name: message_text(repr(value)) for name, value in given.items()}


def _tell(error: BaseException) -> str:
    """Return what an error says, its notes included."""
    said = f"{type(error).__name__}: {error}"
    return message_text("\n".join([said, *map(str, notes_of(error))]))
