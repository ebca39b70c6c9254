"""Statements: blocks, branches, loops, calls and returns, and marks for tools."""

from __future__ import annotations

from typing import Final

from relayish.core.ir.family import Expr, Stmt, Symbol
from relayish.core.ir.symbol import Global, Preg
from relayish.ir.domains.property import Property
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Access, Runs
from relayish.ir.nodes.node import field, node


@node("block", effect=Effect.NONE, graph_node=False)
class Block(Stmt):
    """Statements, which run one after the other."""

    stmts: tuple[Stmt, ...] = field(default=(), scope=Runs.ONCE, block=True)


EMPTY: Final = Block()
"""The block of nothing."""


@node("if", effect=Effect.NONE, graph_node=False)
class If(Stmt):
    """Run ``then_block`` where ``condition`` holds, else ``else_block``."""

    condition: Expr
    then_block: Block = field(scope=Runs.ONE_OF)
    else_block: Block = field(default=EMPTY, scope=Runs.ONE_OF)


@node("do_loop", effect=Effect.NONE, graph_node=False)
class DoLoop(Stmt):
    """For loop: ``for (iv = init; compare; iv = increment) body``.

    ``iv`` is a variable of the function like any other, and keeps its value after the loop.
    """

    iv: Symbol = field(access=Access.WRITE)
    init: Expr
    compare: Expr = field(scope=Runs.REPEATEDLY)
    increment: Expr = field(scope=Runs.REPEATEDLY)
    body: Block = field(scope=Runs.REPEATEDLY)


@node("while_do", effect=Effect.NONE, graph_node=False)
class WhileDo(Stmt):
    """While loop: run ``body`` again and again as long as ``condition`` holds before."""

    condition: Expr = field(scope=Runs.REPEATEDLY)
    body: Block = field(scope=Runs.REPEATEDLY)


@node("do_while", effect=Effect.NONE, graph_node=False)
class DoWhile(Stmt):
    """Do-while loop: run ``body``, and again as long as ``condition`` holds afterwards."""

    body: Block = field(scope=Runs.REPEATEDLY)
    condition: Expr = field(scope=Runs.REPEATEDLY)


@node("call", graph_node=False, properties=Property.CALL)
class Call(Stmt):
    """Call what the module defines or declares under the name ``entry``.

    Attributes:
        args: The arguments, by value.
        result: The pseudo register that takes what is returned; ``None``: nothing does.
        flags: What else is known of the call, as marks that packages give a meaning.
    """

    entry: Global
    args: tuple[Expr, ...] = ()
    result: Preg | None = field(default=None, access=Access.WRITE)
    flags: int = 0


@node("icall", graph_node=False, properties=Property.CALL)
class Icall(Stmt):
    """Indirect call: of the function at ``address``; the rest is as of :class:`Call`."""

    address: Expr
    args: tuple[Expr, ...] = ()
    result: Preg | None = field(default=None, access=Access.WRITE)
    flags: int = 0


@node("ret", effect=Effect.STATE, graph_node=False, properties=Property.END_BB)
class Ret(Stmt):
    """Leave the function, which returns nothing."""


@node("retv", effect=Effect.STATE, graph_node=False, properties=Property.END_BB)
class Retv(Stmt):
    """Leave the function, which returns ``value``."""

    value: Expr


@node("pragma", effect=Effect.STATE, graph_node=False)
class Pragma(Stmt):
    """A note to later passes, by ``name`` and ``value``, about what follows it."""

    name: str
    value: int = 0


@node(
    "validate", effect=Effect.READS | Effect.STATE, graph_node=False, properties=Property.LIB_CALL
)
class Validate(Stmt):
    """Fail unless ``length`` elements at two addresses differ by at most ``epsilon`` each."""

    computed: Expr = field(access=Access.READ | Access.INDIRECT)
    expected: Expr = field(access=Access.READ | Access.INDIRECT)
    length: Expr
    epsilon: Expr


@node("tm_start", effect=Effect.STATE, graph_node=False, properties=Property.LIB_CALL)
class TmStart(Stmt):
    """Set the mark from which the next :class:`TmTaken` measures time."""

    remark: str = ""


@node("tm_taken", effect=Effect.STATE, graph_node=False, properties=Property.LIB_CALL)
class TmTaken(Stmt):
    """Tell the time since the last mark, which this is from now on."""

    remark: str = ""


@node(
    "dump_var", effect=Effect.READS | Effect.STATE, graph_node=False, properties=Property.LIB_CALL
)
class DumpVar(Stmt):
    """Show ``length`` elements at ``address`` under the string at ``title``."""

    title: Expr = field(access=Access.READ | Access.INDIRECT)
    address: Expr = field(access=Access.READ | Access.INDIRECT)
    length: Expr


@node("end_stmt_list", effect=Effect.NONE, graph_node=False, properties=Property.END_BB)
class EndStmtList(Stmt):
    """The end of a list of statements: does nothing, and nothing stands behind it in its block."""


@node("invalid", graph_node=False)
class Invalid(Stmt):
    """What must not be there: a mark of passes that are not done yet."""
