"""Files of programs: text, which is followed by a comment that tells the phase."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from relayish.errors import ParseError
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.base.program_file import write_whole
from relayish.text import parse
from relayish.text.relay.printer import astext

_PHASE: Final = re.compile(r"\n// phase: (?P<phase>[^\n]*)\n?\Z")


def write_file(mod: IRModule, path: str, phase: str = "") -> None:
    """Write ``mod`` as text into the file ``path``, whole or not at all."""
    told = f"\n// phase: {phase}\n" if phase else "\n"
    write_whole(Path(path), (astext(mod).rstrip("\n") + told).encode("utf-8"))


def read_file(path: str) -> tuple[IRModule, str]:
    """Return the program in the file ``path``, and its phase; ``""`` if the file tells none."""
    try:
        source = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ParseError(f"{path} holds no text of a program: {error}") from None
    found = _PHASE.search(source)
    return parse(source, source_name=path), "" if found is None else found["phase"]
