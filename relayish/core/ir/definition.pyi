# What type checkers see of relayish.core.ir.definition: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import builtins as _builtins
import collections.abc as _collections_abc
import numpy as _numpy
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import relayish.ir.values.value as _relayish_ir_values_value
import typing as _typing
from collections.abc import Iterable, Mapping
from relayish.core.ir.family import Definition, Expr
from relayish.core.ir.stmt import EMPTY, Block
from relayish.core.ir.symbol import Global, Preg, Var
from relayish.core.ir.type import VOID, Type, TypeLike, as_type, function
from relayish.errors import FieldError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import field, node
@node('func_entry', effect=Effect.NONE, graph_node=False, properties=Property.ENTRY)
class FuncEntry(Definition):
    """A function with its definition: function scope, symbol table and code.

    Attributes:
        formals: Variables that hold the arguments.
        locals: Its other variables, which hold nothing at first.
        pregs: Its pseudo registers, likewise.
        body: The code.
        result: The type of what it returns.
        type: The type of the function, its signature.
    """
    formals: tuple[Var, ...]
    locals: tuple[Var, ...]
    pregs: tuple[Preg, ...]
    body: Block
    result: Type
    attrs: DictAttrs | None
    type: Type = field(init=False)
    __getattr__: None  # it is known what a kind has
    def __init__(self, formals: _collections_abc.Sequence[Var] | None = (), locals: _collections_abc.Sequence[Var] | None = (), pregs: _collections_abc.Sequence[Preg] | None = (), body: Block = ..., result: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, formals: _collections_abc.Sequence[Var] | None = ..., locals: _collections_abc.Sequence[Var] | None = ..., pregs: _collections_abc.Sequence[Preg] | None = ..., body: Block = ..., result: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('func_decl', effect=Effect.NONE, graph_node=False, properties=Property.NOT_EXEC)
class FuncDecl(Definition):
    """A function that is declared only: another module or a library defines it."""
    type: Type
    attrs: DictAttrs | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, type: str | _numpy.dtype[_numpy.generic] | _builtins.type, attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, type: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('global_variable', effect=Effect.NONE, graph_node=False, properties=Property.NOT_EXEC)
class GlobalVariable(Definition):
    """A variable of the module, which all of its functions share.

    Attributes:
        init: What it holds at first, a literal, a constant or an address; ``None``: zeros.
        is_const: Whether it is never written.
    """
    type: Type
    init: Expr | None
    is_const: bool
    attrs: DictAttrs | None
    __getattr__: None  # it is known what a kind has
    def __init__(self, type: str | _numpy.dtype[_numpy.generic] | _builtins.type, init: Expr | _relayish_ir_values_value.Number | None = None, is_const: bool = False, attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = None, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, type: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., init: Expr | _relayish_ir_values_value.Number | None = ..., is_const: bool = ..., attrs: DictAttrs | _collections_abc.Mapping[str, object] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('struct_def', effect=Effect.NONE, graph_node=False, properties=Property.NOT_EXEC)
class StructDef(Definition):
    """A structure: fields, each with a name and a type, in order.

    The type is ``struct name`` where the module defines it as ``name``.
    """
    fields: tuple[tuple[str, Type], ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, fields: _collections_abc.Sequence[tuple[str, Type]], *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, fields: _collections_abc.Sequence[tuple[str, Type]] = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('entry', effect=Effect.NONE, graph_node=False, properties=Property.ENTRY)
class Entry(Definition):
    """An entry point: a further name by which a function is called.

    Attributes:
        function: The function.
        is_program: Whether the program begins there.
    """
    function: Global
    is_program: bool
    __getattr__: None  # it is known what a kind has
    def __init__(self, function: Global, is_program: bool = False, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, function: Global = ..., is_program: bool = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
