"""Core in pictures: what is written in boxes of its definitions, statements, expressions."""

from __future__ import annotations

from relayish.core.ir import definition, stmt, symbol
from relayish.core.ir.family import Stmt
from relayish.draw.readers.box_text import (
    BOX_TEXTS,
    BoxText,
    statement_text,
    whole_line,
    wrapped,
)


@BOX_TEXTS.register(definition.FuncEntry)
def _function(func: definition.FuncEntry) -> BoxText:
    return BoxText("core_func", () if func.result.is_void else (f"returns {func.result}",))


@BOX_TEXTS.register(symbol.Var)
@BOX_TEXTS.register(symbol.Preg)
def _symbol(of: symbol.Var | symbol.Preg) -> BoxText:
    return BoxText(of.name or "_", (str(of.type),))


@BOX_TEXTS.register(symbol.Global)
def _global(of: symbol.Global) -> BoxText:
    return BoxText(f"@{of.name}", (str(of.type),))


@BOX_TEXTS.register(stmt.If)
def _if(branch: stmt.If) -> BoxText:
    first, *more = wrapped(f"if {whole_line(branch.condition)}")
    return BoxText(first, tuple(more), "if", ("then", "else"))


@BOX_TEXTS.register(stmt.DoLoop)
def _do_loop(loop: stmt.DoLoop) -> BoxText:
    told = f"{whole_line(loop.init)}; {whole_line(loop.compare)}; {whole_line(loop.increment)}"
    name = f"for {whole_line(loop.iv)}"
    first, *more = wrapped(f"{name} = {told}")
    return BoxText(first, tuple(more), name)


@BOX_TEXTS.register(stmt.WhileDo)
@BOX_TEXTS.register(stmt.DoWhile)
def _while(loop: stmt.WhileDo | stmt.DoWhile) -> BoxText:
    word = "while" if isinstance(loop, stmt.WhileDo) else "do while"
    first, *more = wrapped(f"{word} {whole_line(loop.condition)}")
    return BoxText(first, tuple(more), word)


@BOX_TEXTS.register(stmt.Call)
def _call(call: stmt.Call) -> BoxText:
    return BoxText(f"call @{call.entry.name}", wrapped(whole_line(call)))


@BOX_TEXTS.register(stmt.Ret)
@BOX_TEXTS.register(stmt.Retv)
def _return(leaving: stmt.Ret | stmt.Retv) -> BoxText:
    return statement_text(leaving)._replace(family="control")


BOX_TEXTS.register(Stmt, statement_text)
