"""Nesting of passes: which are running inside one another, as an instrument sees it."""

from __future__ import annotations

from dataclasses import dataclass

from relayish._support.per_thread import PerThread
from relayish.ir.module import AnyModule
from relayish.pass_infra.base.info import PassInfo


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
