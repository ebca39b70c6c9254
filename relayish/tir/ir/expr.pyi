# What type checkers see of relayish.tir.ir.expr: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import builtins as _builtins
import collections.abc as _collections_abc
import numpy as _numpy
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import relayish.ir.values.value as _relayish_ir_values_value
import typing as _typing
from collections.abc import Mapping
from operator import attrgetter
from types import MappingProxyType
from typing import Final
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Runs
from relayish.ir.nodes.node import field, node
from relayish.tir.ir.family import ExprNode, FunctionBase, IrNode, Stmt
from relayish.tir.ir.flags import CallType, ReduceType
from relayish.tir.ir.operators import Add, And, BinaryOpNode, Div, Expr, Max, Min, Mul, Or, Sub
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.type import VOID, Type, as_type
@node('call', properties=Property.CALL)
class Call(Expr, Stmt, ExprNode):
    """A call of a function by name. It may do anything but what a rule says of the function.

    Attributes:
        dtype: The type of its value.
        name: The function.
        read_args: The arguments it reads.
        write_args: The tensors, buffers or variables it writes.
        attrs: Further attributes, which are constants.
        call_type: What the name names.
        func: What the function is, where that is known.
        value_index: Which of several results is meant; -1: the only one.
    """
    dtype: Type
    name: str
    read_args: tuple[Expr, ...]
    write_args: tuple[Expr, ...]
    call_type: CallType
    func: FunctionBase | None
    value_index: int
    attrs: DictAttrs | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type, name: str, read_args: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = (), write_args: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = (), call_type: CallType = ..., func: FunctionBase | None = None, value_index: _typing.SupportsIndex = -1, attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., name: str = ..., read_args: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = ..., write_args: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = ..., call_type: CallType = ..., func: FunctionBase | None = ..., value_index: _typing.SupportsIndex = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('reduce', effect=Effect.NONE, graph_node=False)
class Reduce(Expr, ExprNode):
    """``init`` combined with ``body`` for all values of ``reduce_axis``, in order.

    Each axis runs over its bounds, the last one fastest. Without axes, ``body`` is combined once:
    so a schedule block, which binds the axes itself, does one step.
    """
    reduce_type: ReduceType
    init: Expr
    body: Expr
    reduce_axis: tuple[Var, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, reduce_type: ReduceType, init: Expr | _relayish_ir_values_value.Number, body: Expr | _relayish_ir_values_value.Number, reduce_axis: _collections_abc.Sequence[Var] | None = (), *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, reduce_type: ReduceType = ..., init: Expr | _relayish_ir_values_value.Number = ..., body: Expr | _relayish_ir_values_value.Number = ..., reduce_axis: _collections_abc.Sequence[Var] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
REDUCE_OPERATORS: Final[Mapping[ReduceType, type[BinaryOpNode]]]
@node('argument_group', effect=Effect.NONE, graph_node=False, properties=Property.NOT_EXEC)
class ArgumentGroup(IrNode):
    """Arguments of a coarse operator that belong together."""
    values: tuple[Expr, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, values: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = (), *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, values: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('primitive_node', properties=Property.CALL)
class PrimitiveNode(Expr, Stmt, ExprNode):
    """A coarse operator by name, which a registered rule expands.

    Attributes:
        name: The operator.
        arguments: Its arguments, in groups.
        attrs: Its attributes.
        dtype: The type of its value.
    """
    name: str
    arguments: tuple[ArgumentGroup, ...]
    attrs: DictAttrs | None
    dtype: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, arguments: _collections_abc.Sequence[ArgumentGroup] | None = (), attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name: str = ..., arguments: _collections_abc.Sequence[ArgumentGroup] | None = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
