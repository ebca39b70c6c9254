# What type checkers see of relayish.core.ir.memory: generated from the kinds it declares.
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
from relayish.core.ir.family import Expr, Stmt, Symbol
from relayish.core.ir.symbol import Preg
from relayish.core.ir.type import VOID, Type, as_type, as_type_or_none
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access
from relayish.ir.nodes.node import field, node
@node('lda', effect=Effect.NONE, graph_node=False)
class Lda(Expr):
    """The address of a symbol: of a variable, or of a function."""
    symbol: Symbol
    __getattr__: None  # it is known what a kind has
    def __init__(self, symbol: Symbol, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, symbol: Symbol = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('idname', effect=Effect.NONE, graph_node=False)
class Idname(Expr):
    """The name of a symbol, which is not loaded."""
    symbol: Symbol
    __getattr__: None  # it is known what a kind has
    def __init__(self, symbol: Symbol, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, symbol: Symbol = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ld', effect=Effect.READS, graph_node=False)
class Ld(Expr):
    """What a symbol holds."""
    symbol: Symbol
    access_type: Type | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, symbol: Symbol, access_type: str | _numpy.dtype[_numpy.generic] | _builtins.type | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, symbol: Symbol = ..., access_type: str | _numpy.dtype[_numpy.generic] | _builtins.type | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ldf', effect=Effect.READS, graph_node=False)
class Ldf(Expr):
    """What a field of a symbol holds, which is a structure."""
    symbol: Symbol
    field_name: str
    access_type: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, symbol: Symbol, field_name: str, access_type: str | _numpy.dtype[_numpy.generic] | _builtins.type, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, symbol: Symbol = ..., field_name: str = ..., access_type: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ldo', effect=Effect.READS, graph_node=False)
class Ldo(Expr):
    """What the bytes of a symbol hold from ``offset`` on."""
    symbol: Symbol
    offset: int
    access_type: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, symbol: Symbol, offset: _typing.SupportsIndex, access_type: str | _numpy.dtype[_numpy.generic] | _builtins.type, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, symbol: Symbol = ..., offset: _typing.SupportsIndex = ..., access_type: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ild', effect=Effect.READS, graph_node=False)
class Ild(Expr):
    """What is at an address."""
    address: Expr
    access_type: Type | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, address: Expr | _relayish_ir_values_value.Number, access_type: str | _numpy.dtype[_numpy.generic] | _builtins.type | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, address: Expr | _relayish_ir_values_value.Number = ..., access_type: str | _numpy.dtype[_numpy.generic] | _builtins.type | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ldp', effect=Effect.READS, graph_node=False)
class Ldp(Expr):
    """What a pseudo register holds."""
    preg: Preg
    access_type: Type | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, preg: Preg, access_type: str | _numpy.dtype[_numpy.generic] | _builtins.type | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, preg: Preg = ..., access_type: str | _numpy.dtype[_numpy.generic] | _builtins.type | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ldpf', effect=Effect.READS, graph_node=False)
class Ldpf(Expr):
    """What a field of a pseudo register holds, which is a structure."""
    preg: Preg
    field_name: str
    access_type: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, preg: Preg, field_name: str, access_type: str | _numpy.dtype[_numpy.generic] | _builtins.type, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, preg: Preg = ..., field_name: str = ..., access_type: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('array', effect=Effect.NONE, graph_node=False)
class Array(Expr):
    """The address of an element: of the array, or of the first one of some, at ``address``.

    An array takes an index for each dimension; the address of one element is that of the first of
    a row, and takes one index.
    """
    address: Expr
    indices: tuple[Expr, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, address: Expr | _relayish_ir_values_value.Number, indices: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number], *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, address: Expr | _relayish_ir_values_value.Number = ..., indices: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('st', effect=Effect.WRITES, graph_node=False)
class St(Stmt):
    """Put ``value`` into a symbol."""
    symbol: Symbol
    value: Expr
    access_type: Type | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, symbol: Symbol, value: Expr | _relayish_ir_values_value.Number, access_type: str | _numpy.dtype[_numpy.generic] | type | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, symbol: Symbol = ..., value: Expr | _relayish_ir_values_value.Number = ..., access_type: str | _numpy.dtype[_numpy.generic] | type | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('stf', effect=Effect.WRITES, graph_node=False)
class Stf(Stmt):
    """Put ``value`` into a field of a symbol, which is a structure."""
    symbol: Symbol
    field_name: str
    value: Expr
    access_type: Type | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, symbol: Symbol, field_name: str, value: Expr | _relayish_ir_values_value.Number, access_type: str | _numpy.dtype[_numpy.generic] | type | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, symbol: Symbol = ..., field_name: str = ..., value: Expr | _relayish_ir_values_value.Number = ..., access_type: str | _numpy.dtype[_numpy.generic] | type | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('sto', effect=Effect.WRITES, graph_node=False)
class Sto(Stmt):
    """Put ``value`` into the bytes of a symbol from ``offset`` on."""
    symbol: Symbol
    offset: int
    value: Expr
    access_type: Type | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, symbol: Symbol, offset: _typing.SupportsIndex, value: Expr | _relayish_ir_values_value.Number, access_type: str | _numpy.dtype[_numpy.generic] | type | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, symbol: Symbol = ..., offset: _typing.SupportsIndex = ..., value: Expr | _relayish_ir_values_value.Number = ..., access_type: str | _numpy.dtype[_numpy.generic] | type | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ist', effect=Effect.WRITES, graph_node=False)
class Ist(Stmt):
    """Put ``value`` at an address."""
    address: Expr
    value: Expr
    access_type: Type | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, address: Expr | _relayish_ir_values_value.Number, value: Expr | _relayish_ir_values_value.Number, access_type: str | _numpy.dtype[_numpy.generic] | type | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, address: Expr | _relayish_ir_values_value.Number = ..., value: Expr | _relayish_ir_values_value.Number = ..., access_type: str | _numpy.dtype[_numpy.generic] | type | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('stp', effect=Effect.WRITES, graph_node=False)
class Stp(Stmt):
    """Put ``value`` into a pseudo register."""
    preg: Preg
    value: Expr
    access_type: Type | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, preg: Preg, value: Expr | _relayish_ir_values_value.Number, access_type: str | _numpy.dtype[_numpy.generic] | type | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, preg: Preg = ..., value: Expr | _relayish_ir_values_value.Number = ..., access_type: str | _numpy.dtype[_numpy.generic] | type | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('stpf', effect=Effect.WRITES, graph_node=False)
class Stpf(Stmt):
    """Put ``value`` into a field of a pseudo register, which is a structure."""
    preg: Preg
    field_name: str
    value: Expr
    access_type: Type | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, preg: Preg, field_name: str, value: Expr | _relayish_ir_values_value.Number, access_type: str | _numpy.dtype[_numpy.generic] | type | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, preg: Preg = ..., field_name: str = ..., value: Expr | _relayish_ir_values_value.Number = ..., access_type: str | _numpy.dtype[_numpy.generic] | type | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
def type_of(symbol: Symbol) -> Type:
    """Return the type of a symbol."""
def pointee_of(address: Expr) -> Type:
    """Return what an address is of; ``void`` for what is no address, which the verifier refuses."""
