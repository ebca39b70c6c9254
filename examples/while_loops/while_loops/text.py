"""The text of a loop: ``while (%i: int32 = %x) cond { less(%i, 3) } do { add(%i, 1) }``."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from relayish.text import NodeReader, NodeWriter, register_text
from while_loops.kinds import While


def write_while(writer: NodeWriter, loop: While) -> Generator[Any, Any, None]:
    """Write what follows the keyword."""
    writer.write(f" ({writer.declare(loop, 'var')} = {writer.operand(loop.init)}) cond ")
    yield writer.block(loop, "cond")
    writer.write(" do ")
    yield writer.block(loop, "body")


def read_while(reader: NodeReader, start: int) -> Generator[Any, Any, While]:
    """Read what follows the keyword."""
    reader.expect("(", "after while")
    var = yield reader.read_binder()
    reader.expect("=", "after the variable of a while")
    init = yield reader.read_expression()
    reader.expect(")", "after the first value of a while")
    reader.expect("cond", "before the condition of a while")
    cond = yield reader.read_block(var)
    reader.expect("do", "before the body of a while")
    body = yield reader.read_block(var)
    return While(var, init, cond, body, span=reader.span(start, reader.pos))


register_text(While, "while", write=write_while, read=read_while)
