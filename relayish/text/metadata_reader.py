"""Reading the ``#[metadata]`` section: what program text refers to as ``meta[key][index]``.

The section is TVM's: a table of nodes that refer to one another by number, and a list of tensors.
TVM does not mark which field of a node is such a number and which a plain value. Of attributes the
declared types of the fields tell: ``int``, ``float``, ``bool``, ``str`` and element types are
plain, everything else refers. The fields of other kinds that TVM writes are listed here.
Nodes that relayish writes and TVM does not know say that all of their fields are numbers
(``"encoding": "references"``).
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Final, TypeAlias, get_args, get_origin

import numpy as np

from relayish.errors import suggest
from relayish.ir.attributes.attrs import (
    Attrs,
    annotations_of,
    attrs_class,
    find_attrs_class,
    may_be_none,
)
from relayish.ir.attributes.conversion import String
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.domains.language import find_kind
from relayish.ir.nodes.node import Node, node_kinds
from relayish.ir.nodes.span import Span
from relayish.ir.nodes.storage import intern
from relayish.ir.values.dtype import find_type
from relayish.text.ndarray import decode_array

Json: TypeAlias = dict[str, Any]  # Any: whatever the JSON holds
Get: TypeAlias = Callable[[object], Any]  # Any: the object that a node number stands for
Given: TypeAlias = Mapping[str, Sequence[object]]
Build: TypeAlias = Callable[[Json, Get], object]

SECTION: Final = "#[metadata]"
NO_ATTRS: Final = "None"
"""The key of ``meta[None][0]``: a call without attributes of an operator that takes some."""


class MetadataError(ValueError):
    """The metadata section is damaged, or holds what relayish does not know."""


_UNREADABLE: Final = (
    ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError
)  # fmt: skip
"""What reading a section that somebody else has made may end in."""


class Metadata:
    """The objects of the section, each made when first asked for, and once.

    ``given`` are further entries, by key, of those keys that the section itself has not.
    """

    def __init__(self, text: str | None, given: Given | None = None) -> None:
        self._given: Given = {} if given is None else given
        self._nodes: list[Json] = []
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
        except _UNREADABLE as error:
            raise MetadataError(f"the metadata section cannot be read: {error}") from error

    def get(self, key: str, index: int) -> object:
        """Return what ``meta[key][index]`` stands for.

        Raises:
            MetadataError: If there is no such entry, or it cannot be read.
        """
        if key == NO_ATTRS:
            return None
        known = self._sections.get(key)
        if known is None and key in self._given:
            return self._get_given(key, index)
        entries = [] if known is None else known
        if index >= len(entries):
            raise MetadataError(
                f"meta[{key}][{index}] is not in the metadata section, which has {len(entries)} "
                f"entries of that kind; the section follows the program, behind {SECTION}"
            )
        try:
            return self._resolve(entries[index])
        except MetadataError:
            raise
        except _UNREADABLE as error:
            raise MetadataError(f"meta[{key}][{index}] cannot be read: {error}") from error

    def _get_given(self, key: str, index: int) -> object:
        entries = self._given[key]
        if index < len(entries):
            return entries[index]
        raise MetadataError(
            f"meta[{key}][{index}] is not in the metadata that was given, which has {len(entries)} "
            f"entries of that kind"
        )

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
                raise MetadataError(
                    f"metadata node {index} refers to itself; the section was changed by hand, or "
                    f"is not the one of this program"
                )
            open_.add(index)
            stack += missing[::-1]
        return made[root]

    def _references(self, index: int, node: Json) -> Iterator[int]:
        for item in node.get("data", ()):
            yield self._check(item)
        fields = node.get("attrs", {})
        for name in self._reference_fields(index, node):
            if name in fields:
                yield self._check(fields[name])

    def _check(self, number: object) -> int:
        index = int(str(number))
        if not 0 <= index < len(self._nodes):
            raise MetadataError(
                f"the metadata section has no node {index}; it was cut short, or is not the one of "
                f"this program"
            )
        return index

    def _reference_fields(self, index: int, node: Json) -> Iterator[str]:
        fields, kind = node.get("attrs", {}), node.get("type_key", "")
        if node.get("encoding") == "references":
            yield from fields
        elif kind in REFERENCES:
            yield from REFERENCES[kind]
        elif (declared := _attrs_class(kind)) is not None:
            readers = _readers(declared)  # type: ignore[arg-type]  # mypy takes the hash of instances
            for name, value in fields.items():
                reader = readers.get(name)
                if reader is None or (reader is _read_text and _NUMBER.fullmatch(value)):
                    yield name
        elif kind not in BUILDERS:
            size = len(self._nodes)
            for name, value in fields.items():
                if _NUMBER.fullmatch(value) and (index < int(value) < size or value == "0"):
                    yield name

    def _build(self, index: int, node: Json) -> object:
        kind = node.get("type_key", "")
        builder = BUILDERS.get(kind)
        if "data" in node.get("attrs", {}) and kind in ARRAYS:
            return self._build_array(kind, node["attrs"])
        if builder is not None and node.get("encoding") != "references":
            return builder(node, self._of)
        refer = set(self._reference_fields(index, node))
        fields = node.get("attrs", {})
        values = {
            k: self._of(v) if k in refer else _read_plain(kind, k, v) for k, v in fields.items()
        }
        return _build_by_name(kind, values)

    def _build_array(self, kind: str, fields: Json) -> object:
        array = decode_array(self._arrays[int(fields["data"])], fields.get("dtype"))
        return ARRAYS[kind](array[()] if array.ndim == 0 and "rank" not in fields else array)

    def _of(self, number: object) -> object:
        return self._made[int(str(number))]


def _attrs_class(kind: str) -> type[Attrs] | None:
    """Return the class of attributes with that key, for which packages are imported."""
    if kind in BUILDERS or kind.startswith("relayish."):
        return attrs_class(kind)
    return find_attrs_class(kind)


def _build_by_name(kind: str, values: dict[str, object]) -> object:
    """Return the attributes, or the node, of the kind with the given fields."""
    if kind.startswith("relayish.") and attrs_class(kind) is None:
        cls = _class_by_name(kind.removeprefix("relayish."))
        spans = [f.name for f in cls.fields_ if f.accepts == (Span,)]
        return intern(cls(**values, **dict.fromkeys(spans, Span("metadata", 0, 0, 0, 0))))
    return build_attrs(kind, values)


def build_attrs(kind: str, values: dict[str, object]) -> Attrs:
    """Return attributes of the class with that key; of a class nobody declared, a mapping."""
    declared = attrs_class(kind)
    if declared is not None:
        return declared(**_without_nulls(declared, values))
    if kind == "DictAttrs" or kind.startswith("relay.attrs."):
        return DictAttrs(values)
    return DictAttrs({"type_key": kind, **values})


def _without_nulls(cls: type[Attrs], values: dict[str, object]) -> dict[str, object]:
    """Leave out what refers to nothing where the field must hold something: it has its default."""
    kept = may_be_none(cls)  # type: ignore[arg-type]  # mypy takes the hash of instances
    return {
        name: value
        for name, value in values.items()
        if value is not None or name in kept or name not in cls.defaults
    }


def class_key(kind: type[Node]) -> str:
    """Return how the section calls a kind of node: by its language and visit name."""
    if BY_CLASS.get(kind.__name__) is kind:
        return f"relayish.{kind.__name__}"
    return f"relayish.{kind.language_.name}.{kind.visit_name}"


def _class_by_name(name: str) -> type[Node]:
    language, _, visit = name.rpartition(".")
    found = BY_CLASS.get(name) or find_kind(language, visit)
    if found is None:
        raise MetadataError(
            f"the metadata section holds a {name}, which is no kind of node"
            f"{suggest(name, [*BY_CLASS, *node_kinds()])}"
        )
    return found


_Reader: TypeAlias = Callable[[str], object]

_NUMBER: Final = re.compile(r"[0-9]+")


@cache
def _readers(cls: type[Attrs]) -> Mapping[str, _Reader]:
    """Return how to read the fields of ``cls`` that may be written as they are; others refer."""
    found = {name: _reader(hint) for name, hint in annotations_of(cls).items()}
    return {name: reader for name, reader in found.items() if reader is not None}


@cache
def find_plain_fields(cls: type[Attrs]) -> Mapping[str, tuple[type, ...]]:
    """Return the fields of ``cls`` that TVM writes as they are, and the classes of their values."""
    found: dict[str, tuple[type, ...]] = {}
    for name, hint in annotations_of(cls).items():
        if hint in _PLAIN:
            found[name] = (hint,)
        elif get_origin(hint) is Annotated and hint != String and _reader(hint) is not None:
            found[name] = (str, type(None))  # the name of an element type
    return found


def _reader(hint: Any) -> _Reader | None:  # Any: an annotation
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    return _read_text if hint is str or str in get_args(hint) else None


def _read_text(text: str) -> str:
    """Return a string that may be an object, or the name of an element type: ``""`` for none."""
    return text


_PLAIN: Final[Mapping[object, _Reader]] = {
    int: int,
    float: float,
    bool: lambda text: bool(int(text)),
    str: str,
}


def _read_plain(kind: str, name: str, text: str) -> object:
    declared = attrs_class(kind)
    if declared is not None:
        return _readers(declared)[name](text)  # type: ignore[arg-type]  # as above
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text


REFERENCES: Final[dict[str, tuple[str, ...]]] = {"IntImm": (), "FloatImm": ()}
"""By kind of node that TVM writes, the fields that are numbers of other nodes."""


def _build_map(node: Json, get: Get) -> object:
    """Return a mapping; where its keys are no strings, as in TVM any object may be one, pairs."""
    if "keys" not in node:
        items = [get(number) for number in node.get("data", ())]
        return tuple(zip(items[::2], items[1::2], strict=True)) if items else DictAttrs()
    return DictAttrs(dict(zip(node.get("keys", ()), map(get, node.get("data", ())), strict=True)))


def _build_int(node: Json, _: Get) -> object:
    value, dtype = int(node["attrs"]["value"]), node["attrs"].get("dtype")
    return bool(value) if dtype == "bool" else value


def _build_float(node: Json, _: Get) -> float:
    text = str(node["attrs"]["value"])
    return float.fromhex(text) if "x" in text else float(text)


def _build_nan(node: Json, _: Get) -> float:
    return float(np.array([int(node["repr_str"], 16)], np.uint64).view(np.float64)[0])


def _build_bytes(node: Json, _: Get) -> bytes:
    return base64.b64decode(str(node["repr_str"]), validate=True)


BUILDERS: Final[dict[str, Build]] = {
    "": lambda _node, _get: None,
    "Array": lambda node, get: tuple(map(get, node.get("data", ()))),
    "Map": _build_map,
    "runtime.String": lambda node, _: str(node.get("repr_str", "")),
    "IntImm": _build_int,
    "FloatImm": _build_float,
    "FloatBits": _build_nan,
    "bytes": _build_bytes,
    "numpy.dtype": lambda node, _: find_type(str(node["repr_str"])),
}
"""How nodes that TVM writes are made; others are attributes, nodes by name, or plain mappings."""

ARRAYS: Final[dict[str, Callable[[Any], object]]] = {"runtime.NDArray": lambda value: value}
"""By kind of node, what is made of the tensor in it."""

BY_CLASS: Final[dict[str, type[Node]]] = {}
"""Kinds that go by the name of their class alone, as all did once."""
