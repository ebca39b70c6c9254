"""Functions of loops in modules of other languages: ``def @f = tir``, the text, ``#[end]``.

CINN's modules, which a definition may be too, stand behind ``tir_module``.

The text stands as it would in a file of its own, with its section of details, between two lines.
"""

from __future__ import annotations

from typing import Any, Final

from relayish._support.trampoline import Rule
from relayish.text.tables import register_text
from relayish.tir.ir.function import LoweredFunc, Module
from relayish.tir.text.parser import parse_all
from relayish.tir.text.printer import write_program

FUNCTION: Final = "tir"
MODULE: Final = "tir_module"
_END: Final = "\n#[end]"


def _write(writer: Any, node: LoweredFunc | Module) -> Rule:  # Any: the writer of a module
    details = not writer.metadata.readable
    writer.write(f"\n{write_program([node], details=details, notes=writer.notes)}{_END}")
    yield from ()


def _read(reader: Any, start: int) -> Rule:  # Any: the reader of a module
    text = reader.text
    first = text.find("\n", reader.pos) + 1
    end = text.find(_END, reader.pos)
    if not first or end < 0 or text[reader.pos : first].strip():
        reader.fail(
            "functions and modules of loops stand between the line that ends with 'tir' or "
            "'tir_module' and the line '#[end]'",
            start,
        )
    row = reader.locate(first)[0] - 1 + reader.row
    found = parse_all(text[first:end], reader.name, most=1, row=row)
    reader.pos = end + len(_END)
    yield from ()  # a rule of the grammar is a generator
    return found[0]


register_text(LoweredFunc, FUNCTION, write=_write, read=_read, whole=True)
register_text(Module, MODULE, write=_write, read=_read, whole=True)
