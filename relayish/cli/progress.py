"""A bar on a terminal: how far a command is, and what it does."""

from __future__ import annotations

import sys
from typing import Final, TextIO

from relayish.pass_infra.instruments.progress import Progress

WIDTH: Final = 24
_CLEAR_LINE: Final = "\r\x1b[K"


class Bar:
    """Shows ``[=====>    ] what is done`` on one line that is written over; on terminals alone.

    Args:
        steps: How many steps there are, beside passes.
        passes: How many passes there are.
        stream: Where to; standard error, as it is at that time, if not given.
        is_quiet: Show nothing.

    Example:
        >>> import io
        >>> Bar(2, 0, stream=io.StringIO()).step("reading")
    """

    def __init__(
        self, steps: int, passes: int, *, stream: TextIO | None = None, is_quiet: bool = False
    ) -> None:
        self.total = steps + passes
        self.done = 0
        self.stream = stream
        self.is_quiet = is_quiet
        self._shown = False
        self._passes_before = 0

    def step(self, doing: str) -> None:
        """Show that a step begins."""
        self._show(doing)
        self.done += 1

    def tell(self, doing: str) -> None:
        """Show what is being done within a step."""
        self._show(doing)

    def begin_passes(self) -> None:
        """Say that the passes begin."""
        self._passes_before = self.done

    def show_pass(self, progress: Progress) -> None:
        """Show that a pass begins; what a :class:`ProgressInstrument` calls."""
        self.done = self._passes_before + progress.number - 1
        self._show(str(progress))
        self.done += 1

    def end(self) -> None:
        """Take the bar away."""
        if self._shown:
            self._write(_CLEAR_LINE)
        self._shown = False

    def _show(self, doing: str) -> None:
        filled = round(WIDTH * min(self.done / max(self.total, 1), 1.0))
        bar = f"{'=' * filled}{'>' if filled < WIDTH else ''}".ljust(WIDTH)
        self._shown = self._write(f"{_CLEAR_LINE}[{bar}] {doing}") or self._shown

    def _write(self, text: str) -> bool:
        stream = sys.stderr if self.stream is None else self.stream
        if self.is_quiet or not stream.isatty():
            return False
        stream.write(text)
        stream.flush()
        return True
