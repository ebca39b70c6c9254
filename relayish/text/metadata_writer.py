"""Writing the ``#[metadata]`` section; see ``metadata_reader`` for its form."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

from relayish._support.printable import escape
from relayish.errors import FieldError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import Node
from relayish.ir.values.dtype import type_name
from relayish.text.metadata_reader import NO_ATTRS, SECTION, class_key, find_plain_fields
from relayish.text.ndarray import encode_array

Json: TypeAlias = dict[str, Any]  # Any: whatever JSON can hold
_LITERALS: Final = (str, int, float)
READABLE: Final[dict[type, Callable[[Any], str]]] = {}  # Any: an object of the key's type
"""By type, the name of what has one, for text that only people read."""


class MetadataWriter:
    """Collects what the text refers to as ``meta[key][index]``, and writes the section.

    ``readable`` text is for people, who get no section: what has a name goes by it.
    """

    def __init__(self, readable: bool = False) -> None:
        self.readable = readable
        self._sections: dict[str, list[object]] = {}
        self._places: dict[int, str] = {}

    def refer(self, key: str, thing: object) -> str:
        """Return ``meta[key][index]`` for ``thing``: the same index for the same object."""
        if thing is None:
            return f"meta[{NO_ATTRS}][0]"
        if self.readable and type(thing) in READABLE:
            return escape(READABLE[type(thing)](thing))
        place = self._places.get(id(thing))
        if place is None:
            entries = self._sections.setdefault(key, [])
            place = self._places[id(thing)] = f"meta[{key}][{len(entries)}]"
            entries.append(thing)  # which keeps it alive, so that its id stays its own
        return place

    def __bool__(self) -> bool:
        return bool(self._sections)

    def section(self) -> str:
        """Return the section, from its header to the end.

        Complexity:
            Linear in what is referred to; a value that occurs twice is written once.
        """
        table = Table()
        keys = sorted(self._sections)
        sections = [table.add_array(self._sections[key]) for key in keys]
        table.nodes[1].update(keys=keys, data=sections)
        table.finish()
        nodes = ",\n  ".join([json.dumps(node) for node in table.nodes])
        arrays = ",\n  ".join([json.dumps(array) for array in table.arrays])
        return (
            f'{SECTION}\n{{\n "root": 1,\n "nodes": [\n  {nodes}\n ],\n'
            f' "b64ndarrays": [\n  {arrays}\n ],\n "attrs": {{"relay_text": "0.0.5"}}\n}}'
        )


class Table:
    """The numbered nodes. A thing is numbered when first met and described later, from a list."""

    def __init__(self) -> None:
        self.nodes: list[Json] = [{"type_key": ""}, {"type_key": "Map"}]
        self.arrays: list[str] = []
        self._numbers: dict[object, int] = {}
        self._waiting: list[tuple[object, Json]] = []

    def add_array(self, items: list[object]) -> int:
        node: Json = {"type_key": "Array"}
        number = len(self.nodes)
        self.nodes.append(node)
        node["data"] = [self.number(item) for item in items]
        return number

    def number(self, thing: object) -> int:
        """Return the number of ``thing``, now or soon to be described."""
        if thing is None:
            return 0
        key: object = id(thing)
        if type(thing) in _LITERALS:
            key = (type(thing), thing if type(thing) is not float else struct.pack("d", thing))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.nodes)
            node: Json = {}
            self.nodes.append(node)
            self._waiting.append((thing, node))
        return number

    def finish(self) -> None:
        for thing, node in self._waiting:  # grows while it is read
            node.update(self._describe(thing))

    def _describe(self, thing: object) -> Json:
        writer = WRITERS.get(type(thing))
        if writer is not None:
            return writer(self, thing)
        if isinstance(thing, (np.ndarray, np.generic)):
            return {"type_key": "runtime.NDArray", "attrs": self.array(thing)}
        if isinstance(thing, np.dtype):
            return {"type_key": "numpy.dtype", "repr_str": type_name(thing)}
        if isinstance(thing, Attrs):
            return self._attributes(thing)
        if isinstance(thing, Node):
            fields = {f.name: getattr(thing, f.name) for f in thing.fields_ if f.compared}
            return self.references(class_key(type(thing)), fields)
        raise FieldError(
            f"{thing!r} ({type(thing).__name__}) has no text form; attributes hold numbers, "
            f"strings, tensors, nodes, and tuples and mappings of these"
        )

    def _attributes(self, attrs: Attrs) -> Json:
        """Describe attributes as TVM does: some fields are written as they are.

        Which ones the declaration says; where one holds what that does not say, all refer.
        """
        if not attrs.type_key.startswith(_TVM_KEYS):
            return self.references(attrs.type_key, dict(attrs.items()))
        plain = find_plain_fields(type(attrs))  # type: ignore[arg-type]  # as in metadata_reader
        fields: dict[str, str] = {}
        for name, value in attrs.items():
            kind = plain.get(name)
            if kind is None:
                fields[name] = str(self.number(value))
            elif type(value) in kind and value == value:  # noqa: PLR0124 - a NaN has a payload
                fields[name] = _spell_plain(value)
            else:
                return self.references(attrs.type_key, dict(attrs.items()))
        return {"type_key": attrs.type_key, "attrs": fields}

    def references(self, key: str, fields: dict[str, object]) -> Json:
        """Describe a node all of whose fields are numbers of other nodes."""
        return {
            "type_key": key,
            "encoding": "references",
            "attrs": {name: str(self.number(value)) for name, value in fields.items()},
        }

    def array(self, value: Any) -> Json:  # Any: a numpy array or scalar
        """Return the fields of a node that holds a tensor."""
        data, dtype = encode_array(np.asarray(value))
        self.arrays.append(data)
        fields = {"data": str(len(self.arrays) - 1)}
        if isinstance(value, np.ndarray) and value.ndim == 0:
            fields["rank"] = "0"  # an array, and no scalar
        return fields if dtype is None else {**fields, "dtype": dtype}

    def dict_attrs(self, attrs: DictAttrs) -> Json:
        return {
            "type_key": "Map",
            "keys": list(attrs.keys()),
            "data": [self.number(value) for _, value in attrs.items()],
        }


_TVM_KEYS: Final = ("relay.attrs.", "VirtualDevice")
"""How the keys of attributes begin that TVM knows."""


def _spell_plain(value: Any) -> str:  # Any: of a class that is written as it is
    if isinstance(value, bool):
        return str(int(value))
    return "" if value is None else str(value)


def _float(_: Table, value: float) -> Json:
    if value != value:  # noqa: PLR0124 - NaN is what differs from itself
        return {"type_key": "FloatBits", "repr_str": struct.pack(">d", value).hex()}
    return {
        "type_key": "FloatImm",
        "attrs": {"dtype": "float64", "span": "0", "value": repr(value)},
    }


class LongInt(int):
    """A number that TVM holds in 64 bits, however small it is."""


def _int(_: Table, value: int) -> Json:
    """Describe a number as TVM does, in as few bits as it has for it."""
    short = type(value) is int and -(2**31) <= value < 2**31
    dtype = "bool" if isinstance(value, bool) else "int32" if short else "int64"
    fields = {"dtype": dtype, "span": "0", "value": str(int(value))}
    return {"type_key": "IntImm", "attrs": fields}


def _bytes(_: Table, value: bytes) -> Json:
    return {"type_key": "bytes", "repr_str": base64.b64encode(value).decode("ascii")}


WRITERS: Final[dict[type, Callable[[Table, Any], Json]]] = {  # Any: a value of the key's type
    str: lambda _, value: {"type_key": "runtime.String", "repr_str": value},
    bytes: _bytes,
    bool: _int,
    int: _int,
    LongInt: _int,
    float: _float,
    tuple: lambda table, value: {"type_key": "Array", "data": [table.number(i) for i in value]},
    DictAttrs: Table.dict_attrs,
}
"""How things are described that TVM describes too, or that are no nodes."""
