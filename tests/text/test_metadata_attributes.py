"""Attributes in the metadata section as TVM writes them, which marks no reference as one.

``data/relay_field_types.json`` holds the C++ type of each field of Relay's attribute classes:
numbers, ``bool``, ``std::string`` and ``DataType`` are written as they are, objects as the numbers
of nodes.
"""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import relayish.op
from relayish.errors import FieldError
from relayish.ir.attrs import Attrs, DictAttrs, attrs_class
from relayish.ir.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, Op, Tuple
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TypeKind
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.ir.structural_equal import structural_equal
from relayish.op import get_op, list_ops
from relayish.op.declaration.properties import arguments, attrs_type
from relayish.text import astext, parse_expr
from tests.support.each import each

for module in pkgutil.walk_packages(relayish.op.__path__, "relayish.op."):
    importlib.import_module(module.name)

TYPES: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parent / "data" / "relay_field_types.json").read_text()
)
CLASSES = {key: cls for key in TYPES if (cls := attrs_class(key)) is not None}
PLAIN = ("int", "int32_t", "uint64_t", "double", "bool", "std::string", "DataType")
NUMBERS = (0, 1, 3, 4, 5, 11, 12, 1000, -1, 2**31 - 1, 2**31, 2**40, 2**62, -(2**31), -(2**62))
STRINGS = ("NCHW", "add", "", "0", "5", "12", "None", "a\nb", 'say "so"', "\\", "\u00fc", " ")
DTYPES = ("float32", "int8", "bool", "uint1", "custom[posit]8")
FLOATS = (0.0, -0.0, 0.5, -3.0, 1.0, 1e30, 1e-310, 0.1, math.inf, -math.inf, math.nan)
CANDIDATES: tuple[object, ...] = (
    *(None, False, True, *NUMBERS, *STRINGS, *DTYPES, *FLOATS),
    *((), (0,), (1, 5), (3, 3, 3), (0, 0, 0, 0), (2**62, -1), (0.5, 1.0), (-0.0, math.inf)),
    *(((0, 1), (5, 1)), ((),), ((2**40, -1),)),
)
PROGRAMS: tuple[object, ...] = (
    *(Constant(1), Constant("1"), DictAttrs(), DictAttrs({"a": (1, 0.5), "b": "0"})),
    *(VirtualDevice(), VirtualDevice(1, 0, None, "0"), VirtualDevice(2, 1, None, "global")),
)
"""Values of fields that hold programs, devices, or anything."""
PADDING = 13
"""Nodes in front and behind, so that small numbers could be references."""


class _Section:
    """A metadata section of one entry, written the way TVM does."""

    def __init__(self, values: Attrs) -> None:
        self.nodes: list[dict[str, Any]] = [{"type_key": ""}, {"type_key": "Map"}]  # Any: JSON
        self.nodes += [self._array([1, 1]) for _ in range(PADDING // 2)]
        key = values.type_key
        entry: dict[str, Any] = {"type_key": key}  # Any: as above
        self.nodes.append(entry)
        entry["attrs"] = {n: self.written(TYPES[key][n], v) for n, v in values.items()}
        self.nodes.append(self._array([self.nodes.index(entry)]))
        self.nodes[1].update(keys=[key], data=[len(self.nodes) - 1])
        self.nodes += [self._array([2, 3]) for _ in range(PADDING)]

    def text(self) -> str:
        section = {"root": 1, "nodes": self.nodes, "b64ndarrays": []}
        (key,) = self.nodes[1]["keys"]
        return f"nn.relu(0f, meta[{key}][0])\n#[metadata]\n{json.dumps(section)}"

    def written(self, declared: str, value: object) -> str:
        if declared not in PLAIN:
            return str(self._number(value))
        if declared == "bool":
            return str(int(bool(value)))
        return "" if value is None else str(value)

    def _number(self, value: object) -> int:
        if value is None:
            return 0
        self.nodes.append(self._node(value))
        return len(self.nodes) - 1

    def _node(self, value: object) -> dict[str, Any]:  # Any: as above
        if isinstance(value, str):
            return {"type_key": "runtime.String", "repr_str": value}
        if isinstance(value, tuple):
            return self._array([self._number(item) for item in value])
        fields = {"dtype": "int32", "span": "0", "value": str(value)}
        if isinstance(value, bool):
            fields |= {"dtype": "bool", "value": str(int(value))}
        if isinstance(value, float):
            return {"type_key": "FloatImm", "attrs": {**fields, "dtype": "float32"}}
        return {"type_key": "IntImm", "attrs": fields}

    @staticmethod
    def _array(numbers: list[int]) -> dict[str, Any]:  # Any: as above
        return {"type_key": "Array", "data": numbers}


def _samples(cls: type[Attrs], candidates: tuple[object, ...] = CANDIDATES) -> Iterator[Attrs]:
    """Attributes of each class, with one field after another at each value that it takes."""
    types = TYPES.get(cls.type_key, {})
    required = [name for name in cls.field_names if name not in cls.defaults]
    whole: dict[str, object] = {}
    for name in required:
        whole[name] = next(v for v in candidates if _accepts(cls, required, whole, name, v))
    for name in cls.field_names:
        for value in candidates:
            if types.get(name) != "bool" and isinstance(value, bool):
                continue
            try:
                yield cls(**{**whole, name: value})
            except FieldError:
                continue


def _accepts(
    cls: type[Attrs], required: list[str], whole: dict[str, object], name: str, value: object
) -> bool:
    rest = dict.fromkeys(required, "?")
    try:
        cls(**{**rest, **whole, name: value})
    except FieldError as error:
        return f".{name}:" not in str(error)
    return True


BEYOND = ("Expr", "Constant", "VirtualDevice", "Map<String, ObjectRef>", "EnvFunc", "tir::IndexMap")
"""Fields that hold programs or devices; those of whole programs are tested on recorded ones."""
SIMPLE = [k for k in CLASSES if TYPES[k] and not set(BEYOND).intersection(TYPES[k].values())]


@each("key", SIMPLE)
def test_attributes_are_read_by_the_declared_types_of_their_fields(key: str) -> None:
    samples = list(_samples(CLASSES[key]))
    for values in samples:
        call = parse_expr(_Section(values).text())
        assert isinstance(call, Call)
        assert kinds(call.attrs) == kinds(values)
    assert len(samples) > len(TYPES[key])


def kinds(value: object) -> object:
    """Return a value with the types of its parts, which tells ``0`` from ``False`` and ``-0.0``."""
    if isinstance(value, (Attrs, Mapping)):
        return type(value), [(name, kinds(item)) for name, item in value.items()]
    if isinstance(value, tuple):
        return tuple, [kinds(item) for item in value]
    return type(value), None if isinstance(value, Node) else repr(value)


def read_back(callee: Op, args: tuple[Expr, ...], samples: list[Attrs]) -> None:
    """Check that calls with each of the attributes come back from one text, and them whole."""
    calls = Tuple(tuple(Call(callee, args, values) for values in samples))
    again = parse_expr(astext(calls))
    assert structural_equal(again, calls)
    assert isinstance(again, Tuple)
    for values, call in zip(samples, again.fields, strict=True):
        assert isinstance(call, Call)
        assert kinds(call.attrs) == kinds(values)


@each("key", [key for key in CLASSES if TYPES[key]])
def test_attributes_that_are_written_whole_are_read_back(key: str) -> None:
    samples = list(_samples(CLASSES[key], CANDIDATES + PROGRAMS))
    assert len(samples) > len(TYPES[key])
    read_back(intern_op("nn.relu"), (Constant(0),), samples)


@each("name", [n for n in list_ops() if attrs_type.get(get_op(n)) is not None])
def test_attributes_that_are_written_by_name_are_read_back(name: str) -> None:
    op = get_op(name)
    args = tuple(Constant(i) for i in range(len(arguments.get(op))))
    read_back(op, args, list(_samples(attrs_type.get(op), CANDIDATES + PROGRAMS)))


def test_a_null_where_something_must_be_is_the_default() -> None:
    values = CLASSES["relay.attrs.ScanopAttrs"](axis=1)
    section = _Section(values)
    section.nodes[section.nodes[1]["data"][0] - 1]["attrs"]["exclusive"] = "0"
    call = parse_expr(section.text())
    assert isinstance(call, Call)
    assert call.attrs == values


def test_device_is_read_with_its_memory_scope() -> None:
    key = "relay.attrs.OnDeviceAttrs"
    values = CLASSES[key](virtual_device=VirtualDevice(2, 0, None, "12"), constrain_result=True)
    section = _Section(CLASSES[key]())
    count = len(section.nodes)
    entry = next(node for node in section.nodes if node["type_key"] == key)
    entry["attrs"] = {"virtual_device": str(count), "constrain_result": "1", "constrain_body": "1"}
    device = {"device_type_int": "2", "virtual_device_id": "0", "target": "0"}
    section.nodes += [
        {"type_key": "VirtualDevice", "attrs": {**device, "memory_scope": str(count + 1)}},
        {"type_key": "runtime.String", "repr_str": "12"},
    ]
    call = parse_expr(section.text())
    assert isinstance(call, Call)
    assert kinds(call.attrs) == kinds(values)


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
