"""Reading the ``#[metadata]`` section: what program text refers to as ``meta[key][index]``.

The section is TVM's: a table of nodes that refer to one another by number, and a list of tensors.
TVM does not mark which field of a node is such a number and which a plain value, so the fields
of the kinds it writes are listed here. Nodes that relayish writes and TVM does not know say that
all of their fields are numbers (``"encoding": "references"``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, TypeAlias, cast

import numpy as np

from relayish.ir.attrs import DictAttrs, attrs_class
from relayish.ir.node import Node, node_kinds
from relayish.ir.relay.expr import Call, Constant, Var
from relayish.ir.relay.op import op_of
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import PrimExpr, PrimOp, SizeVar, TensorType, TypeKind
from relayish.text.ndarray import decode_array

_Json: TypeAlias = dict[str, Any]  # Any: whatever the JSON holds
_Get: TypeAlias = Callable[[object], Any]  # Any: the object that a node number stands for
_Build: TypeAlias = Callable[[_Json, _Get], object]

SECTION: Final = "#[metadata]"
NO_ATTRS: Final = "None"
"""The key of ``meta[None][0]``: a call without attributes of an operator that takes some."""


class MetadataError(ValueError):
    """The metadata section is damaged, or holds what relayish does not know."""


class Metadata:
    """The objects of the section, each made when first asked for, and once."""

    def __init__(self, text: str | None) -> None:
        self._nodes: list[_Json] = []
        self._arrays: list[str] = []
        self._sections: dict[str, list[int]] = {}
        self._made: dict[int, object] = {}
        if text is not None:
            self._load(text)

    def _load(self, text: str) -> None:
        try:
            found = json.loads(text)
            self._nodes = list(found["nodes"])
            self._arrays = list(found.get("b64ndarrays", ()))
            root = self._nodes[int(found["root"])]
            for key, index in zip(root.get("keys", ()), root.get("data", ()), strict=True):
                self._sections[str(key)] = [int(i) for i in self._nodes[int(index)].get("data", ())]
        except (
            ValueError,
            TypeError,
            KeyError,
            IndexError,
            AttributeError,
            RecursionError,
        ) as error:
            raise MetadataError(f"the metadata section cannot be read: {error}") from error

    def get(self, key: str, index: int) -> object:
        """Return what ``meta[key][index]`` stands for.

        Raises:
            MetadataError: If there is no such entry, or it cannot be read.
        """
        if key == NO_ATTRS:
            return None
        entries = self._sections.get(key, [])
        if index >= len(entries):
            raise MetadataError(
                f"meta[{key}][{index}] is not in the metadata section, which has {len(entries)} "
                f"entries of that kind; the section follows the program, behind {SECTION}"
            )
        try:
            return self._resolve(entries[index])
        except MetadataError:
            raise
        except (
            ValueError,
            TypeError,
            KeyError,
            IndexError,
            AttributeError,
            OverflowError,
        ) as error:
            raise MetadataError(f"meta[{key}][{index}] cannot be read: {error}") from error

    def _resolve(self, root: int) -> object:
        """Make a node after all it refers to, on an explicit stack."""
        made, stack, open_ = self._made, [root], set[int]()
        while stack:
            index = stack[-1]
            if index in made:
                stack.pop()
                continue
            node = self._nodes[index]
            missing = [i for i in self._references(index, node) if i not in made]
            if not missing:
                made[index] = self._build(index, node)
                open_.discard(index)
                stack.pop()
                continue
            if index in open_:
                raise MetadataError(f"metadata node {index} refers to itself")
            open_.add(index)
            stack += missing[::-1]
        return made[root]

    def _references(self, index: int, node: _Json) -> Iterator[int]:
        for item in node.get("data", ()):
            yield self._checked(item)
        fields = node.get("attrs", {})
        for name in self._reference_fields(index, node):
            if name in fields:
                yield self._checked(fields[name])

    def _checked(self, number: object) -> int:
        index = int(str(number))
        if not 0 <= index < len(self._nodes):
            raise MetadataError(f"the metadata section has no node {index}")
        return index

    def _reference_fields(self, index: int, node: _Json) -> Iterator[str]:
        fields, kind = node.get("attrs", {}), node.get("type_key", "")
        if node.get("encoding") == "references":
            yield from fields
        elif kind in _REFERENCES:
            yield from _REFERENCES[kind]
        elif kind in _PLAIN:
            yield from (name for name in fields if name not in _PLAIN[kind])
        elif kind not in _BUILDERS:
            size = len(self._nodes)
            for name, value in fields.items():
                if re.fullmatch(r"\d+", value) and (index < int(value) < size or value == "0"):
                    yield name

    def _build(self, index: int, node: _Json) -> object:
        kind = node.get("type_key", "")
        builder = _BUILDERS.get(kind)
        if "data" in node.get("attrs", {}) and kind in ("relay.Constant", "runtime.NDArray"):
            return self._build_array(kind, node["attrs"])
        if builder is not None and node.get("encoding") != "references":
            return builder(node, self._of)
        refer = set(self._reference_fields(index, node))
        fields = node.get("attrs", {})
        values = {k: self._of(v) if k in refer else _plain(kind, k, v) for k, v in fields.items()}
        return _build_by_name(kind, values)

    def _build_array(self, kind: str, fields: _Json) -> object:
        array = decode_array(self._arrays[int(fields["data"])], fields.get("dtype"))
        value = array[()] if array.ndim == 0 else array
        return Constant(value) if kind == "relay.Constant" else value

    def _of(self, number: object) -> object:
        return self._made[int(str(number))]


def _build_by_name(kind: str, values: dict[str, object]) -> object:
    """Return the attributes, or the node, of the kind with the given fields."""
    declared = attrs_class(kind)
    if declared is not None:
        return declared(**values)
    if kind.startswith("relayish."):
        return _class_by_name(kind.removeprefix("relayish."))(**values)
    if kind == "DictAttrs" or kind.startswith("relay.attrs."):
        return DictAttrs(values)
    return DictAttrs({"type_key": kind, **values})


def _class_by_name(name: str) -> Callable[..., Node]:
    for cls in node_kinds().values():
        if cls.__name__ == name:
            return cls
    raise MetadataError(f"the metadata section holds a {name}, which is no kind of node")


_PLAIN: Final[Mapping[str, Mapping[str, Callable[[str], object]]]] = {
    "relay.attrs.ScanopAttrs": {"dtype": str},
    "relay.attrs.ScatterElementsAttrs": {},
    "relay.attrs.CompilerAttrs": {"compiler": str},
    "relay.attrs.InitOpAttrs": {"dtype": str},
    "relay.attrs.ROIPoolAttrs": {"spatial_scale": float, "layout": str},
    "relay.attrs.TriluAttrs": {"upper": lambda text: bool(int(text))},
    "relay.attrs.ArangeAttrs": {"dtype": str},
    "relay.attrs.ShapeOfAttrs": {"dtype": str},
    "relay.attrs.TakeAttrs": {},
    "VirtualDevice": {"device_type_int": int, "virtual_device_id": int},
    "Target": {},
    "TargetKind": {"default_device_type": int},
}
"""Fields that TVM writes as they are, with how to read them; all others refer to nodes."""


def _plain(kind: str, name: str, text: str) -> object:
    read = _PLAIN.get(kind, {}).get(name)
    if read is str and name == "dtype":
        return text or None
    if read is not None:
        return read(text)
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


_REFERENCES: Final[Mapping[str, tuple[str, ...]]] = {
    "relay.Constant": ("value",),
    "relay.Var": ("vid", "type_annotation", "_checked_type_"),
    "relay.Id": ("name_hint",),
    "relay.TensorType": ("shape",),
    "relay.Call": ("op", "args", "attrs"),
    "tir.SizeVar": ("name",),
    "tir.Var": ("name",),
    "tir.Cast": ("value",),
    "tir.Call": ("op", "args"),
    **{f"tir.{name}": ("a", "b") for name in ("Add", "Sub", "Mul", "Div", "Mod", "Min", "Max")},
    **{f"tir.{name}": ("a", "b") for name in ("FloorDiv", "FloorMod")},
    "tir.Any": (),
    "IntImm": (),
    "FloatImm": (),
}


def _build_map(node: _Json, get: _Get) -> object:
    return DictAttrs(dict(zip(node.get("keys", ()), map(get, node.get("data", ())), strict=True)))


def _build_var(node: _Json, get: _Get) -> Var:
    fields = node["attrs"]
    return Var(get(fields["vid"]), get(fields["type_annotation"]))


def _build_call(node: _Json, get: _Get) -> Call:
    fields = node["attrs"]
    return Call(get(fields["op"]), get(fields["args"]), get(fields["attrs"]))


def _build_size_var(node: _Json, get: _Get) -> SizeVar:
    fields = node["attrs"]
    is_size = node["type_key"] == "tir.SizeVar"
    return SizeVar(get(fields["name"]), fields["dtype"], is_size)


def _build_prim_op(node: _Json, get: _Get) -> PrimOp:
    fields = node["attrs"]
    if "args" in fields:
        op = get(fields["op"])
        args = tuple(map(_dimension, get(fields["args"])))
        return PrimOp(getattr(op, "name", str(op)), args, fields["dtype"])
    args = tuple(_dimension(get(fields[n])) for n in ("a", "b", "value") if n in fields)
    return PrimOp(node["type_key"], args, fields["dtype"])


def _dimension(value: Any) -> int | PrimExpr:  # Any: what the metadata holds; PrimOp checks it
    """Return what stands for an operand of a dimension; a float is an operator of that name."""
    if type(value) is float:
        return PrimOp(f"tir.FloatImm({value!r})", (), "float64")
    return cast("int | PrimExpr", value)


def _build_int(node: _Json, _: _Get) -> object:
    value, dtype = int(node["attrs"]["value"]), node["attrs"].get("dtype")
    return bool(value) if dtype == "bool" else value


def _build_float(node: _Json, _: _Get) -> float:
    text = str(node["attrs"]["value"])
    return float.fromhex(text) if "x" in text else float(text)


def _build_nan(node: _Json, _: _Get) -> float:
    return float(np.array([int(node["repr_str"], 16)], np.uint64).view(np.float64)[0])


_BUILDERS: Final[Mapping[str, _Build]] = {
    "": lambda _node, _get: None,
    "Array": lambda node, get: tuple(map(get, node.get("data", ()))),
    "Map": _build_map,
    "runtime.String": lambda node, _: str(node.get("repr_str", "")),
    "IntImm": _build_int,
    "FloatImm": _build_float,
    "FloatBits": _build_nan,
    "TypeKind": lambda node, _: TypeKind(int(node["repr_str"])),
    "Op": lambda node, _: op_of(node["repr_str"]),
    "PrimType": lambda node, _: str(node["attrs"]["dtype"]),
    "SourceName": lambda node, _: str(node.get("repr_str", "")),
    "relay.Constant": lambda node, get: Constant(get(node["attrs"]["value"])),
    "relay.Id": lambda node, get: get(node["attrs"]["name_hint"]),
    "relay.Var": _build_var,
    "relay.Call": _build_call,
    "relay.TensorType": lambda node, get: TensorType(
        get(node["attrs"]["shape"]), node["attrs"]["dtype"]
    ),
    "tir.SizeVar": _build_size_var,
    "tir.Var": _build_size_var,
    "tir.Any": lambda _node, _get: AnyDim(),
    **{
        name: _build_prim_op
        for name in _REFERENCES
        if name.startswith("tir.") and name not in ("tir.Any", "tir.Var", "tir.SizeVar")
    },
}
"""How nodes that TVM writes are made; others are attributes, nodes by name, or plain mappings."""
