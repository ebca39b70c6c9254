"""Tables: plain text in columns, or, on a terminal where rich is installed, drawn by that."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from relayish._support.columns import align
from relayish._support.files import name_in_errors
from relayish._support.printable import escape, escape_lines
from relayish.cli.report import tell, tell_error


@dataclass(frozen=True, slots=True)
class Table:
    """Rows below headings.

    Attributes:
        headings: Of the columns.
        rows: Cells, one for each column; the last may have several lines.
        right: The columns whose cells end below one another, from 0.
        title: What stands above, if anything.
    """

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: Collection[int] = ()
    title: str = ""

    def __str__(self) -> str:
        lines = align([self.headings, *self._escaped()], right=self.right)
        return "".join(f"{line}\n" for line in ([self.title] if self.title else []) + lines)

    def draw(self) -> Any:  # Any: a table of rich, which need not be installed
        """Return the table as one of rich."""
        text, tables = _rich("text").Text, _rich("table")
        drawn = tables.Table(box=None, pad_edge=False, title_justify="left", title_style="bold")
        drawn.title = text(escape_lines(self.title)) if self.title else None
        for number, heading in enumerate(self.headings):
            drawn.add_column(
                text(heading),
                justify="right" if number in self.right else "left",
                style="cyan" if number == 0 else "",
                overflow="fold",
            )
        for row in self._escaped():
            drawn.add_row(*map(text, row))
        return drawn

    def _escaped(self) -> list[list[str]]:
        """Return rows as wide as they are shown."""
        return [[*map(escape, row[:-1]), *map(escape_lines, row[-1:])] for row in self.rows]


def tell_table(table: Table, *, on_error: bool = False) -> None:
    """Write a table to standard output, or to standard error."""
    console = rich_console(sys.stderr if on_error else sys.stdout)
    if console is None:
        (tell_error if on_error else tell)(str(table))
        return
    with name_in_errors(f"standard {'error' if on_error else 'output'}"):
        console.print(table.draw())


def tell_parts(parts: Iterable[Table | str], *, on_error: bool = False) -> None:
    """Write tables and texts, with an empty line between, as :func:`tell_table` does."""
    say = tell_error if on_error else tell
    for number, part in enumerate(parts):
        if number:
            say("\n")
        if isinstance(part, Table):
            tell_table(part, on_error=on_error)
        else:
            say(part)


def rich_console(stream: TextIO) -> Any | None:  # Any: as above
    """Return what draws on a stream, ``None`` where that is no terminal, or rich not installed."""
    if not is_terminal(stream) or importlib.util.find_spec("rich") is None:
        return None
    return _rich("console").Console(file=stream)


def is_terminal(stream: TextIO) -> bool:
    """Return whether a stream obeys escape sequences, as the environment says it as well.

    ``FORCE_COLOR`` says that it does, ``TERM=dumb`` that it does not.
    """
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") not in ("dumb", "unknown")


def is_coloured(stream: TextIO, wish: str = "auto") -> bool:
    """Return whether a stream is written to in colour: always, never, or where it shows it."""
    if wish == "auto":
        return is_terminal(stream) and not os.environ.get("NO_COLOR")
    return wish == "always"


def _rich(module: str) -> Any:  # Any: as above
    return importlib.import_module(f"rich.{module}")  # nobody pays for it who does not see it
