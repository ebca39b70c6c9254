"""Types of values in graphs: what was inferred of them, and what the model said."""

from __future__ import annotations

from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.onnx.types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    UnrankedTensorType,
)

_OF_ONNX = (TensorType, UnrankedTensorType, SequenceType, OptionalType, MapType, SparseTensorType)


def known_type(ty: object) -> Type | None:
    """Return ``ty`` if it is a type that ONNX has and that says something."""
    return ty if isinstance(ty, _OF_ONNX) else None


def part_types(ty: object, count: int) -> tuple[Type | None, ...]:
    """Return the types of ``count`` results, of which ``ty`` is the type of all."""
    if isinstance(ty, TupleType) and len(ty.fields) == count:
        return tuple([known_type(field) for field in ty.fields])
    return (known_type(ty),) if count == 1 else (None,) * count


def merge_types(told: object, inferred: object) -> Type | None:
    """Return what two descriptions of a value say together.

    Where they contradict each other, it is what was inferred: the model may have been changed since
    it was told what values are.
    """
    known, found = known_type(told), known_type(inferred)
    if known is None or found is None:
        return known or found
    if isinstance(found, UnrankedTensorType) and isinstance(known, TensorType):
        return known if known.dtype == found.dtype else found
    if not isinstance(known, TensorType) or not isinstance(found, TensorType):
        return known if type(known) is type(found) else found
    if known.dtype != found.dtype or len(known.shape) != len(found.shape):
        return found
    sizes = [
        new if isinstance(new, int) or isinstance(old, AnyDim) else old
        for old, new in zip(known.shape, found.shape, strict=True)
    ]
    return known.with_fields(shape=sizes)
