"""Attributes in the metadata section as TVM writes them, which marks no reference as one.

Numbers, ``bool``, ``std::string`` and ``DataType`` are written as they are, objects as the numbers
of nodes; see ``tests/support/tvm_attributes.py``.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping

from relayish.ir.attributes.attrs import Attrs
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Op, Tuple
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TypeKind
from relayish.op import get_op, list_ops
from relayish.op.declaration.properties import arguments, attrs_type
from relayish.text import astext, parse_expr
from tests.support.each import each
from tests.support.seeds import SOAK, many
from tests.support.tvm_attributes import (
    CLASSES,
    TYPES,
    WITH_PROGRAMS,
    Section,
    in_line,
    mixed,
    samples,
    to_six_digits,
    whole,
)

EXAMPLES = many(4)

BEYOND = ("Expr", "Constant", "VirtualDevice", "Map<String, ObjectRef>", "EnvFunc", "tir::IndexMap")
"""Fields that hold programs or devices; those of whole programs are tested on recorded ones."""
OPERATORS = [n for n in list_ops("relay") if attrs_type.get(get_op(n)) is not None]
SIMPLE = [k for k in CLASSES if TYPES[k] and not set(BEYOND).intersection(TYPES[k].values())]


@each("key", SIMPLE)
def test_attributes_are_read_by_the_declared_types_of_their_fields(key: str) -> None:
    found = list(samples(CLASSES[key]))
    for values in found:
        call = parse_expr(whole("nn.relu", ["0f"], values))
        assert isinstance(call, Call)
        assert kinds(call.attrs) == kinds(values)
    assert len(found) > len(TYPES[key])


def kinds(value: object) -> object:
    """Return a value with the types of its parts, which tells ``0`` from ``False`` and ``-0.0``."""
    if isinstance(value, (Attrs, Mapping)):
        return type(value), [(name, kinds(item)) for name, item in value.items()]
    if isinstance(value, tuple):
        return tuple, [kinds(item) for item in value]
    return type(value), None if isinstance(value, Node) else repr(value)


OF_OBJECTS = {"debug", "meta_schedule_layout_transform"}
"""Operators with attributes that are objects of TVM itself."""


@each("name", sorted(set(OPERATORS) - OF_OBJECTS))
def test_attributes_of_an_operator_are_read_from_both_forms_that_tvm_prints(name: str) -> None:
    op = get_op(name)
    args = tuple(map(Constant, range(len(arguments.get(op, ())))))
    spelt = [str(arg.data) for arg in args]
    tried = 0
    for values in mixed(attrs_type.get(op), random.Random(f"{name} {SOAK}"), EXAMPLES):
        apart = parse_expr(whole(name, spelt, values))
        assert isinstance(apart, Call)
        assert kinds(apart.attrs) == kinds(values)
        assert structural_equal(apart, Call(op, args, values))
        rounded = values.with_values(**{k: to_six_digits(v) for k, v in values.items()})
        inline = parse_expr(in_line(name, spelt, values))
        assert isinstance(inline, Call)
        assert kinds(inline.attrs) == kinds(rounded)
        assert structural_equal(inline, Call(op, args, rounded))
        tried += 1
    assert tried == EXAMPLES or not TYPES[attrs_type.get(op).type_key]


def read_back(callee: Op, args: tuple[Expr, ...], held: list[Attrs]) -> None:
    """Check that calls with each of the attributes come back from one text, and them whole."""
    calls = Tuple(tuple(Call(callee, args, values) for values in held))
    again = parse_expr(astext(calls))
    assert structural_equal(again, calls)
    assert isinstance(again, Tuple)
    for values, call in zip(held, again.fields, strict=True):
        assert isinstance(call, Call)
        assert kinds(call.attrs) == kinds(values)


@each("key", [key for key in CLASSES if TYPES[key]])
def test_attributes_that_are_written_whole_are_read_back(key: str) -> None:
    found = list(samples(CLASSES[key], WITH_PROGRAMS))
    assert len(found) > len(TYPES[key])
    read_back(intern_op("nn.relu"), (Constant(0),), found)


@each("name", OPERATORS)
def test_attributes_that_are_written_by_name_are_read_back(name: str) -> None:
    op = get_op(name)
    args = tuple(Constant(i) for i in range(len(arguments.get(op))))
    read_back(op, args, list(samples(attrs_type.get(op), WITH_PROGRAMS)))


def test_a_null_where_something_must_be_is_the_default() -> None:
    values = CLASSES["relay.attrs.ScanopAttrs"](axis=1)
    section = Section()
    place = section.refer(values)
    section.nodes[-1]["attrs"]["exclusive"] = "0"
    call = parse_expr(section.text(f"nn.relu(0f, {place})"))
    assert isinstance(call, Call)
    assert call.attrs == values


def test_unknown_types_are_those_of_tvms_metadata() -> None:
    types = [{"type_key": "IncompleteType", "attrs": {"kind": str(k), "span": "0"}} for k in (0, 4)]
    head = [{"type_key": ""}, {"type_key": "Map", "keys": ["IncompleteType"], "data": [2]}]
    nodes = [*head, {"type_key": "Array", "data": [3, 4]}, *types]
    section = json.dumps({"root": 1, "nodes": nodes, "b64ndarrays": []})
    unknown = "meta[IncompleteType][0]"
    text = f"fn (%x: {unknown}, %y: ({unknown}, meta[IncompleteType][1])) {{ %x }}"
    func = parse_expr(f"{text}\n#[metadata]\n{section}")
    assert isinstance(func, Function)
    first, (again, other) = func.params[0].type_annotation, func.params[1].type_annotation.fields
    assert first is again
    assert (first.kind, other.kind) == (TypeKind.Type, TypeKind.Constraint)


def test_nearly_every_class_is_compared() -> None:
    assert len(SIMPLE) > 120
