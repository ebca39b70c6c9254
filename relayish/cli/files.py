"""Reading programs, and writing results whole or not at all."""

from __future__ import annotations

import sys
from pathlib import Path

from relayish._support.collector import freeze_heap
from relayish._support.files import name_in_errors, replace_file
from relayish.binary import SUFFIX, from_binary, is_binary, read_binary, write_binary
from relayish.cli.forms import Form, form_of, parse_program, program_of, text_of
from relayish.cli.report import tell, tell_step
from relayish.errors import OptionError, ParseError
from relayish.ir.relay.module import IRModule

STANDARD = "-"
"""The name for standard input and output."""


def program_in(
    given: bytes | None, name: str, *, shown: str, allow_unknown_ops: bool
) -> tuple[IRModule, Form, str]:
    """Return the program that a file holds, its form, and the text that its spans count in.

    A program in binary form is told by what it begins with; of text in it nothing is known.

    Args:
        given: What :func:`read_content` returned.
        name: The file.
        shown: What it is called in errors.
        allow_unknown_ops: Whether operators are read that nobody declared.

    Raises:
        ParseError: If it is neither Relay text nor one of loops.
        BinaryFormatError: If it is in binary form, and damaged.
    """
    if given is None or is_binary(given):
        found = (
            read_binary(name, allow_unknown_ops=allow_unknown_ops)
            if given is None
            else from_binary(given, allow_unknown_ops=allow_unknown_ops)
        )
        return *program_of(found, shown), ""
    try:
        source = given.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ParseError(
            f"{shown} is not Relay text: byte {given[error.start]:#04x} at offset {error.start} is "
            f"not UTF-8"
        ) from None
    form = form_of(name, source)
    return parse_program(source, shown, form, allow_unknown_ops=allow_unknown_ops), form, source


def read_content(name: str) -> bytes | None:
    """Return what the file ``name`` holds; ``None`` where that is to be mapped, not read."""
    tell_step(f"reading {show_name(name)}")
    if name == STANDARD:
        return sys.stdin.buffer.read()
    with Path(name).open("rb") as file:
        first = file.read(8)
        return None if is_binary(first) and file.seekable() else first + file.read()


def show_name(name: str) -> str:
    """Return what a file is called in errors."""
    return "<stdin>" if name == STANDARD else name


def write_program(mod: IRModule, form: Form, name: str | None) -> None:
    """Write ``mod`` in ``form``, or in binary form if the suffix says so; whole or not at all."""
    if name is not None and name.endswith(SUFFIX):
        write_binary(mod, name)
        return
    with freeze_heap():
        result = text_of(mod, form)
    write_result(result, name)


def write_result(result: str, name: str | None) -> None:
    """Write ``result`` to standard output, or to the file ``name``, whole or not at all."""
    ended = result if result.endswith("\n") else result + "\n"
    if name is None or name == STANDARD:
        tell(ended)
        return
    write_atomically(Path(name), ended.encode("utf-8"))


def write_atomically(path: Path, content: bytes) -> None:
    """Put ``content`` in place of what ``path`` holds; see :func:`replace_file`."""
    with replace_file(path) as file:
        file.write(content)


def check_binary_output(what: str) -> None:
    """Refuse to write bytes to a terminal.

    Args:
        what: What they are, for the error.

    Raises:
        OptionError: If standard output is one.
    """
    if sys.stdout.isatty():
        raise OptionError(
            f"{what} is bytes, and standard output is a terminal; write -o FILE, or into a pipe"
        )


def write_bytes(content: bytes) -> None:
    """Write bytes to standard output."""
    with name_in_errors("standard output"):
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
