# What type checkers see of relayish.tir.ir.intrinsic: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import builtins as _builtins
import collections.abc as _collections_abc
import numpy as _numpy
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import relayish.ir.values.value as _relayish_ir_values_value
import typing as _typing
from operator import attrgetter
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access
from relayish.ir.nodes.node import field, node
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.type import POD_VALUE_POINTER, VOID, VOID_POINTER, Type, as_type
class IntrinsicOp(Expr, Stmt):
    """CINN's ``IntrinsicOp``: an operation on buffers and packed arguments."""
    __slots__ = ()
    visit_name = 'intrinsic_op'
@node('buffer_get_data_handle', effect=Effect.NONE, graph_node=False)
class BufferGetDataHandle(IntrinsicOp):
    """The address of the data of ``buffer``."""
    buffer: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, buffer: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, buffer: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('buffer_get_data_const_handle', effect=Effect.NONE, graph_node=False)
class BufferGetDataConstHandle(IntrinsicOp):
    """The address of the data of ``buffer``, to read only."""
    buffer: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, buffer: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, buffer: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('pod_value_to_x', effect=Effect.NONE, graph_node=False)
class PodValueToX(IntrinsicOp):
    """The packed argument ``pod_value_ptr`` as a value of ``dtype``."""
    pod_value_ptr: Expr
    dtype: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, pod_value_ptr: Expr | _relayish_ir_values_value.Number, dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, pod_value_ptr: Expr | _relayish_ir_values_value.Number = ..., dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('buffer_create', effect=Effect.STATE, graph_node=False)
class BufferCreate(IntrinsicOp):
    """Make the structure that describes ``buffer``; its memory is a matter of ``Alloc``."""
    buffer: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, buffer: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, buffer: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('get_addr', effect=Effect.NONE, graph_node=False)
class GetAddr(IntrinsicOp):
    """The address of ``data``."""
    data: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, data: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, data: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('args_construct', effect=Effect.STATE, graph_node=False)
class ArgsConstruct(IntrinsicOp):
    """Pack ``args`` into the array ``var``; its value is the address of the array."""
    var: Var
    args: tuple[Expr, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, var: Var, args: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number], *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, var: Var = ..., args: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('builtin_intrin', effect=Effect.NONE, graph_node=False)
class BuiltinIntrin(IntrinsicOp):
    """A function that the compiler of the target knows by name, such as ``sqrt``.

    Attributes:
        id: The number by which that compiler knows it.
        arg_nums: How many arguments tell overloads of it apart.
    """
    name: str
    args: tuple[Expr, ...]
    dtype: Type
    id: int
    arg_nums: int
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, args: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number], dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type, id: _typing.SupportsIndex = -1, arg_nums: _typing.SupportsIndex = 0, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name: str = ..., args: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] = ..., dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., id: _typing.SupportsIndex = ..., arg_nums: _typing.SupportsIndex = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
