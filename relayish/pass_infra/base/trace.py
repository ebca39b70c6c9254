"""Trace files: where passes, and contexts of visitors, write what was asked to be traced."""

from __future__ import annotations

import io
import sys
import threading
from contextvars import ContextVar
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TextIO

from relayish._support.files import name_in_errors
from relayish.errors import DuplicateNameError


class TraceFiles:
    """Trace files by name, each opened when something is first written to it.

    Entered with ``with``, they are those in force, until they are left, which closes them.

    Args:
        stem: What the names of files begin with that passes write: that of the input, by habit.
        standard: Where what is traced goes that names no file; standard output, as it is at that
            time, if not given. A path, as for :meth:`register`, or a stream, which stays open.

    Source:
        AIR ``TFILE``.
    """

    def __init__(self, stem: str = "program", standard: TextIO | str | Path | None = None) -> None:
        self.stem = stem
        self._standard = standard if isinstance(standard, (str, Path)) else None
        self._stream = None if isinstance(standard, (str, Path)) else standard
        self._paths: dict[str, Path] = {}
        self._open: dict[Path, TextIO] = {}
        self._lock = threading.Lock()
        self._entered = 0

    def register(self, name: str, path: str | Path | None = None) -> Path:
        """Return the path of the file ``name``, registering it if that was not done.

        Args:
            name: What the file goes by.
            path: Where it is; ``<stem>.<name>.t`` if not given.

        Returns:
            The path that was registered first, if the name was registered already.

        Raises:
            DuplicateNameError: If another path was registered under the name.
        """
        found = self._paths.get(name)
        if found is None:
            wanted = Path(f"{self.stem}.{name}.t" if path is None else path)
            return self._paths.setdefault(name, wanted)
        if path is not None and Path(path) != found:
            raise DuplicateNameError(
                f"trace file {name!r} is {str(found)!r} already; found {str(path)!r}; "
                f"choose another name"
            )
        return found

    def stream(self, name: str = "") -> TextIO:
        """Return where to write what is traced into the file ``name``; ``""`` is the standard one.

        Raises:
            OSError: If the file cannot be written.
        """
        if name:
            return self._opened(self.register(name))
        if self._standard is not None:
            return self._opened(Path(self._standard))
        return sys.stdout if self._stream is None else self._stream

    def _opened(self, path: Path) -> TextIO:
        with self._lock:  # opened a second time, it would lose what was written
            stream = self._open.get(path)
            if stream is None:
                stream = self._open[path] = _TraceFile(path)
        return stream

    def close(self) -> None:
        """Close the files; what is written later begins them anew."""
        while self._open:
            self._open.popitem()[1].close()

    def __enter__(self) -> Self:
        with self._lock:
            self._entered += 1
        _ENTERED.set((*_ENTERED.get(), self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        _ENTERED.set(_ENTERED.get()[:-1])
        with self._lock:
            self._entered -= 1
            is_left = self._entered == 0
        if is_left:  # by the last of all threads
            self.close()


class _TraceFile(io.TextIOWrapper):
    """A file that is named in what goes wrong when it is written."""

    def __init__(self, path: Path) -> None:
        super().__init__(path.open("wb"), encoding="utf-8", newline="\n")
        self._path = path

    def write(self, text: str, /) -> int:
        with name_in_errors(self._path):
            return super().write(text)

    def flush(self) -> None:
        with name_in_errors(self._path):
            super().flush()

    def close(self) -> None:
        with name_in_errors(self._path):
            super().close()


_ENTERED: Final[ContextVar[tuple[TraceFiles, ...]]] = ContextVar("trace_files", default=())
_DEFAULT: Final = TraceFiles()


def current_trace_files() -> TraceFiles:
    """Return the trace files in force; outside of any, those that write to standard output."""
    entered = _ENTERED.get()
    return entered[-1] if entered else _DEFAULT
