"""Files of programs: in binary form, or text, behind which a comment tells the phase."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from relayish._support.files import replace_file
from relayish.binary import is_binary, read_binary, read_phase, write_binary
from relayish.errors import ParseError, PassError, indefinite
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.base.program_file import BINARY_SUFFIX
from relayish.text import parse
from relayish.text.relay.printer import astext

_PHASE: Final = re.compile(r"\n// phase: (?P<phase>[^\n]*)\n?\Z")


def write_file(mod: IRModule, path: str, phase: str = "") -> None:
    """Write ``mod`` into the file ``path``, whole or not at all; ``*.rly`` is in binary form."""
    if path.endswith(BINARY_SUFFIX):
        write_binary(mod, path, phase or None)
        return
    told = f"\n// phase: {phase}\n" if phase else "\n"
    with replace_file(Path(path)) as file:
        file.write((astext(mod).rstrip("\n") + told).encode("utf-8"))


def read_file(path: str) -> tuple[IRModule, str]:
    """Return the program in the file ``path``, and its phase; ``""`` if the file tells none.

    Raises:
        ParseError: If it is neither in binary form nor Relay text.
        PassError: If it holds something else than a module.
        BinaryFormatError: If it is in binary form, and damaged.
        OSError: If it cannot be read.
    """
    if not _is_binary_file(path):
        source = _read_text(path)
        return parse(source, source_name=path), _phase_in(source)
    mod = read_binary(path)
    if not isinstance(mod, IRModule):
        raise PassError(f"expected a module in {path}; found {indefinite(type(mod))}")
    return mod, phase_of(path)


def phase_of(path: str) -> str:
    """Return the phase that a file of a program tells; ``""`` if it tells none.

    Raises:
        ParseError, BinaryFormatError, OSError: As :func:`read_file`.
    """
    return (read_phase(path) or "") if _is_binary_file(path) else _phase_in(_read_text(path))


def _is_binary_file(path: str) -> bool:
    with Path(path).open("rb") as file:
        return is_binary(file.read(8))


def _read_text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ParseError(f"{path} holds no text of a program: {error}") from None


def _phase_in(source: str) -> str:
    found = _PHASE.search(source)
    return "" if found is None else found["phase"]
