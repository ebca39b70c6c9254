"""The text of the programs that passes take and return, each written once."""

from __future__ import annotations

from typing import Final

from relayish._support import hooks
from relayish._support.per_thread import PerThread
from relayish.ir.modules.module import AnyModule

KEPT: Final = 4
"""So many texts are kept: what a pass took and returned, and the pass around it."""


class ProgramTexts(PerThread):
    """The texts of the last few programs asked for; each thread has its own."""

    def __init__(self) -> None:
        self._texts: dict[AnyModule, str] = {}

    def of(self, mod: AnyModule) -> str:
        """Return the text of a program, with its metadata: it parses back to the same."""
        found = self._texts.pop(mod, None)
        if found is None:
            found = hooks.writer(mod)
        self._texts[mod] = found
        while len(self._texts) > KEPT:
            del self._texts[next(iter(self._texts))]
        return found

    def forget(self) -> None:
        """Keep no text any longer."""
        self._texts.clear()
