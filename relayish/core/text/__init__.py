"""Text of core: definitions in modules, a statement a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from relayish._support.trampoline import Rule
from relayish.core.ir.definition import Entry, FuncDecl, FuncEntry, GlobalVariable, StructDef
from relayish.core.text.reader import (
    read_declaration,
    read_entry,
    read_function,
    read_struct,
    read_variable,
)
from relayish.core.text.writer import definition_text, print_node
from relayish.ir.nodes.node import Node
from relayish.text.tables import register_text

__all__ = ["print_node"]


def _write(writer: Any, node: Node) -> Rule:  # Any: the writer of a module
    writer.write(definition_text(node, writer))
    yield from ()


def _register(kind: type[Node], word: str, read: Callable[[Any, int], Rule]) -> None:
    register_text(kind, word, write=_write, read=read, whole=True)


_register(FuncEntry, "core_func", read_function)
_register(FuncDecl, "core_decl", read_declaration)
_register(GlobalVariable, "core_variable", read_variable)
_register(StructDef, "core_struct", read_struct)
_register(Entry, "core_entry", read_entry)
