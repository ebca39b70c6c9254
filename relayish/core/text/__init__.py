"""Text of core: definitions in modules, a statement a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relayish.core.ir.definition import Entry, FuncDecl, FuncEntry, GlobalVariable, StructDef
from relayish.core.text.forms import WORDS
from relayish.core.text.reader import (
    read_declaration,
    read_entry,
    read_function,
    read_struct,
    read_variable,
)
from relayish.core.text.writer import definition_text, print_node
from relayish.ir.node import Node
from relayish.text.tables import register_text
from relayish.text.trampoline import Rule

__all__ = ["print_node"]


def _write(writer: Any, node: Node) -> Rule:  # Any: the writer of a module
    writer.write(definition_text(node, writer))
    yield from ()


def _register(kind: type[Node], read: Callable[[Any, int], Rule]) -> None:
    register_text(kind, WORDS[kind], write=_write, read=read, whole=True)


_register(FuncEntry, read_function)
_register(FuncDecl, read_declaration)
_register(GlobalVariable, read_variable)
_register(StructDef, read_struct)
_register(Entry, read_entry)
