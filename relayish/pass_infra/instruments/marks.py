"""Timing marks: how long a program took from one place in the source to the next."""

from __future__ import annotations

import sys
import time
from types import FrameType
from typing import Final, NamedTuple, TextIO

from relayish.pass_infra.base.trace import current_trace_files

_HEADING: Final = "LINE\tFUNCTION\t\tTIMING\t\t\tREMARK"


class TimingMark(NamedTuple):
    """A place that a program came by, and when; times in seconds.

    Attributes:
        line: The line of the source.
        function: The name of the function there.
        taken: The time since the mark before.
        total: The time since the first mark.
        remark: What the mark means.
    """

    line: int
    function: str
    taken: float
    total: float
    remark: str

    def __str__(self) -> str:
        return f"{self.line}\t{self.function}\t\t{self.taken:f}s / {self.total:f}s\t\t{self.remark}"


class TimingMarks:
    """Marks set in a program, each written as a line when it is set, and kept in ``marks``.

    Args:
        file: Where to write: a stream, or the name of a trace file; the standard one in force if
            not given.

    Source:
        AIR ``TIMING``; its clock is that of the processor, this one that of the wall.

    Example:
        >>> import io
        >>> marks = TimingMarks(io.StringIO())
        >>> first, second = marks.start(), marks.taken("parsed")
        >>> second.remark, second.total >= second.taken >= 0.0
        ('parsed', True)
    """

    def __init__(self, file: TextIO | str = "") -> None:
        self.marks: list[TimingMark] = []
        self._file = file
        self._first = self._last = 0

    def start(self, remark: str = "start") -> TimingMark:
        """Begin anew: set the first mark, at the place of the call."""
        self.marks = []
        return self._set(remark, sys._getframe(1))  # noqa: SLF001 - the way to learn who calls

    def taken(self, remark: str = "") -> TimingMark:
        """Set a mark at the place of the call; begin here if no mark was set before."""
        return self._set(remark, sys._getframe(1))  # noqa: SLF001 - as above

    def _set(self, remark: str, caller: FrameType) -> TimingMark:
        now = time.perf_counter_ns()
        if not self.marks:
            self._first = self._last = now
            self._write(_HEADING)
        taken, total = (now - self._last) / 1e9, (now - self._first) / 1e9
        mark = TimingMark(caller.f_lineno, caller.f_code.co_name, taken, total, remark)
        self._last = now
        self.marks.append(mark)
        self._write(str(mark))
        return mark

    def _write(self, line: str) -> None:
        file = self._file
        stream = current_trace_files().stream(file) if isinstance(file, str) else file
        print(line, file=stream)
