"""Types in few characters, as they stand on edges: ``float32[1, 64, h, w]``."""

from __future__ import annotations

from typing import Final

from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.type import IncompleteType, TensorType, TupleType, Type
from relayish.onnx.types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    UnknownType,
    UnrankedTensorType,
)

_MOST_FIELDS: Final = 3
_LONGEST: Final = 60
_MOST_NODES: Final = 200


def type_text(ty: Type | None) -> str:
    """Return a type on one short line; empty if nothing is known.

    Complexity:
        Bounded.

    Example:
        >>> type_text(TensorType((1, 64), "int8")), type_text(TensorType(()))
        ('int8[1, 64]', 'float32')
    """
    words: list[str] = []
    while isinstance(ty, SequenceType | OptionalType | MapType | SparseTensorType):
        words.append(_word(ty))
        ty = ty.element if isinstance(ty, SequenceType | OptionalType) else _inner(ty)
    return _cut(" ".join([*words, _plain(ty)]))


def whole_text(ty: Node) -> str:
    """Return the text of a type; of one that is very large, one line that begins it.

    Complexity:
        Bounded, but for what one node holds.
    """
    pending: list[Node] = [ty]
    for _ in range(_MOST_NODES):
        if not pending:
            return str(ty)
        pending += EVERYTHING.children(pending.pop())
    return one_line(ty)


def _word(ty: SequenceType | OptionalType | MapType | SparseTensorType) -> str:
    if isinstance(ty, MapType):
        return f"map of {ty.key_dtype} to"
    return {SequenceType: "sequence of", OptionalType: "optional", SparseTensorType: "sparse"}[
        type(ty)
    ]


def _inner(ty: MapType | SparseTensorType) -> Type:
    return ty.value if isinstance(ty, MapType) else ty.dense


def _plain(ty: Type | None) -> str:
    if ty is None or isinstance(ty, IncompleteType | UnknownType):
        return ""
    if isinstance(ty, UnrankedTensorType):
        return f"{ty.dtype}[…]"
    if isinstance(ty, TensorType):
        return _tensor(ty)
    if isinstance(ty, TupleType):
        shown = [_field(each) for each in ty.fields[:_MOST_FIELDS]]
        more = len(ty.fields) - _MOST_FIELDS
        return f"({', '.join(shown)}{f', … {more} more' if more > 0 else ''})"
    return whole_text(ty).rpartition("\n")[2]  # without declarations of its variables


def _tensor(ty: TensorType) -> str:
    sizes = ", ".join(str(size) for size in ty.shape)
    return _cut(f"{ty.dtype}[{sizes}]" if ty.shape else str(ty.dtype))


def _field(ty: Type) -> str:
    if isinstance(ty, TensorType):
        return _tensor(ty)
    return f"({len(ty.fields)} fields)" if isinstance(ty, TupleType) else "…"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
