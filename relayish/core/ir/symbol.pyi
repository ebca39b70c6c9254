# What type checkers see of relayish.core.ir.symbol: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import builtins as _builtins
import numpy as _numpy
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import typing as _typing
from relayish.core.ir.family import Symbol
from relayish.core.ir.type import INT32, Type, as_type
from relayish.errors import FieldError
from relayish.ir.fields.roles import Atom
from relayish.ir.nodes.node import field, node
@node('var', atom=Atom.VARIABLE)
class Var(Symbol):
    """A formal or local variable of a function: memory of its own, whose address may be taken.

    It is the object that counts, the name is for people.
    """
    name: str
    type: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, type: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name: str = ..., type: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('preg', atom=Atom.VARIABLE)
class Preg(Symbol):
    """A pseudo register of a function, which holds a value and has no address."""
    loaded_by = 'ldp'
    type: Type
    name: str
    __getattr__: None  # it is known what a kind has
    def __init__(self, type: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., name: str = "", *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, type: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., name: str = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('global', atom=Atom.NAME)
class Global(Symbol):
    """The name of what the module defines: a variable, a function, or an entry point.

    Attributes:
        type: That of the variable, or of the function.
    """
    names_definition_ = True
    name: str
    type: Type
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, type: str | _numpy.dtype[_numpy.generic] | _builtins.type, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name: str = ..., type: str | _numpy.dtype[_numpy.generic] | _builtins.type = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
