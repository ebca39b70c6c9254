"""Errors, as the command line tells them."""

from __future__ import annotations

from relayish.errors import RelayishError


def describe_error(error: BaseException) -> str:
    """Return what an error says, and where: notes of passes, place in the program."""
    lines = [_headline(error), *getattr(error, "__notes__", ())]
    if not isinstance(error, (RelayishError, OSError)):
        lines.append("this was not foreseen; --traceback shows where it was raised")
    return "\n  ".join(lines)


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
    line = error.text.rstrip("\n")
    return f"{head}\n    {line}\n    {' ' * (column - 1)}^"
