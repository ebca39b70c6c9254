"""Expressions, types and patterns in the metadata as TVM writes them, by the names of fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.nodes.node import Node
from relayish.ir.relay import adt
from relayish.ir.relay.expr import (
    Function,
    GlobalVar,
    If,
    Let,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
)
from relayish.ir.relay.type import (
    FuncType,
    GlobalTypeVar,
    RefType,
    TupleType,
    TypeCall,
    TypeKind,
    TypeVar,
)
from relayish.text.metadata_reader import BUILDERS, REFERENCES, Build, Get, Json

_KINDS: Final[Mapping[str, type[Node]]] = {
    **{
        f"relay.{kind.__name__}": kind
        for kind in (
            *(Tuple, TupleGetItem, Function, Let, If, RefCreate, RefRead, RefWrite, RefType),
            *(adt.Match, adt.Clause, adt.Constructor),
            *(adt.PatternConstructor, adt.PatternTuple, adt.PatternVar, adt.PatternWildcard),
        )
    },
    **{
        kind.__name__: kind
        for kind in (GlobalVar, TupleType, FuncType, TypeCall, TypeVar, GlobalTypeVar)
    },
}
"""Kinds by the keys that TVM has for them."""
_PLAIN: Final[Mapping[str, Callable[[str], object]]] = {
    "index": int,
    "complete": lambda text: text != "0",
    "kind": lambda text: TypeKind(int(text)),
}
"""Fields that hold a number, and no reference; how they are read."""
_UNREAD: Final = frozenset({"span", "checked_type", "virtual_device", "domain"})


def _names(kind: type[Node]) -> tuple[str, ...]:
    return tuple([f.name for f in kind.fields_ if f.name not in _UNREAD])


def _builder(kind: type[Node]) -> Build:
    names = _names(kind)

    def build(node: Json, get: Get) -> Node:
        fields = node.get("attrs", {})
        held = {
            name: _PLAIN[name](fields[name]) if name in _PLAIN else get(fields[name])
            for name in names
            if name in fields
        }
        return kind(**held)

    return build


def _build_attributes(node: Json, get: Get) -> object:
    held = get(node.get("attrs", {}).get("__dict__", "0"))
    return DictAttrs() if held is None else held


REFERENCES.update({key: tuple(set(_names(k)) - set(_PLAIN)) for key, k in _KINDS.items()})
BUILDERS.update({key: _builder(kind) for key, kind in _KINDS.items()})
REFERENCES["DictAttrs"] = ("__dict__",)
BUILDERS["DictAttrs"] = _build_attributes
