"""Languages of files: Relay text, a model of ONNX, or functions or a module of loops alone.

A result is written in the form that was read, as far as that can hold it. A file in binary form
holds any of these; a result is written so where the name of its file ends in ``.rly``.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from enum import Enum
from typing import Any, Final

from relayish import text
from relayish.errors import FieldError, ParseError
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule


class Form(Enum):
    """What a file holds."""

    RELAY = "relay"
    MODEL = "model"
    FUNCTIONS = "functions"
    MODULE = "module"


SUFFIX: Final = ".tir"
"""Files of this suffix hold loops, whatever they begin with."""
_BLANKS: Final = r"(?:\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+\*/)*+"
_LOOPS: Final = re.compile(rf"\ufeff?{_BLANKS}(?:(?P<module>Module)|function)\b")


def form_of(name: str, source: str) -> Form:
    """Return the form of ``source``, the text in the file ``name``.

    Example:
        >>> form_of("-", "function f (_A)")
        <Form.FUNCTIONS: 'functions'>
    """
    found = _LOOPS.match(source)
    if found is not None:
        return Form.FUNCTIONS if found["module"] is None else Form.MODULE
    return Form.FUNCTIONS if name.endswith(SUFFIX) else Form.RELAY


def parse_program(source: str, shown: str, form: Form, *, allow_unknown_ops: bool) -> IRModule:
    """Return the program that ``source`` says, whatever form it has.

    Raises:
        ParseError: If it does not follow the grammar of its form.
    """
    if form is Form.RELAY:
        return text.parse(source, source_name=shown, allow_unknown_ops=allow_unknown_ops)
    return _module_of(_load_loops().text.parse_all(source, shown), shown)


def program_of(found: object, shown: str) -> tuple[IRModule, Form]:
    """Return the program that a file in binary form holds, and the form in which to print it.

    Raises:
        ParseError: If it is neither a module nor an expression nor one of loops.
    """
    if isinstance(found, Expr):
        return IRModule.from_expr(found), Form.RELAY
    if isinstance(found, Node) and found.language_.name == "tir":
        mod = _module_of([found], shown)
        return mod, Form.MODULE if type(found).visit_name == "module" else Form.FUNCTIONS
    if not isinstance(found, IRModule):
        raise ParseError(
            f"{shown}: the file holds a {type(found).__name__}, which is no program; read it with "
            f"relayish.read_binary"
        )
    languages = {func.language_.name for func in found.functions.values()}
    return found, Form.FUNCTIONS if languages == {"tir"} else Form.RELAY


def _module_of(nodes: Sequence[Any], shown: str) -> IRModule:  # Any: nodes of loops
    tir = _load_loops()
    for node in nodes:
        if not isinstance(node, (tir.LoweredFunc, tir.Module)):
            raise ParseError(
                f"{shown}: a file of loops holds functions or a module; found a "
                f"{type(node).__name__} alone; put it into 'function f (...)'"
            )
    if isinstance(nodes[0], tir.Module):
        found: IRModule = tir.to_ir_module(nodes[0])
        return found
    functions = tuple([node for node in nodes if isinstance(node, tir.LoweredFunc)])
    made: IRModule = tir.to_ir_module(tir.Module(tir.module.DEFAULT_NAME, functions=functions))
    return made


def text_of(mod: IRModule, form: Form) -> str:
    """Return the text of ``mod`` in ``form``, or as Relay text where that cannot hold it."""
    written = written_as(mod, form)
    if isinstance(written, IRModule):
        return text.astext(written)
    tir = _load_loops()
    found: str = (
        tir.text.write_program(written) if isinstance(written, tuple) else tir.astext(written)
    )
    return found


def written_as(mod: IRModule, form: Form) -> Any:  # Any: nodes of loops, loaded when needed
    """Return what stands for ``mod`` in a file of ``form``: itself, a module or functions of loops.

    It is ``mod`` itself where the form cannot hold all of it. The text of a model is Relay text.
    """
    if form in (Form.RELAY, Form.MODEL):
        return mod
    tir = _load_loops()
    try:
        found = tir.from_ir_module(mod)
    except FieldError:  # a definition of another language, say, which a pass added
        return mod
    is_module = form is Form.MODULE or found.submodules or not found.functions
    return found if is_module else tuple(found.functions)


def _load_loops() -> Any:  # Any: a module
    """Return the package of the loop IR, which programs of Relay alone do without."""
    return importlib.import_module("relayish.tir")
