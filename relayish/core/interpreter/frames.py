"""Frames of functions: which symbols are values, and which need memory."""

from __future__ import annotations

from typing import Any, Final

from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.family import Symbol
from relayish.core.ir.memory import Lda, Ldf, Ldo, Ldpf, Stf, Sto, Stpf, type_of
from relayish.core.ir.symbol import Preg, Var
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM

_BY_PLACE: Final = (Lda, Ldf, Ldo, Ldpf, Stf, Sto, Stpf)
"""Kinds that need the bytes of a symbol."""


class Code:
    """A function, and those of its symbols that need memory.

    They are what is no scalar, what has an address or a part that somebody asks for, and what is
    loaded or stored as another type; all others are held as values. Those whose address is taken
    have one from the beginning, in order, so that addresses do not depend on who asks first.

    Complexity:
        Linear in the function.
    """

    def __init__(self, func: FuncEntry) -> None:
        self.func = func
        self.body = func.body
        self.formals = func.formals
        needed = {each for each in _symbols_of(func) if not type_of(each).is_scalar}
        addressed: set[Symbol] = set()
        for node in PROGRAM.pre_order(func.body):
            needed |= _needing_memory(node)
            if isinstance(node, Lda):
                addressed.add(node.symbol)
        self.in_memory = [each for each in _symbols_of(func) if each in needed]
        self.addressed = [each for each in self.in_memory if each in addressed]


def _symbols_of(func: FuncEntry) -> list[Symbol]:
    return [*func.formals, *func.locals, *func.pregs]


def _needing_memory(node: Node) -> set[Symbol]:
    symbol: Any = getattr(node, "symbol", None) or getattr(node, "preg", None)
    if not isinstance(symbol, (Var, Preg)):
        return set()
    if isinstance(node, _BY_PLACE):
        return {symbol}
    accessed = getattr(node, "access_type", None)
    return {symbol} if accessed is not None and accessed != symbol.type else set()
