# What type checkers see of relayish.tir.ir.operation: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import collections.abc as _collections_abc
import numpy as _numpy
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import relayish.ir.values.value as _relayish_ir_values_value
import typing as _typing
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import field, node
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import FunctionBase
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Tensor, Var
from relayish.tir.ir.type import FLOAT32, Type, as_type
class Operation(FunctionBase):
    """CINN's ``_Operation_``: what computes a tensor, or several."""
    __slots__ = ()
    visit_name = 'operation'
    name: str = field(kw_only=True, default=...)
    tag: str = field(kw_only=True, default=...)
    attrs: DictAttrs | None = field(kw_only=True, default=...)
@node('placeholder_op', effect=Effect.NONE, graph_node=False)
class PlaceholderOp(Operation):
    """An input of ``shape``, whose elements are of ``dtype``."""
    shape: tuple[Expr, ...]
    dtype: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, shape: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number], dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | type = ..., *, name: str = "", tag: str = "", attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, shape: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] = ..., dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | type = ..., name: str = ..., tag: str = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('compute_op', effect=Effect.NONE, graph_node=False)
class ComputeOp(Operation):
    """The element of each result at ``axis`` is one of ``body``.

    Inlining, CINN's producer function, is ``body`` with other expressions for ``axis``.
    """
    axis: tuple[Var, ...]
    shape: tuple[Expr, ...]
    body: tuple[Expr, ...]
    reduce_axis: tuple[Var, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, axis: _collections_abc.Sequence[Var], shape: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number], body: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number], reduce_axis: _collections_abc.Sequence[Var] | None = (), *, name: str = "", tag: str = "", attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, axis: _collections_abc.Sequence[Var] = ..., shape: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] = ..., body: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] = ..., reduce_axis: _collections_abc.Sequence[Var] | None = ..., name: str = ..., tag: str = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('call_op', effect=Effect.NONE, graph_node=False)
class CallOp(Operation):
    """A result of a call.

    Attributes:
        call: The call.
        targets: The tensors it writes.
        value_slot: Which result is meant.
        is_tuple_get: Whether it takes one result out of several.
    """
    call: Call
    targets: tuple[Tensor, ...]
    value_slot: int
    is_tuple_get: bool
    __getattr__: None  # it is known what a kind has
    def __init__(self, call: Call, targets: _collections_abc.Sequence[Tensor] | None = (), value_slot: _typing.SupportsIndex = -1, is_tuple_get: bool = False, *, name: str = "", tag: str = "", attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, call: Call = ..., targets: _collections_abc.Sequence[Tensor] | None = ..., value_slot: _typing.SupportsIndex = ..., is_tuple_get: bool = ..., name: str = ..., tag: str = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('preceding_view_op', effect=Effect.NONE, graph_node=False)
class PrecedingViewOp(Operation):
    """A view of ``tensor`` by its axes up to ``preceding_axis``."""
    tensor: Tensor
    preceding_axis: int
    __getattr__: None  # it is known what a kind has
    def __init__(self, tensor: Tensor, preceding_axis: _typing.SupportsIndex = 0, *, name: str = "", tag: str = "", attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, tensor: Tensor = ..., preceding_axis: _typing.SupportsIndex = ..., name: str = ..., tag: str = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('buffer_share_op', effect=Effect.NONE, graph_node=False)
class BufferShareOp(Operation):
    """Its tensor looks at the buffer of another one."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, *, name: str = "", tag: str = "", attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name: str = ..., tag: str = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
