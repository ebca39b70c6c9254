"""Summaries of programs: what they define, of which types, and of which operators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypedDict

from relayish._support.printable import escape
from relayish.analysis.infer_type import infer_type
from relayish.cli.onnx.summary import NamedValue, render_rows
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


@dataclass(frozen=True, slots=True)
class ProgramSummary:
    """What a program is.

    Attributes:
        definitions: Names, and types as far as they are known.
        languages: Of the definitions.
        nodes: How many there are.
        constants: How many of them are constants, by the bytes of their elements.
        operators: How many calls there are of each operator, and statements of each kind.
    """

    definitions: tuple[tuple[str, str], ...]
    languages: tuple[str, ...]
    nodes: int
    constants: tuple[int, int]
    operators: Counter[str]

    def rows(self, source: str) -> Iterator[tuple[str, str]]:
        """Yield what is told of the program in the file ``source``, but for counts."""
        yield "file", escape(source)
        yield "language", ", ".join(self.languages)
        for number, (name, text) in enumerate(self.definitions):
            told = f"@{name}: {text}" if text else f"@{name}"
            yield "" if number else "definition", escape(told)
        yield "nodes", f"{self.nodes:,}"
        yield "constants", f"{self.constants[0]:,}, {self.constants[1]:,} bytes"
        yield "operators", f"{self.operators.total():,}"


def summarise_program(mod: IRModule) -> ProgramSummary:
    """Return what a program is; one that is ill-typed has the types it says itself.

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
    definitions = [
        (name, _type_of(node, typed))
        for section in mod.sections().values()
        for name, node in section.items()
    ]
    languages = sorted({node.language_.name for node in mod.functions.values()})
    return ProgramSummary(
        tuple(definitions),
        tuple(languages),
        len(seen),
        (len(held), size),
        Counter([name for name in names if name is not None]),
    )


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


def render_program(summary: ProgramSummary, source: str) -> str:
    """Return the summary as text."""
    return render_rows(list(summary.rows(source)), summary.operators)


class ProgramTold(TypedDict):
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


def program_as_json(summary: ProgramSummary, source: str) -> ProgramTold:
    """Return the summary as a JSON object."""
    return {
        "file": source,
        "languages": list(summary.languages),
        "definitions": [{"name": name, "type": text} for name, text in summary.definitions],
        "nodes": summary.nodes,
        "constants": summary.constants[0],
        "constant_bytes": summary.constants[1],
        "operators": summary.operators.total(),
        "operators_by_type": dict(sorted(summary.operators.items())),
    }
