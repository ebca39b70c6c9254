# What type checkers see of relayish.tir.ir.tensor: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import builtins as _builtins
import collections.abc as _collections_abc
import numpy as _numpy
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import relayish.ir.values.value as _relayish_ir_values_value
import relayish.tir.ir.target as _relayish_tir_ir_target
import typing as _typing
from operator import attrgetter
from typing import NoReturn
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Atom
from relayish.ir.nodes.node import field, node
from relayish.tir.ir.family import ExprNode, FunctionBase, Stmt
from relayish.tir.ir.flags import MemoryType
from relayish.tir.ir.operators import Expr, Operand, as_expr
from relayish.tir.ir.target import UNKNOWN_TARGET, Target
from relayish.tir.ir.type import BUFFER_POINTER, FLOAT32, INT32, Type, as_type
class Parameter(Expr, ExprNode):
    """What is known by a name in a scope: a scalar or a buffer. It is the object that counts."""
    __slots__ = ()
    visit_name = 'parameter'
@node('var', atom=Atom.VARIABLE)
class Var(Parameter):
    """A scalar variable: an index of a loop, an axis, or a value that ``Let`` names.

    The bounds say where it lies, in ``[lower_bound, upper_bound)``: of an axis of a reduction they
    are what it runs over, of others what is known of them.
    """
    name: str
    dtype: Type
    lower_bound: Expr | None
    upper_bound: Expr | None
    is_reduce_axis: bool
    tag: str
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., lower_bound: Expr | _relayish_ir_values_value.Number | None = None, upper_bound: Expr | _relayish_ir_values_value.Number | None = None, is_reduce_axis: bool = False, tag: str = "", *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name: str = ..., dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., lower_bound: Expr | _relayish_ir_values_value.Number | None = ..., upper_bound: Expr | _relayish_ir_values_value.Number | None = ..., is_reduce_axis: bool = ..., tag: str = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('buffer', atom=Atom.VARIABLE)
class Buffer(Parameter):
    """A piece of memory that holds elements of ``dtype``.

    Attributes:
        shape: The size of each dimension, in elements.
        strides: The distance of neighbours in each dimension, in elements; none: row by row.
        scope: Where it is stored; ``""``: in global memory.
        elem_offset: Where the first element is, in elements; ``None``: 0.
        offset_factor: What the offset is a multiple of; 0: nothing is known.
        data_alignment: Of the address, in bytes; 0: nothing is known.
    """
    name: str
    shape: tuple[Expr, ...]
    dtype: Type
    strides: tuple[Expr, ...]
    elem_offset: Expr | None
    offset_factor: int
    scope: str
    target: Target
    data_alignment: int
    memory_type: MemoryType
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, shape: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = (), dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., strides: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = (), elem_offset: Expr | _relayish_ir_values_value.Number | None = None, offset_factor: _typing.SupportsIndex = 0, scope: str = "", target: Target | tuple[_relayish_tir_ir_target.TargetOS, _relayish_tir_ir_target.TargetArch, _relayish_tir_ir_target.TargetBits, tuple[str, ...], tuple[str, ...]] = ..., data_alignment: _typing.SupportsIndex = 0, memory_type: MemoryType = ..., *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name: str = ..., shape: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = ..., dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., strides: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = ..., elem_offset: Expr | _relayish_ir_values_value.Number | None = ..., offset_factor: _typing.SupportsIndex = ..., scope: str = ..., target: Target | tuple[_relayish_tir_ir_target.TargetOS, _relayish_tir_ir_target.TargetArch, _relayish_tir_ir_target.TargetBits, tuple[str, ...], tuple[str, ...]] = ..., data_alignment: _typing.SupportsIndex = ..., memory_type: MemoryType = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('buffer_range', effect=Effect.NONE, graph_node=False)
class BufferRange(Expr, ExprNode):
    """A part of a buffer: in each dimension, the bounds of one of ``ranges``."""
    buffer: Expr
    ranges: tuple[Var, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, buffer: Expr | _relayish_ir_values_value.Number, ranges: _collections_abc.Sequence[Var] | None = (), *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, buffer: Expr | _relayish_ir_values_value.Number = ..., ranges: _collections_abc.Sequence[Var] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('tensor', effect=Effect.NONE, graph_node=False)
class Tensor(Expr, ExprNode):
    """A view of a buffer as an array of ``shape``; several may look at one buffer.

    ``A[i, j]`` and ``A(i, j)`` load an element. A tensor without a buffer is inline: its elements
    are computed by its ``operation`` where they are used.

    Attributes:
        name: Unique among the tensors of a function.
        shape: The size of each dimension.
        domain: The domain of each axis, where it is not the shape.
        operation: What computes it.
        axis: The variables of ``operation`` for the dimensions.
        reduce_axis: Those it reduces over.
    """
    name: str
    shape: tuple[Expr, ...]
    dtype: Type
    buffer: Expr | None
    operation: FunctionBase | None
    axis: tuple[Var, ...]
    reduce_axis: tuple[Var, ...]
    domain: tuple[Expr, ...]
    new_indices: tuple[Expr, ...]
    __iter__ = None
    def __getitem__(self, indices: Operand | tuple[Operand, ...]) -> Load:
        """Return the load of the element at ``indices``, expressions or integers."""
    def __call__(self, *indices: Operand) -> Load:
        """Return the load of the element at ``indices``, as CINN writes it."""
    def __bool__(self) -> bool: ...
    def __contains__(self, item: object) -> NoReturn:
        """Refuse: whether an element has some value is not known before it runs."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, shape: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number], dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., buffer: Expr | _relayish_ir_values_value.Number | None = None, operation: FunctionBase | None = None, axis: _collections_abc.Sequence[Var] | None = (), reduce_axis: _collections_abc.Sequence[Var] | None = (), domain: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = (), new_indices: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = (), *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name: str = ..., shape: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] = ..., dtype: Type | tuple[str, int, int, bool] | str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., buffer: Expr | _relayish_ir_values_value.Number | None = ..., operation: FunctionBase | None = ..., axis: _collections_abc.Sequence[Var] | None = ..., reduce_axis: _collections_abc.Sequence[Var] | None = ..., domain: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = ..., new_indices: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('load', effect=Effect.READS, graph_node=False)
class Load(Expr, ExprNode):
    """The element at ``indices`` of a tensor, or, without indices, what a scalar variable holds.

    With vectors among the indices it is a vector of elements.
    """
    tensor: Expr
    indices: tuple[Expr, ...]
    @property
    def is_addr_tensor(self) -> bool:
        """Whether it loads from a tensor."""
    @property
    def is_addr_scalar(self) -> bool:
        """Whether it loads a scalar variable."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, tensor: Expr | _relayish_ir_values_value.Number, indices: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = (), *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, tensor: Expr | _relayish_ir_values_value.Number = ..., indices: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('store', effect=Effect.WRITES, graph_node=False)
class Store(Stmt, ExprNode):
    """Put ``value`` at ``indices`` of a tensor, or, without indices, into a scalar variable."""
    tensor: Expr
    value: Expr
    indices: tuple[Expr, ...]
    @property
    def is_addr_tensor(self) -> bool:
        """Whether it stores to a tensor."""
    @property
    def is_addr_scalar(self) -> bool:
        """Whether it stores to a scalar variable."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, tensor: Expr | _relayish_ir_values_value.Number, value: Expr | _relayish_ir_values_value.Number, indices: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = (), *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, tensor: Expr | _relayish_ir_values_value.Number = ..., value: Expr | _relayish_ir_values_value.Number = ..., indices: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
