"""Attributes as TVM prints them: in the line of a call, or in the metadata section.

``relay_field_types.json`` holds the C++ type of each field of Relay's attribute classes. In the
section, numbers, ``bool``, ``std::string`` and ``DataType`` are written as they are, objects as the
numbers of nodes, and no reference is marked as one. In a line fields at their default are left out,
doubles have six digits, and strings no escapes.
"""

from __future__ import annotations

import importlib
import json
import math
import pkgutil
import random
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import relayish.op
from relayish.errors import FieldError
from relayish.ir.attributes.attrs import Attrs, attrs_class
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.relay.expr import Constant
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.virtual_device import VirtualDevice
from relayish.text.ndarray import encode_array
from tests.support.seeds import many

for module in pkgutil.walk_packages(relayish.op.__path__, "relayish.op."):
    importlib.import_module(module.name)

TYPES: dict[str, dict[str, str]] = json.loads(
    (Path(__file__).parents[1] / "text/data/relay_field_types.json").read_text()
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
    *(Constant(1), Constant(np.ones((2, 3), "int64"))),
    *(DictAttrs(), DictAttrs({"a": (1, 0.5), "b": "0"})),
    *(VirtualDevice(), VirtualDevice(1, 0, None, "0"), VirtualDevice(2, 1, None, "global")),
)
"""Values of fields that hold programs, devices, or anything."""
_TEXT = Constant("1")
WITH_PROGRAMS: tuple[object, ...] = (*CANDIDATES, *PROGRAMS, _TEXT)
EVERYTHING: tuple[object, ...] = (*WITH_PROGRAMS, AnyDim(), (AnyDim(), 5))
PADDING = 13
"""Nodes in front and behind, so that small numbers could be references."""


class Section:
    """A metadata section, written the way TVM does."""

    def __init__(self) -> None:
        self.nodes: list[dict[str, Any]] = [{"type_key": ""}, {"type_key": "Map"}]  # Any: JSON
        self.nodes += [self._array([1, 1]) for _ in range(PADDING // 2)]
        self.arrays: list[str] = []
        self.entries: dict[str, list[int]] = {}

    def refer(self, value: object) -> str:
        """Return what the program says for an entry that holds ``value``."""
        node = self._node(value)
        self.nodes.append(node)
        listed = self.entries.setdefault(node["type_key"], [])
        listed.append(len(self.nodes) - 1)
        return f"meta[{node['type_key']}][{len(listed) - 1}]"

    def text(self, program: str) -> str:
        """Return the program with the section behind it."""
        self.nodes += [self._array(listed) for listed in self.entries.values()]
        count = len(self.nodes)
        self.nodes[1].update(
            keys=list(self.entries), data=list(range(count - len(self.entries), count))
        )
        self.nodes += [self._array([2, 3]) for _ in range(PADDING)]
        section = {"root": 1, "nodes": self.nodes, "b64ndarrays": self.arrays}
        return f"{program}\n#[metadata]\n{json.dumps(section)}"

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
        if isinstance(value, AnyDim):
            return {"type_key": "tir.Any", "attrs": {"dtype": "int32", "span": "0"}}
        if isinstance(value, VirtualDevice):
            return self._device(value)
        if isinstance(value, DictAttrs):
            held = [self._number(item) for _, item in value.items()]
            return {"type_key": "Map", "keys": list(value.keys()), "data": held}
        if isinstance(value, Attrs):
            key = value.type_key
            written = {name: self.written(TYPES[key][name], v) for name, v in value.items()}
            return {"type_key": key, "attrs": written}
        if isinstance(value, Constant):
            self.arrays.append(encode_array(np.asarray(value.data))[0])
            held_by = {"_checked_type_": "0", "span": "0", "virtual_device_": "0"}
            fields = {**held_by, "data": str(len(self.arrays) - 1)}
            return {"type_key": "relay.Constant", "attrs": fields}
        fields = {"dtype": "int32", "span": "0", "value": str(value)}
        if isinstance(value, bool):
            fields |= {"dtype": "bool", "value": str(int(value))}
        if isinstance(value, float):
            return {"type_key": "FloatImm", "attrs": {**fields, "dtype": "float32"}}
        if not is_short(value):
            fields["dtype"] = "int64"
        return {"type_key": "IntImm", "attrs": fields}

    def _device(self, device: VirtualDevice) -> dict[str, Any]:  # Any: as above
        fields = {
            "device_type_int": str(device.device_type_int),
            "virtual_device_id": str(device.virtual_device_id),
            "target": "0",
            "memory_scope": str(self._number(device.memory_scope)),
        }
        return {"type_key": "VirtualDevice", "attrs": fields}

    @staticmethod
    def _array(numbers: list[int]) -> dict[str, Any]:  # Any: as above
        return {"type_key": "Array", "data": numbers}


def is_short(value: object) -> bool:
    """Return whether TVM holds a number in 32 bits."""
    return isinstance(value, int) and -(2**31) <= value < 2**31


def whole(callee: str, args: Sequence[str], values: Attrs) -> str:
    """Return the text of a call with its attributes in the section."""
    section = Section()
    return section.text(f"{callee}({', '.join([*args, section.refer(values)])})")


def in_line(callee: str, args: Sequence[str], values: Attrs) -> str:
    """Return the text of a call with its attributes, those at their default left out."""
    types, section = TYPES[values.type_key], Section()
    shown = [f"{name}={_spelt(types[name], v, section)}" for name, v in values.shown_items()]
    text = f"{callee}({', '.join([*args, *shown])})"
    return section.text(text) if section.entries else text


def _spelt(declared: str, value: object, section: Section) -> str:
    if declared == "bool":
        return str(bool(value))
    if declared in ("std::string", "DataType"):
        return f'"{value or ""}"'
    return _shown(value, section)


def _shown(value: Any, section: Section) -> str:  # Any: what attributes hold
    if isinstance(value, (Constant, Attrs)):
        return section.refer(value)
    if isinstance(value, tuple):
        return f"[{', '.join([_shown(item, section) for item in value])}]"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, float):
        return f"{value:g}f"
    if isinstance(value, AnyDim):
        return "?"
    if value is None or isinstance(value, bool) or is_short(value):
        return str(value)
    return f"{value}i64"


def to_six_digits(value: object) -> object:
    """Return what is left of a value in the text of a line."""
    if isinstance(value, tuple):
        return tuple(map(to_six_digits, value))
    return float(f"{value:g}") if isinstance(value, float) else value


def mixed(cls: type[Attrs], pick: random.Random, count: int) -> Iterator[Attrs]:
    """Attributes with all fields at random at values that they take and TVM can print."""
    accepted = _printed(cls)
    found = 0
    for _ in range(20 * count):
        try:
            yield cls(**{name: pick.choice(held) for name, held in accepted.items()})
        except FieldError:
            continue
        found += 1
        if found == count:
            return


@cache
def _printed(cls: type[Attrs]) -> dict[str, list[object]]:
    """Return the values that fields of a class hold and TVM can print."""
    accepted: dict[str, list[object]] = {}
    for name, value in _taken(cls):
        if value is _TEXT or not _is_printed(value):
            continue
        for field, held_there in cls(**{**_required(cls), name: value}).items():
            held = accepted.setdefault(field, [])
            if not any(repr(held_there) == repr(other) for other in held):
                held.append(held_there)
    return accepted


def _is_printed(value: object) -> bool:
    """Return whether a string stands in a line without escapes, of which TVM has none there."""
    return not isinstance(value, str) or not {'"', "\\"} & set(value)


def samples(cls: type[Attrs], candidates: tuple[object, ...] = CANDIDATES) -> Iterator[Attrs]:
    """Attributes of a class, with one field after another at a few of the values that it takes.

    The soak takes all of them.
    """
    chosen = set(map(id, candidates))
    by_field: dict[str, list[object]] = {}
    for name, value in _taken(cls):
        if id(value) in chosen:
            by_field.setdefault(name, []).append(value)
    for name, values in by_field.items():
        pick = random.Random(f"{cls.type_key} {name}")
        for value in pick.sample(values, min(len(values), many(4, soak=len(values)))):
            yield cls(**{**_required(cls), name: value})


@cache
def _taken(cls: type[Attrs]) -> list[tuple[str, object]]:
    """Return fields, each with every value of all that are tried that it takes."""
    types, whole = TYPES.get(cls.type_key, {}), _required(cls)
    found = []
    for name in cls.field_names:
        for value in EVERYTHING:
            if types.get(name) != "bool" and isinstance(value, bool):
                continue
            try:
                cls(**{**whole, name: value})
            except FieldError:
                continue
            found.append((name, value))
    return found


@cache
def _required(cls: type[Attrs]) -> dict[str, object]:
    """Return values for the fields without a default."""
    required = [name for name in cls.field_names if name not in cls.defaults]
    whole: dict[str, object] = {}
    for name in required:
        whole[name] = next(v for v in EVERYTHING if _accepts(cls, required, whole, name, v))
    return whole


def _accepts(
    cls: type[Attrs], required: list[str], whole: dict[str, object], name: str, value: object
) -> bool:
    rest = dict.fromkeys(required, "?")
    try:
        cls(**{**rest, **whole, name: value})
    except FieldError as error:
        return f".{name}:" not in str(error)
    return True
