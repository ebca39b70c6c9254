"""Types in few characters, as they stand on edges: ``float32[1, 64, h, w]``."""

from __future__ import annotations

from typing import Final

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


def type_text(ty: Type | None) -> str:
    """Return a type on one short line; empty if nothing is known.

    Complexity:
        Bounded, but for types that are neither tensors nor tuples of these.

    Example:
        >>> type_text(TensorType((1, 64), "int8")), type_text(TensorType(()))
        ('int8[1, 64]', 'float32')
    """
    words: list[str] = []
    while isinstance(ty, SequenceType | OptionalType | MapType | SparseTensorType):
        words.append(_word(ty))
        ty = ty.element if isinstance(ty, SequenceType | OptionalType) else _inner(ty)
    return _cut(" ".join([*words, _plain(ty)]))


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
    return str(ty).rpartition("\n")[2]  # without declarations of its variables


def _tensor(ty: TensorType) -> str:
    sizes = ", ".join(str(size) for size in ty.shape)
    return _cut(f"{ty.dtype}[{sizes}]" if ty.shape else str(ty.dtype))


def _field(ty: Type) -> str:
    if isinstance(ty, TensorType):
        return _tensor(ty)
    return f"({len(ty.fields)} fields)" if isinstance(ty, TupleType) else "…"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
