"""Programs in files, with the name of the pass after which they are so: their phase.

How they are written is told above, through :mod:`relayish._support.hooks`: this knows no language.
"""

from __future__ import annotations

import secrets
from pathlib import Path

from relayish._support import hooks
from relayish.errors import PassError
from relayish.ir.module import AnyModule


def write_program(mod: AnyModule, path: str, phase: str = "") -> None:
    """Write ``mod`` into the file ``path``, whole or not at all.

    Args:
        mod: The program.
        path: Where to; the suffix tells the form.
        phase: The name of the pass of which it is the result.

    Raises:
        PassError: If nothing that writes programs is loaded.
        OSError: If the file cannot be written.
    """
    if hooks.program_writer is None:
        raise PassError(f"cannot write {path}: nothing writes programs; import relayish.pass_infra")
    hooks.program_writer(mod, path, phase)


def read_program(path: str) -> tuple[AnyModule, str]:
    """Return the program in the file ``path``, and its phase; ``""`` if the file tells none.

    Raises:
        PassError: If nothing that reads programs is loaded.
        ParseError: If the file does not hold a program.
        OSError: If it cannot be read.
    """
    if hooks.program_reader is None:
        raise PassError(f"cannot read {path}: nothing reads programs; import relayish.pass_infra")
    return hooks.program_reader(path)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that nobody sees before it is complete.

    Raises:
        OSError: If it cannot be written; nothing is left of it.
    """
    partial = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with partial.open("xb") as file:
            file.write(content)
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
