# What type checkers see of relayish.core.ir.stmt: generated from the kinds it declares.
# fmt: off
# mypy: disable-error-code="assignment, misc, override"
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false
import collections.abc as _collections_abc
import relayish.ir.nodes.span as _relayish_ir_nodes_span
import relayish.ir.values.value as _relayish_ir_values_value
import typing as _typing
from typing import Final
from relayish.core.ir.family import Expr, Stmt, Symbol
from relayish.core.ir.symbol import Global, Preg
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Runs
from relayish.ir.nodes.node import field, node
@node('block', effect=Effect.NONE, graph_node=False)
class Block(Stmt):
    """Statements, which run one after the other."""
    stmts: tuple[Stmt, ...]
    __getattr__: None  # it is known what a kind has
    def __init__(self, stmts: _collections_abc.Sequence[Stmt] | None = (), *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, stmts: _collections_abc.Sequence[Stmt] | None = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
EMPTY: Final = Block()
@node('if', effect=Effect.NONE, graph_node=False)
class If(Stmt):
    """Run ``then_block`` where ``condition`` holds, else ``else_block``."""
    condition: Expr
    then_block: Block
    else_block: Block
    __getattr__: None  # it is known what a kind has
    def __init__(self, condition: Expr | _relayish_ir_values_value.Number, then_block: Block, else_block: Block = ..., *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, condition: Expr | _relayish_ir_values_value.Number = ..., then_block: Block = ..., else_block: Block = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('do_loop', effect=Effect.NONE, graph_node=False)
class DoLoop(Stmt):
    """For loop: ``for (iv = init; compare; iv = increment) body``.

    ``iv`` is a variable of the function like any other, and keeps its value after the loop.
    """
    iv: Symbol
    init: Expr
    compare: Expr
    increment: Expr
    body: Block
    __getattr__: None  # it is known what a kind has
    def __init__(self, iv: Symbol, init: Expr | _relayish_ir_values_value.Number, compare: Expr | _relayish_ir_values_value.Number, increment: Expr | _relayish_ir_values_value.Number, body: Block, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, iv: Symbol = ..., init: Expr | _relayish_ir_values_value.Number = ..., compare: Expr | _relayish_ir_values_value.Number = ..., increment: Expr | _relayish_ir_values_value.Number = ..., body: Block = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('while_do', effect=Effect.NONE, graph_node=False)
class WhileDo(Stmt):
    """While loop: run ``body`` again and again as long as ``condition`` holds before."""
    condition: Expr
    body: Block
    __getattr__: None  # it is known what a kind has
    def __init__(self, condition: Expr | _relayish_ir_values_value.Number, body: Block, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, condition: Expr | _relayish_ir_values_value.Number = ..., body: Block = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('do_while', effect=Effect.NONE, graph_node=False)
class DoWhile(Stmt):
    """Do-while loop: run ``body``, and again as long as ``condition`` holds afterwards."""
    body: Block
    condition: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, body: Block, condition: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, body: Block = ..., condition: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('call', graph_node=False, properties=Property.CALL)
class Call(Stmt):
    """Call what the module defines or declares under the name ``entry``.

    Attributes:
        args: The arguments, by value.
        result: The pseudo register that takes what is returned; ``None``: nothing does.
        flags: What else is known of the call, as marks that packages give a meaning.
    """
    entry: Global
    args: tuple[Expr, ...]
    result: Preg | None
    flags: int
    __getattr__: None  # it is known what a kind has
    def __init__(self, entry: Global, args: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = (), result: Preg | None = None, flags: _typing.SupportsIndex = 0, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, entry: Global = ..., args: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = ..., result: Preg | None = ..., flags: _typing.SupportsIndex = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('icall', graph_node=False, properties=Property.CALL)
class Icall(Stmt):
    """Indirect call: of the function at ``address``; the rest is as of :class:`Call`."""
    address: Expr
    args: tuple[Expr, ...]
    result: Preg | None
    flags: int
    __getattr__: None  # it is known what a kind has
    def __init__(self, address: Expr | _relayish_ir_values_value.Number, args: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = (), result: Preg | None = None, flags: _typing.SupportsIndex = 0, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, address: Expr | _relayish_ir_values_value.Number = ..., args: _collections_abc.Sequence[Expr | _relayish_ir_values_value.Number] | None = ..., result: Preg | None = ..., flags: _typing.SupportsIndex = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('ret', effect=Effect.STATE, graph_node=False, properties=Property.END_BB)
class Ret(Stmt):
    """Leave the function, which returns nothing."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('retv', effect=Effect.STATE, graph_node=False, properties=Property.END_BB)
class Retv(Stmt):
    """Leave the function, which returns ``value``."""
    value: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, value: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, value: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('pragma', effect=Effect.STATE, graph_node=False)
class Pragma(Stmt):
    """A note to later passes, by ``name`` and ``value``, about what follows it."""
    name: str
    value: int
    __getattr__: None  # it is known what a kind has
    def __init__(self, name: str, value: _typing.SupportsIndex = 0, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, name: str = ..., value: _typing.SupportsIndex = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('validate', effect=Effect.READS | Effect.STATE, graph_node=False, properties=Property.LIB_CALL)
class Validate(Stmt):
    """Fail unless ``length`` elements at two addresses differ by at most ``epsilon`` each."""
    computed: Expr
    expected: Expr
    length: Expr
    epsilon: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, computed: Expr | _relayish_ir_values_value.Number, expected: Expr | _relayish_ir_values_value.Number, length: Expr | _relayish_ir_values_value.Number, epsilon: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, computed: Expr | _relayish_ir_values_value.Number = ..., expected: Expr | _relayish_ir_values_value.Number = ..., length: Expr | _relayish_ir_values_value.Number = ..., epsilon: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('tm_start', effect=Effect.STATE, graph_node=False, properties=Property.LIB_CALL)
class TmStart(Stmt):
    """Set the mark from which the next :class:`TmTaken` measures time."""
    remark: str
    __getattr__: None  # it is known what a kind has
    def __init__(self, remark: str = "", *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, remark: str = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('tm_taken', effect=Effect.STATE, graph_node=False, properties=Property.LIB_CALL)
class TmTaken(Stmt):
    """Tell the time since the last mark, which this is from now on."""
    remark: str
    __getattr__: None  # it is known what a kind has
    def __init__(self, remark: str = "", *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, remark: str = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('dump_var', effect=Effect.READS | Effect.STATE, graph_node=False, properties=Property.LIB_CALL)
class DumpVar(Stmt):
    """Show ``length`` elements at ``address`` under the string at ``title``."""
    title: Expr
    address: Expr
    length: Expr
    __getattr__: None  # it is known what a kind has
    def __init__(self, title: Expr | _relayish_ir_values_value.Number, address: Expr | _relayish_ir_values_value.Number, length: Expr | _relayish_ir_values_value.Number, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, title: Expr | _relayish_ir_values_value.Number = ..., address: Expr | _relayish_ir_values_value.Number = ..., length: Expr | _relayish_ir_values_value.Number = ..., span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('end_stmt_list', effect=Effect.NONE, graph_node=False, properties=Property.END_BB)
class EndStmtList(Stmt):
    """The end of a list of statements: does nothing, and nothing stands behind it in its block."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
@node('invalid', graph_node=False)
class Invalid(Stmt):
    """What must not be there: a mark of passes that are not done yet."""
    __getattr__: None  # it is known what a kind has
    def __init__(self, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = None) -> None: ...
    def with_fields(self, /, *, span: _relayish_ir_nodes_span.Span | tuple[str, int, int, int, int] | None = ...) -> _typing.Self: ...
