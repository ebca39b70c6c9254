"""Telling of results, of what is wrong, and, if asked for, of what is being done.

Everything that a command tells goes through these functions. ``-q`` leaves results that were asked
for and what is wrong, ``-v`` adds what is read and loaded, and which passes run.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from enum import IntEnum
from typing import Final

from relayish._support.files import name_in_errors
from relayish._support.printable import escape_lines, message_text, point_at
from relayish.cli.exit_codes import INTERNAL, USAGE
from relayish.errors import Diagnostic, RelayishError


class Verbosity(IntEnum):
    """How much is told beside results that were asked for, and what is wrong."""

    QUIET = 0
    USUAL = 1
    VERBOSE = 2


_VERBOSITY: Final[ContextVar[Verbosity]] = ContextVar("verbosity", default=Verbosity.USUAL)


def verbosity() -> Verbosity:
    """Return how much is to be told."""
    return _VERBOSITY.get()


@contextlib.contextmanager
def telling(wanted: Verbosity) -> Iterator[None]:
    """Tell as much as is wanted within the block."""
    token = _VERBOSITY.set(wanted)
    try:
        yield
    finally:
        _VERBOSITY.reset(token)


def tell(text: str) -> None:
    """Write lines to standard output, with escapes for control characters that names hold."""
    with name_in_errors("standard output"):
        sys.stdout.write(escape_lines(text))


def tell_marked(text: str) -> None:
    """Write lines to standard output that hold colours, and of all else only what is escaped."""
    with name_in_errors("standard output"):
        sys.stdout.write(text)


def flush_output() -> None:
    """See to it that what was told is written."""
    with name_in_errors("standard output"):
        sys.stdout.flush()


def tell_error(text: str) -> None:
    """Write lines to standard error, as :func:`tell` does."""
    sys.stderr.write(escape_lines(text))


def tell_note(text: str) -> None:
    """Tell, unless it is to be quiet, what a user should know, though nothing is wrong."""
    if verbosity() >= Verbosity.USUAL:
        tell_error(f"relayish: note: {text}\n")


def tell_step(text: str) -> None:
    """Tell, where it is to be verbose, what is being done."""
    if verbosity() >= Verbosity.VERBOSE:
        tell_error(f"relayish: {text}\n")


def tell_failure(error: Exception, *, has_traceback: bool) -> int:
    """Tell an error, behind where it was raised if that is asked for; return its exit code."""
    if has_traceback:
        import traceback  # noqa: PLC0415 - loaded only for those who ask for it

        tell_error("".join(traceback.format_exception(error)))
    tell_error(f"relayish: error: {describe_error(error)}\n")
    return USAGE if isinstance(error, (RelayishError, OSError)) else INTERNAL


def describe_error(error: BaseException) -> str:
    """Return what an error says, and where: notes of passes, place in the program."""
    lines = [_headline(error), *getattr(error, "__notes__", ())]
    if not isinstance(error, (RelayishError, OSError)):
        lines.append("this was not foreseen; --traceback shows where it was raised")
    return message_text("\n  ".join(lines))


def describe_diagnostic(diagnostic: Diagnostic, lines: Sequence[str]) -> str:
    """Return what is wrong and where, with the line of the program it points at.

    Args:
        diagnostic: What is wrong.
        lines: The lines of the text that its span counts in.
    """
    if diagnostic.span is None or not 0 < diagnostic.span[1] <= len(lines):
        return str(diagnostic)
    _, first, last, start, end = diagnostic.span
    line = lines[first - 1]
    width = (end if first == last else len(line) + 1) - start
    shown, carets = point_at(line, start - 1, width)
    return f"{diagnostic}\n    {shown}\n    {carets}"


def _headline(error: BaseException) -> str:
    if isinstance(error, SyntaxError) and isinstance(error, RelayishError):
        return _place(error)
    if isinstance(error, RelayishError):
        return str(error)
    if isinstance(error, OSError) and error.strerror is not None:
        where = f"{error.filename}: " if error.filename is not None else ""
        return f"{where}{error.strerror}"
    return f"{type(error).__name__}: {error}"


def _place(error: SyntaxError) -> str:
    """Return file, line and column, the message, and the line with a caret below the place."""
    message = error.msg
    if error.lineno is None:
        return message
    column = error.offset or 1
    where = f"{error.filename}:{error.lineno}:{column}: "
    head = message if message.startswith(where) else where + message
    if error.text is None or "\n" in message:  # the message shows the line itself
        return head
    shown, caret = point_at(error.text.rstrip("\n"), column - 1)
    return f"{head}\n    {shown}\n    {caret}"
