"""The text of the programs that passes take and return, each written once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from relayish._support import hooks
from relayish._support.per_thread import PerThread
from relayish.ir.modules.module import AnyModule

KEPT: Final = 4
"""So many texts are kept: what a pass took and returned, and the pass around it."""


class ProgramTexts(PerThread):
    """The texts of the last few programs asked for; each thread has its own.

    A text has its metadata: it parses back to the same.
    """

    def __init__(self) -> None:
        self._texts: dict[AnyModule, str] = {}
        self._write: Callable[[AnyModule], str] | None = None

    def make_writer(self) -> Callable[[AnyModule], str]:
        """Return what writes programs until they are forgotten."""
        return hooks.writer

    def of(self, mod: AnyModule) -> str:
        """Return the text of a program."""
        found = self._texts.pop(mod, None)
        if found is None:
            if self._write is None:
                self._write = self.make_writer()
            found = self._write(mod)
        self._texts[mod] = found
        while len(self._texts) > KEPT:
            del self._texts[next(iter(self._texts))]
        return found

    def forget(self) -> None:
        """Keep no text any longer, nor what the writer knows."""
        self._texts.clear()
        self._write = None


class BriefTexts(ProgramTexts):
    """Texts that are compared: without inferred types, constants by what they hold."""

    def make_writer(self) -> Callable[[AnyModule], str]:
        return hooks.brief_writer(types=False)


class TypedTexts(ProgramTexts):
    """Texts that are compared, with inferred types."""

    def make_writer(self) -> Callable[[AnyModule], str]:
        return hooks.brief_writer(types=True)
