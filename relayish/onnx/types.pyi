# What type checkers see of relayish.onnx.types: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import numpy as _numpy
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import typing as _typing
from typing import Final
from relayish.analysis.infer_type.wider import WIDER_TYPES
from relayish.ir.nodes.node import field, node
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.ir.values.dtype import DType, check_dtype
@node('onnx_unranked_tensor_type')
class UnrankedTensorType(Type):
    """A tensor of which only the element type is known."""
    dtype: DType
    __getattr__: None  # it is known what a kind has
    def __init__(self, dtype: str | _numpy.dtype[_numpy.generic] | type = "float32", *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, dtype: str | _numpy.dtype[_numpy.generic] | type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('onnx_sparse_tensor_type')
class SparseTensorType(Type):
    """A sparse tensor; ``dense`` is the type of the tensor with all its elements."""
    dense: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, dense: Type, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, dense: Type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('onnx_sequence_type')
class SequenceType(Type):
    """A sequence of values of one type, ONNX's ``seq(T)``."""
    element: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, element: Type, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, element: Type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('onnx_optional_type')
class OptionalType(Type):
    """A value that may be missing, ONNX's ``optional(T)``."""
    element: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, element: Type, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, element: Type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('onnx_map_type')
class MapType(Type):
    """A map from keys of an element type to values, ONNX's ``map(K, V)``."""
    key_dtype: DType
    value: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, key_dtype: str | _numpy.dtype[_numpy.generic] | type, value: Type, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, key_dtype: str | _numpy.dtype[_numpy.generic] | type = ..., value: Type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('onnx_unknown_type')
class UnknownType(Type):
    """The type of a value of which the model says nothing."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
def may_be_alike(one: Type | None, other: Type | None) -> bool:
    """Return whether some value may have both types, ``None`` that of any value.

    Element types, ranks and sizes are compared as far as both types tell them.
    """
