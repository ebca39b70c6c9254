"""A bar on a terminal: how far a command is, and what it does; drawn by rich where installed."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from typing import Any, Final, TextIO

from relayish.cli.report import Verbosity, tell_step, verbosity
from relayish.cli.tables import is_terminal, rich_console
from relayish.pass_infra.base.pass_class import Pass
from relayish.pass_infra.instruments.progress import Progress, ProgressInstrument

WIDTH: Final = 24
_CLEAR_LINE: Final = "\r\x1b[K"


class Bar:
    """Shows ``[=====>    ] what is done`` on one line that is written over; on terminals alone.

    Where it is to be quiet, or there is no step, nothing is shown; where it is to be verbose, each
    step is told on a line of its own.

    Args:
        steps: How many steps there are, beside passes.
        passes: How many passes there are, as far as that is known before the first.
        stream: Where to; standard error, as it is at that time, if not given.

    Example:
        >>> import io
        >>> Bar(2, 0, stream=io.StringIO()).step("reading")
    """

    def __init__(self, steps: int, passes: int, *, stream: TextIO | None = None) -> None:
        self._steps = steps
        self.total = steps + passes
        self.done = 0
        self.stream = sys.stderr if stream is None else stream
        is_wanted = self.total > 0 and verbosity() is Verbosity.USUAL
        # colours may be forced into a file, but not what is written over
        self._is_shown = is_wanted and self.stream.isatty() and is_terminal(self.stream)
        self._passes_before = 0
        self._drawn: Any = None  # Any: a bar of rich, which need not be installed

    def step(self, doing: str) -> None:
        """Show that a step begins."""
        tell_step(doing)
        self._show(doing)
        self.done += 1

    def tell(self, doing: str) -> None:
        """Show what is being done within a step."""
        tell_step(doing)
        self._show(doing)

    def watch(self, pipeline: Pass) -> ProgressInstrument:
        """Return the instrument that shows which pass of a pipeline runs."""
        return ProgressInstrument(pipeline, callback=self.show_pass)

    def begin_passes(self) -> None:
        """Say that the passes begin."""
        self._passes_before = self.done

    def show_pass(self, progress: Progress) -> None:
        """Show that a pass begins."""
        self.total = self._steps + progress.total  # which are known once the context is
        self.done = self._passes_before + progress.number - 1
        self._show(str(progress))
        self.done += 1

    def end(self) -> None:
        """Take the bar away."""
        if self._drawn is not None:
            self._drawn.stop()
        elif self._is_shown:
            self._write(_CLEAR_LINE)

    def _show(self, doing: str) -> None:
        if not self._is_shown:
            return
        done = min(self.done, self.total)
        if self._drawn is None:
            self._drawn = _draw(self.stream, self.total)
        if self._drawn is not None:
            self._drawn.update(0, total=self.total, completed=done, doing=doing, refresh=True)
            return
        filled = round(WIDTH * done / max(self.total, 1))
        bar = f"{'=' * filled}{'>' if filled < WIDTH else ''}".ljust(WIDTH)
        self._write(f"{_CLEAR_LINE}[{bar}] {doing}")

    def _write(self, text: str) -> None:
        self.stream.write(text)
        self.stream.flush()


@contextlib.contextmanager
def shown_bar(steps: int, passes: int) -> Iterator[Bar]:
    """Show a bar within the block."""
    bar = Bar(steps, passes)
    try:
        yield bar
    finally:
        bar.end()


def _draw(stream: TextIO, total: int) -> Any:  # Any: as above
    """Return a bar of rich that has begun; ``None`` where it cannot draw on the stream."""
    console = rich_console(stream)
    if console is None:
        return None
    rich = importlib.import_module("rich.progress")
    columns = rich.BarColumn(WIDTH), rich.TextColumn("{task.fields[doing]}", markup=False)
    drawn = rich.Progress(
        *columns,
        console=console,
        transient=True,
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    drawn.start()
    drawn.add_task("", total=total, doing="")
    return drawn
