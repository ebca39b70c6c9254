"""Showing which pass of a long pipeline is running."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Final, NamedTuple, TextIO

from relayish._support.per_thread import PerThread
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.context import PassContext
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.base.pass_class import Pass
from relayish.pass_infra.composition.sequential import Sequential
from relayish.pass_infra.instruments.running import RunningPasses

_CLEAR_LINE: Final = "\r\x1b[K"


class Progress(NamedTuple):
    """A pass that begins: the how manieth, of how many (0 if nobody knows), and its name."""

    number: int
    total: int
    name: str

    def __str__(self) -> str:
        of = f"/{self.total}" if self.total else ""
        return f"[{self.number}{of}] {self.name}"


class ProgressInstrument(PassInstrument):
    """Show ``[3/17] FoldConstant`` while the third pass of seventeen runs.

    Args:
        pipeline: What is going to run. Its passes are counted as they stand in
            :meth:`Sequential.plan`, not those that passes run inside them; without it every pass
            is counted as it begins, and how many there will be is not known.
        callback: Called with the :class:`Progress`, in place of showing it.
        stream: Where to show it, on a line that is written over; standard error, as it is at that
            time, if not given. Nothing is shown on what is no terminal.
    """

    def __init__(
        self,
        pipeline: Pass | None = None,
        *,
        callback: Callable[[Progress], None] | None = None,
        stream: TextIO | None = None,
    ) -> None:
        self.pipeline = pipeline
        self.callback = self._show if callback is None else callback
        self.stream = stream
        self._state = _State()
        self._running = RunningPasses()

    def enter_pass_ctx(self) -> None:
        self._running.forget()
        self._state.clear()

    def exit_pass_ctx(self) -> None:
        if self._state.shown:
            self._write(_CLEAR_LINE)
        self._state.clear()

    def run_before_pass(self, mod: AnyModule, info: PassInfo) -> None:
        state = self._state
        if self.pipeline is None:
            state.number += 1
            self.callback(Progress(state.number, 0, info.name))
            return
        running = self._running.begin(mod, info)
        if state.counted is not None and state.counted < self._running.depth:
            return  # inside a pass that was counted
        if state.plan is None:
            state.plan = _plan(self.pipeline)
        place = next((i for i in range(state.number, len(state.plan)) if state.plan[i] == info), -1)
        if place < 0:
            return
        state.number, state.counted = place + 1, self._running.depth
        running.kept = True
        self.callback(Progress(state.number, len(state.plan), info.name))

    def run_after_pass(self, mod: AnyModule, info: PassInfo) -> None:  # noqa: ARG002 - a hook
        self._end(info)

    def run_on_failure(self, mod: AnyModule, info: PassInfo, error: BaseException) -> None:  # noqa: ARG002 - a hook
        self._end(info)

    def _end(self, info: PassInfo) -> None:
        running = self._running.end(info)
        if running is not None and running.kept is True:
            self._state.counted = None

    def _show(self, progress: Progress) -> None:
        self._state.shown = self._write(f"{_CLEAR_LINE}{progress}")

    def _write(self, text: str) -> bool:
        stream = sys.stderr if self.stream is None else self.stream
        if not stream.isatty():
            return False
        stream.write(text)
        stream.flush()
        return True


def _plan(pipeline: Pass) -> tuple[PassInfo, ...]:
    planned = pipeline.plan(PassContext.current()) if isinstance(pipeline, Sequential) else ()
    return tuple([pass_.info for pass_ in planned]) or (pipeline.info,)


class _State(PerThread):
    """How far each thread is."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.number = 0
        self.shown = False
        self.plan: tuple[PassInfo, ...] | None = None
        self.counted: int | None = None
        """How deep in other passes the counted pass that is running stands."""
