"""Files of programs: text, which is followed by a comment that tells the phase, or binary form."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from relayish.binary import SUFFIX, is_binary, read_binary, read_phase, write_binary
from relayish.errors import ParseError
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.base.program_file import write_whole
from relayish.text import parse
from relayish.text.relay.printer import astext

_PHASE: Final = re.compile(r"\n// phase: (?P<phase>[^\n]*)\n?\Z")


def write_file(mod: IRModule, path: str, phase: str = "") -> None:
    """Write ``mod`` into the file ``path``, whole or not at all: in binary form by its suffix."""
    if path.endswith(SUFFIX):
        write_binary(mod, path, phase or None)
        return
    told = f"\n// phase: {phase}\n" if phase else "\n"
    write_whole(Path(path), (astext(mod).rstrip("\n") + told).encode("utf-8"))


def read_file(path: str) -> tuple[IRModule, str]:
    """Return the program in the file ``path``, and its phase; ``""`` if the file tells none."""
    with Path(path).open("rb") as file:
        first = file.read(8)
    if is_binary(first):
        found = read_binary(path)
        if not isinstance(found, IRModule):
            raise ParseError(f"{path} holds a {type(found).__name__}, where a module is expected")
        return found, read_phase(path) or ""
    try:
        source = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ParseError(f"{path} holds no text of a program: {error}") from None
    found = _PHASE.search(source)
    return parse(source, source_name=path), "" if found is None else found["phase"]
