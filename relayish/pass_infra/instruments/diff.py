"""Showing what passes change, as a difference of texts."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator
from typing import Final, TextIO

from relayish.errors import DeclarationError
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.info import PassInfo, short_name
from relayish.pass_infra.instruments.coloured_diff import colour_lines
from relayish.pass_infra.instruments.line_changes import renumber
from relayish.pass_infra.instruments.line_diff import diff_lines
from relayish.pass_infra.instruments.program_text import BriefTexts, ProgramTexts, TypedTexts
from relayish.pass_infra.instruments.running import NestingInstrument, RunningPass

KEPT: Final = 8
"""So many differences are kept."""


class DiffInstrument(NestingInstrument):
    """Print, after each pass, a unified difference of the program before and after it.

    Texts are those of :func:`~relayish.text.relay.brief_text.brief_text`: large constants go by
    type, shape and a digest of their values. Temporaries, ``%3``, are called as they are in the
    program before, so that a line of which the number alone is another one has not changed.

    Nothing is printed for a pass that changes no line, as one that only infers types, nor for one
    whose result is that of the passes inside it, a ``Sequential``.

    Args:
        names: Passes to show; every pass if not given.
        types: Show inferred types as well, and passes that change only these.
        context: So many lines are shown around each change.
        colour: Mark lines by ANSI colours, and within them the words that differ.
        file: Where to print; standard output, as it is at that time, if not given.

    Raises:
        DeclarationError: If the number of lines is negative.
    """

    def __init__(
        self,
        names: Collection[str] | None = None,
        *,
        types: bool = False,
        context: int = 3,
        colour: bool = False,
        file: TextIO | None = None,
    ) -> None:
        super().__init__()
        if context < 0:
            raise DeclarationError(f"context is a number of lines from 0; found {context!r}")
        self.names = None if names is None else frozenset(short_name(name) for name in names)
        self.context = context
        self.colour = colour
        self.file = file
        self.shown: list[str] = []
        """The last few differences, without colours."""
        self._texts: ProgramTexts = TypedTexts() if types else BriefTexts()

    def exit_pass_ctx(self) -> None:
        self._texts.forget()

    def ends(self, running: RunningPass | None, out: AnyModule, info: PassInfo) -> None:
        if running is None or running.mod is out or running.is_pure_composition(out):
            return
        if self.names is not None and short_name(info.name) not in self.names:
            return
        texts = self._texts.of(running.mod), self._texts.of(out)
        found = list(self._find_lines(*texts, info))
        if found:
            self.shown = [*self.shown[1 - KEPT :], "\n".join(found)]
            print("".join(self._ended(found)), end="", file=self.file or sys.stdout)

    def lines(self, before: str, after: str, info: PassInfo) -> Iterator[str]:
        """Yield the lines of the difference of two texts, each with its end."""
        yield from self._ended(self._find_lines(before, after, info))

    def _find_lines(self, before: str, after: str, info: PassInfo) -> Iterator[str]:
        names = f"before {info.name}", f"after {info.name}"
        if before != after:
            lines = before.splitlines()
            same = renumber(lines, after.splitlines())
            yield from diff_lines(lines, same, names, self.context)

    def _ended(self, lines: Iterable[str]) -> Iterator[str]:
        for line in colour_lines(lines) if self.colour else lines:
            yield f"{line}\n"
