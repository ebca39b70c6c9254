"""Summaries of programs: what they define, of which types, and of which operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final, TypedDict

from relayish._support.printable import escape
from relayish.analysis.infer_type import infer_type
from relayish.cli.onnx.summary import NamedValue
from relayish.errors import TypeInferenceError, UnknownKindError
from relayish.ir.fields.roles import Role
from relayish.ir.kinds.one_line import one_line
from relayish.ir.kinds.opcode import operator_field_of, operator_of
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Constant
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.blocks import is_block, may_be_statement
from relayish.ir.scopes.scoping import PROGRAM

_LONGEST_TYPE: Final = 200


class ProgramSummary(TypedDict):
    """What a program is.

    Attributes:
        file: Its name.
        languages: Of the definitions.
        definitions: What it defines; without a type if it has none.
        nodes: How many there are.
        constants: How many of them are constants.
        constant_bytes: The bytes of their elements.
        operators: How many calls of operators and statements there are.
        operators_by_type: How many there are of each.
    """

    file: str
    languages: list[str]
    definitions: list[NamedValue]
    nodes: int
    constants: int
    constant_bytes: int
    operators: int
    operators_by_type: dict[str, int]


def summarise_program(mod: IRModule, source: str) -> ProgramSummary:
    """Return what a program in a file is; one that is ill-typed has the types it says itself.

    Complexity:
        Linear in the program.
    """
    try:
        mod = infer_type(mod)
    except (TypeInferenceError, UnknownKindError):
        typed = False
    else:
        typed = True
    seen: set[Node] = set()
    for definition in mod.functions.values():
        seen.update(PROGRAM.post_order(definition))
    held = [node for node in seen if isinstance(node, Constant)]
    size = sum([getattr(node.data, "nbytes", 0) for node in held])
    names = [_operator_name(node) for node in seen]
    operators = Counter([name for name in names if name is not None])
    return {
        "file": source,
        "languages": sorted({node.language_.name for node in mod.functions.values()}),
        "definitions": [
            {"name": name, "type": _type_of(node, typed)}
            for section in mod.sections().values()
            for name, node in section.items()
        ],
        "nodes": len(seen),
        "constants": len(held),
        "constant_bytes": size,
        "operators": operators.total(),
        "operators_by_type": dict(sorted(operators.items())),
    }


def rows_of(told: ProgramSummary) -> Iterator[tuple[str, str]]:
    """Yield what is told of a program, but for counts by operator: label, text."""
    yield "file", escape(told["file"])
    yield "language", ", ".join(told["languages"])
    for number, each in enumerate(told["definitions"]):
        shown = f"@{each['name']}: {each['type']}" if each["type"] else f"@{each['name']}"
        yield "" if number else "definition", escape(shown)
    yield "nodes", f"{told['nodes']:,}"
    yield "constants", f"{told['constants']:,}, {told['constant_bytes']:,} bytes"
    yield "operators", f"{told['operators']:,}"


def _type_of(definition: Node, typed: bool) -> str:
    """Return the type of a definition, or what it says of itself on one line."""
    known = getattr(definition, "checked_type", None) if typed else None
    if known is None:
        known = getattr(definition, "type", None)
    if known is None and definition.held_as_ is Role.OPERAND:
        return one_line(definition)
    shown = " ".join(str(definition if known is None else known).split())
    return shown if len(shown) <= _LONGEST_TYPE else f"{shown[: _LONGEST_TYPE - 3]}..."


def _operator_name(node: Node) -> str | None:
    """Return the operator that a node calls, or the kind of statement that it is."""
    kind = type(node)
    calls = operator_field_of(kind)
    if calls is not None and calls.callee(node) is not None:
        operator = operator_of(node)
        return operator.name
    is_statement = kind.language_.is_tree and may_be_statement(kind) and not is_block(kind)
    return kind.visit_name if is_statement else None
