"""Core in pictures: what is written in boxes of its definitions, statements, expressions."""

from __future__ import annotations

from typing import Final

from relayish.core.ir import definition, stmt, symbol
from relayish.core.ir.family import Stmt
from relayish.draw.readers.box_text import (
    BOX_TEXTS,
    BoxText,
    BoxTextOf,
    statement_text,
    whole_line,
    wrapped,
)
from relayish.ir.nodes.node import Node


def _function(func: definition.FuncEntry) -> BoxText:
    return BoxText("core_func", () if func.result.is_void else (f"returns {func.result}",))


def _symbol(of: symbol.Var | symbol.Preg) -> BoxText:
    return BoxText(of.name or "_", (str(of.type),))


def _global(of: symbol.Global) -> BoxText:
    return BoxText(f"@{of.name}", (str(of.type),))


def _if(branch: stmt.If) -> BoxText:
    first, *more = wrapped(f"if {whole_line(branch.condition)}")
    return BoxText(first, tuple(more), "if", ("then", "else"))


def _do_loop(loop: stmt.DoLoop) -> BoxText:
    told = f"{whole_line(loop.init)}; {whole_line(loop.compare)}; {whole_line(loop.increment)}"
    name = f"for {whole_line(loop.iv)}"
    first, *more = wrapped(f"{name} = {told}")
    return BoxText(first, tuple(more), name)


def _while(loop: stmt.WhileDo | stmt.DoWhile) -> BoxText:
    word = "while" if isinstance(loop, stmt.WhileDo) else "do while"
    first, *more = wrapped(f"{word} {whole_line(loop.condition)}")
    return BoxText(first, tuple(more), word)


def _call(call: stmt.Call) -> BoxText:
    return BoxText(f"call @{call.entry.name}", wrapped(whole_line(call)))


def _return(leaving: stmt.Ret | stmt.Retv) -> BoxText:
    return statement_text(leaving)._replace(family="control")


_TEXTS: Final[dict[type[Node], BoxTextOf]] = {
    Stmt: statement_text,
    definition.FuncEntry: _function,
    symbol.Var: _symbol,
    symbol.Preg: _symbol,
    symbol.Global: _global,
    stmt.If: _if,
    stmt.DoLoop: _do_loop,
    stmt.WhileDo: _while,
    stmt.DoWhile: _while,
    stmt.Call: _call,
    stmt.Ret: _return,
    stmt.Retv: _return,
}
for _kind, _text in _TEXTS.items():
    BOX_TEXTS.register(_kind, _text)
