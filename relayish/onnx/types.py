"""Types of ONNX values that Relay has none for: tensors of any rank, sequences, optional values."""

from __future__ import annotations

from typing import Final

from relayish.analysis.infer_type.wider import WIDER_TYPES
from relayish.ir.nodes.node import field, node
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.ir.values.dtype import DType, check_dtype


@node("onnx_unranked_tensor_type")
class UnrankedTensorType(Type):
    """A tensor of which only the element type is known."""

    dtype: DType = field(default="float32", convert=check_dtype)


@node("onnx_sparse_tensor_type")
class SparseTensorType(Type):
    """A sparse tensor; ``dense`` is the type of the tensor with all its elements."""

    dense: Type


@node("onnx_sequence_type")
class SequenceType(Type):
    """A sequence of values of one type, ONNX's ``seq(T)``."""

    element: Type


@node("onnx_optional_type")
class OptionalType(Type):
    """A value that may be missing, ONNX's ``optional(T)``."""

    element: Type


@node("onnx_map_type")
class MapType(Type):
    """A map from keys of an element type to values, ONNX's ``map(K, V)``."""

    key_dtype: DType = field(convert=check_dtype)
    value: Type


@node("onnx_unknown_type")
class UnknownType(Type):
    """The type of a value of which the model says nothing."""


def _is_any(_ty: UnknownType, _other: Type) -> bool:
    return True


def _is_of_any_rank(ty: UnrankedTensorType, other: Type) -> bool:
    return isinstance(other, TensorType) and other.dtype == ty.dtype


WIDER_TYPES.register(UnknownType, _is_any)
WIDER_TYPES.register(UnrankedTensorType, _is_of_any_rank)


def may_be_alike(one: Type | None, other: Type | None) -> bool:
    """Return whether some value may have both types, ``None`` that of any value.

    Element types, ranks and sizes are compared as far as both types tell them.
    """
    if isinstance(one, TupleType) and isinstance(other, TupleType):
        pairs = zip(one.fields, other.fields, strict=False)
        return len(one.fields) == len(other.fields) and all(may_be_alike(*each) for each in pairs)
    if isinstance(one, _TENSORS) and isinstance(other, _TENSORS) and one.dtype != other.dtype:
        return False
    if isinstance(one, TensorType) and isinstance(other, TensorType):
        sizes = zip(one.shape, other.shape, strict=False)
        return len(one.shape) == len(other.shape) and all(
            a == b for a, b in sizes if isinstance(a, int) and isinstance(b, int)
        )
    return {type(one), type(other)} != {TupleType, TensorType}


_TENSORS: Final = (TensorType, UnrankedTensorType)
