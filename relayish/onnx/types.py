"""Types of ONNX values that Relay has none for: tensors of any rank, sequences, optional values."""

from __future__ import annotations

from relayish.analysis.infer_type.wider import register_wider_type
from relayish.ir.dtype import DType, check_dtype
from relayish.ir.node import field, node
from relayish.ir.relay.type import TensorType, Type


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


register_wider_type(UnknownType, _is_any)
register_wider_type(UnrankedTensorType, _is_of_any_rank)
