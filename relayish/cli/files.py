"""Reading programs, and writing results whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from pathlib import Path

from relayish.cli.forms import Form, form_of, parse_program
from relayish.errors import ParseError
from relayish.ir.relay.module import IRModule

STANDARD = "-"
"""The name for standard input and output."""


def read_program(name: str, *, allow_unknown_ops: bool) -> tuple[IRModule, Form]:
    """Return the program in the file ``name``, and the form it has.

    Raises:
        ParseError: If it is neither Relay text nor one of loops.
        OSError: If it cannot be read.
    """
    source = read_source(name)
    mod = parse_source(name, source, allow_unknown_ops=allow_unknown_ops)
    return mod, form_of(name, source)


def read_source(name: str) -> str:
    """Return the text in the file ``name``.

    Raises:
        ParseError: If it is no text.
        OSError: If it cannot be read.
    """
    given = sys.stdin.buffer.read() if name == STANDARD else Path(name).read_bytes()
    try:
        return given.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParseError(
            f"{_show_name(name)} is not Relay text: byte {given[error.start]:#04x} at offset "
            f"{error.start} is not UTF-8"
        ) from None


def parse_source(name: str, source: str, *, allow_unknown_ops: bool) -> IRModule:
    """Return the program that ``source``, the text in the file ``name``, says.

    Raises:
        ParseError: If it is neither Relay text nor one of loops.
    """
    form = form_of(name, source)
    shown = _show_name(name)
    return parse_program(source, shown, form, allow_unknown_ops=allow_unknown_ops)


def _show_name(name: str) -> str:
    return "<stdin>" if name == STANDARD else name


def write_result(result: str, name: str | None) -> None:
    """Write ``result`` to standard output, or to the file ``name``, whole or not at all."""
    ended = result if result.endswith("\n") else result + "\n"
    if name is None or name == STANDARD:
        sys.stdout.write(ended)
        return
    write_atomically(Path(name), ended.encode("utf-8"))


def write_atomically(path: Path, content: bytes) -> None:
    """Put ``content`` in place of what ``path`` holds, in one step.

    Whatever goes wrong, ``path`` holds all of the old or all of the new, and nothing is left
    beside it. The permissions of an existing file are kept; a link is followed. What is no
    regular file (a terminal, a pipe) is written to as it is.

    Raises:
        OSError: If the directory or the file cannot be written.
    """
    target = Path(os.path.realpath(path))
    mode = _mode_of(target)
    if mode is not None and not stat.S_ISREG(mode):
        target.write_bytes(content)
        return
    if mode is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, os.strerror(13), str(path))
    temporary = target.with_name(f".{target.name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        # made with the permissions any new file gets here, unlike those of the tempfile module
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        error.filename = str(path)  # the name the caller knows
        raise
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            if mode is not None:
                os.fchmod(descriptor, stat.S_IMODE(mode))
            file.flush()
            os.fsync(descriptor)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        raise


def _mode_of(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None
