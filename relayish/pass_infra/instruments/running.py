"""Nesting of passes: which are running inside one another, as an instrument sees it."""

from __future__ import annotations

from dataclasses import dataclass

from relayish._support.per_thread import PerThread
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument


@dataclass(slots=True, eq=False)
class RunningPass:
    """A pass that has begun, and what is known of the passes inside it."""

    info: PassInfo
    mod: AnyModule
    reached: AnyModule | None = None
    """What the last pass inside returned."""
    unbroken: bool = True
    """Each pass inside was given what the one before returned, and the first what this one was."""
    kept: object = None
    """What the instrument that watches keeps of it."""

    def is_pure_composition(self, out: AnyModule) -> bool:
        """Return whether ``out`` is wholly the work of passes inside, as with a ``Sequential``."""
        return self.unbroken and self.reached is out


class RunningPasses(PerThread):
    """The passes that are running, each inside the one before; each thread has its own."""

    def __init__(self) -> None:
        self._stack: list[RunningPass] = []

    @property
    def depth(self) -> int:
        """How many passes are running inside one another."""
        return len(self._stack)

    def begin(self, mod: AnyModule, info: PassInfo) -> RunningPass:
        """Note that a pass begins."""
        if self._stack:
            around = self._stack[-1]
            expected = around.mod if around.reached is None else around.reached
            around.unbroken = around.unbroken and mod is expected
        running = RunningPass(info, mod)
        self._stack.append(running)
        return running

    def end(self, info: PassInfo, out: AnyModule | None = None) -> RunningPass | None:
        """Note that the pass has ended, with ``out`` or in an error; return what was noted of it.

        A hook of another instrument that raised may have left passes open, or this one never
        begun: the first are forgotten, in the second case there is nothing to return.
        """
        stack = self._stack
        place = len(stack) - 1
        while place >= 0 and stack[place].info is not info:
            place -= 1
        if place < 0:
            return None
        running = stack[place]
        del stack[place:]
        if stack:
            stack[-1].reached = out
        return running

    def forget(self) -> None:
        """Forget passes that a raising hook left open; called when a context is entered."""
        self._stack.clear()


class NestingInstrument(PassInstrument):
    """The base of instruments that are told of a pass what ran inside it.

    What derives from it says what it does when a pass begins, ends and fails. Nothing is known of
    a pass, ``None``, whose beginning a hook of another instrument kept from this one.
    """

    def __init__(self) -> None:
        self._running = RunningPasses()

    def begins(self, running: RunningPass) -> None:
        """Do what is to be done before a pass."""

    def ends(self, running: RunningPass | None, out: AnyModule, info: PassInfo) -> None:
        """Do what is to be done after a pass that returned ``out``."""

    def fails(self, running: RunningPass | None, info: PassInfo, error: BaseException) -> None:
        """Do what is to be done after a pass that raised."""

    def enter_pass_ctx(self) -> None:
        self._running.forget()

    def run_before_pass(self, mod: AnyModule, info: PassInfo) -> None:
        self.begins(self._running.begin(mod, info))

    def run_after_pass(self, mod: AnyModule, info: PassInfo) -> None:
        self.ends(self._running.end(info, mod), mod, info)

    def run_on_failure(self, mod: AnyModule, info: PassInfo, error: BaseException) -> None:  # noqa: ARG002 - a hook
        self.fails(self._running.end(info), info, error)
