"""Attributes in the metadata section as TVM writes them, which marks no reference as one.

``data/relay_field_types.json`` holds the C++ type of each field of Relay's attribute classes:
numbers, ``bool``, ``std::string`` and ``DataType`` are written as they are, objects as the numbers
of nodes.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import relayish.op
from relayish.errors import FieldError
from relayish.ir.attrs import Attrs, attrs_class
from relayish.ir.relay.expr import Call
from relayish.text import parse_expr
from tests.support.each import each

for module in pkgutil.walk_packages(relayish.op.__path__, "relayish.op."):
    importlib.import_module(module.name)

TYPES: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parent / "data" / "relay_field_types.json").read_text()
)
CLASSES = {key: cls for key in TYPES if (cls := attrs_class(key)) is not None}
PLAIN = ("int", "int32_t", "uint64_t", "double", "bool", "std::string", "DataType")
NUMBERS = (0, 1, 3, 4, 5, 11, 12, 1000, -1, 2**40)
STRINGS = ("NCHW", "add", "")
DTYPES = ("float32", "int8")
CANDIDATES: tuple[object, ...] = (
    *(None, False, True, *NUMBERS, *STRINGS, *DTYPES, 0.5, -3.0, 1e30, float("inf")),
    *((), (0,), (1, 5), (3, 3, 3), (0, 0, 0, 0), (0.5, 1.0), ((0, 1), (5, 1))),
)
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


def _samples(key: str) -> Iterator[Attrs]:
    """Attributes of each class, with one field after another at each value that it takes."""
    cls, types = CLASSES[key], TYPES[key]
    required = [name for name in cls.field_names if name not in cls.defaults]
    whole: dict[str, object] = {}
    for name in required:
        whole[name] = next(v for v in CANDIDATES if _accepts(cls, required, whole, name, v))
    for name in cls.field_names:
        for value in CANDIDATES:
            if types[name] != "bool" and isinstance(value, bool):
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
    samples = list(_samples(key))
    for values in samples:
        call = parse_expr(_Section(values).text())
        assert isinstance(call, Call)
        assert call.attrs == values
        assert [type(v) for _, v in values.items()] == [type(v) for _, v in call.attrs.items()]
    assert len(samples) > len(TYPES[key])


def test_a_null_where_something_must_be_is_the_default() -> None:
    values = CLASSES["relay.attrs.ScanopAttrs"](axis=1)
    section = _Section(values)
    section.nodes[section.nodes[1]["data"][0] - 1]["attrs"]["exclusive"] = "0"
    call = parse_expr(section.text())
    assert isinstance(call, Call)
    assert call.attrs == values


def test_nearly_every_class_is_compared() -> None:
    assert len(SIMPLE) > 120
