"""Reading programs, and writing results whole or not at all."""

from __future__ import annotations

import sys
from pathlib import Path

from relayish._support.files import replace_file
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
    """Put ``content`` in place of what ``path`` holds; see :func:`replace_file`."""
    with replace_file(path) as file:
        file.write(content)
