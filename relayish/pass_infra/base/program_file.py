"""Programs in files, with the name of the pass after which they are so: their phase.

How they are written is told above, through :mod:`relayish._support.hooks`: this knows no language.
"""

from __future__ import annotations

from typing import Final

from relayish._support import hooks
from relayish.errors import PassError
from relayish.ir.modules.module import AnyModule

BINARY_SUFFIX: Final = ".rly"
"""What names of files in binary form end in."""


def write_program(mod: AnyModule, path: str, phase: str = "") -> None:
    """Write ``mod`` into the file ``path``, whole or not at all.

    Args:
        mod: The program.
        path: Where to; in binary form, or text, as the suffix says.
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
