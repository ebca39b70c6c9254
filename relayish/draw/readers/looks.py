"""Looks of nodes of Relay: titles, names of operands, attributes, families."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final, TypeVar

from relayish.draw.families_of import bare_name, family_of
from relayish.draw.readers.box_text import BOX_TEXTS, BoxText, attributes_of
from relayish.draw.readers.box_text import family_of as family_of_node
from relayish.draw.value_text import value_text
from relayish.errors import PackageError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.field import Field, Shape
from relayish.ir.fields.roles import Role
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Constructor, Match
from relayish.ir.relay.expr import (
    Call,
    GlobalVar,
    If,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
)
from relayish.onnx.calls import OWN, is_absent
from relayish.onnx.calls import inputs_of as onnx_inputs
from relayish.onnx.op_names import identity_of
from relayish.onnx.operator_sets import find_schema
from relayish.op.declaration import properties

_Arg = TypeVar("_Arg", bound=Node)
Operand = tuple[str, Node]
"""The name of an operand, and what it is."""


@dataclass(frozen=True, slots=True)
class Look:
    """What is shown of a node.

    Attributes:
        title: The first line.
        operands: What it is computed from, with names.
        attributes: In its box, and in its details.
        family: One of :data:`~relayish.draw.families.FAMILIES`.
        hidden: Attributes that are at their defaults: in its details alone.
    """

    title: str
    operands: Sequence[Operand] = ()
    attributes: Mapping[str, str] = field(default_factory=dict)
    family: str = "other"
    hidden: Mapping[str, str] = field(default_factory=dict)


def look_of(node: Node) -> Look:
    """Return the look of a node; that of a kind of others follows from its declaration."""
    look = _LOOKS.get(type(node))
    return _look_of_fields(node) if look is None else look(node)


def _look_of_fields(node: Node) -> Look:
    kind = type(node)
    operands: list[Operand] = []
    for each in kind.fields_:
        if each.role is Role.OPERAND and each.is_evaluated:
            operands += _held(each, getattr(node, each.name))
    title = BOX_TEXTS[kind](node).title
    shown, every = attributes_of(node, with_defaults=False), attributes_of(node)
    return Look(title, operands, shown, family_of_node(node), every)


def _held(declared: Field, value: Any) -> Iterable[Operand]:  # Any: as the field has it
    if declared.shape is Shape.ONE:
        return [(declared.name, value)]
    if declared.shape is Shape.OPTIONAL:
        return [] if value is None else [(declared.name, value)]
    held = [each for each in value if isinstance(each, Node)]
    return [(f"{declared.name}[{number}]", each) for number, each in enumerate(held)]


def _look_of_call(call: Call) -> Look:
    callee = call.op
    if isinstance(callee, Op):
        return _onnx_call(call, callee) if identity_of(callee) else _operator_call(call, callee)
    if isinstance(callee, GlobalVar):
        return Look(f"@{callee.name_hint}", _numbered(call.args), _shown(call), "call")
    if isinstance(callee, Constructor):
        return Look(callee.name_hint, _numbered(call.args), _shown(call), "data")
    return Look("call", [("function", callee), *_numbered(call.args)], _shown(call), "call")


def _operator_call(call: Call, op: Op) -> Look:
    operands = _named(properties.arguments.get(op) or (), call.args)
    attrs = call.attrs
    shown: dict[str, str] = {}
    hidden: dict[str, str] = {}
    if attrs is not None:
        defaults = type(attrs).defaults
        for name, value in attrs.items():
            is_default = value is None or _is_default(value, defaults.get(name))
            (hidden if is_default else shown)[name] = value_text(value)
    return Look(op.name, operands, shown, family_of(op), hidden)


def _is_default(value: object, default: object) -> bool:
    if isinstance(value, tuple) and isinstance(default, tuple) and len(value) % 2 == 0:
        return value in {default, default * 2}  # paddings told for one side of each axis
    return type(value) is type(default) and value == default


def _onnx_call(call: Call, op: Op) -> Look:
    given = onnx_inputs(call)
    names = _input_names(op)
    operands = [
        (name, each)
        for name, each in _named(names, given)
        if not is_absent(each)  # an optional input that is missing
    ]
    return Look(bare_name(op), operands, _shown(call), family_of(op))


def _named(names: Sequence[str], args: Sequence[_Arg]) -> list[tuple[str, _Arg]]:
    """Return arguments with their names; the last name counts on where there are more."""
    more = len(args) > len(names)
    plain = names[:-1] if more else names
    rest = names[-1] if names else ""
    return [
        (plain[number] if number < len(plain) else f"{rest}[{number - len(plain)}]", each)
        for number, each in enumerate(args)
    ]


@cache
def _input_names(op: Op) -> tuple[str, ...]:
    identity = identity_of(op)
    assert identity is not None
    try:
        schema = find_schema(identity)
    except PackageError:
        return ()
    return () if schema is None else tuple(each.name for each in schema.inputs)


def _numbered(args: Sequence[Node]) -> list[Operand]:
    return [(str(number), each) for number, each in enumerate(args)]


def _shown(call: Call) -> dict[str, str]:
    attrs: Attrs | None = call.attrs
    if attrs is None:
        return {}
    hidden = OWN if isinstance(attrs, DictAttrs) else ()
    return {name: value_text(value) for name, value in attrs.items() if name not in hidden}


def _look_of_tuple(node: Tuple) -> Look:
    return Look("tuple", _numbered(node.fields), family="data")


def _look_of_projection(node: TupleGetItem) -> Look:
    return Look(f".{node.index}", [("tuple", node.tuple_value)], family="data")


def _look_of_if(node: If) -> Look:
    return Look("if", [("cond", node.cond)], family="control")


def _look_of_match(node: Match) -> Look:
    attributes = {} if node.complete else {"complete": "False"}
    return Look("match", [("data", node.data)], attributes, "control")


def _look_of_ref_create(node: RefCreate) -> Look:
    return Look("ref", [("value", node.value)], family="memory")


def _look_of_ref_read(node: RefRead) -> Look:
    return Look("ref_read", [("ref", node.ref)], family="memory")


def _look_of_ref_write(node: RefWrite) -> Look:
    return Look("ref_write", [("ref", node.ref), ("value", node.value)], family="memory")


_LOOKS: Final[dict[type[Node], Callable[[Any], Look]]] = {  # Any: nodes of one kind
    Call: _look_of_call,
    Tuple: _look_of_tuple,
    TupleGetItem: _look_of_projection,
    If: _look_of_if,
    Match: _look_of_match,
    RefCreate: _look_of_ref_create,
    RefRead: _look_of_ref_read,
    RefWrite: _look_of_ref_write,
}


def _text_of(node: Node) -> BoxText:
    """Return what is written in the box of a node of Relay where others stand beside it."""
    look = look_of(node)
    return BoxText(look.title, family=look.family)


for _kind in _LOOKS:
    BOX_TEXTS.register(_kind, _text_of)
