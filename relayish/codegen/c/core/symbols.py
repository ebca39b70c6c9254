"""Symbols of functions of core in C: which are variables, which memory, and what is noted of them.

A variable needs a flag where it may be read before it holds a value, memory a mark for each byte,
unless all of it is stored at the beginning, and nothing can take that back: only values of arrays
and structures can, which hold marks themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from relayish.core.interpreter.frames import Code
from relayish.core.ir import memory as mem
from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.expr import Ldc, Literal
from relayish.core.ir.family import Expr, Symbol
from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM


class Symbols(NamedTuple):
    """The symbols of a function.

    Attributes:
        in_memory: Those whose bytes may be asked for, in order.
        addressed: Those of these whose address is taken, in order.
        exposed: Those of these whose address is more than where something is accessed at once.
        whole: Memory all of which holds something wherever it is used.
        read: Those that are loaded.
    """

    in_memory: tuple[Symbol, ...]
    addressed: tuple[Symbol, ...]
    exposed: frozenset[Symbol]
    whole: frozenset[Symbol]
    read: frozenset[Node]


def symbols_of(func: FuncEntry, *, keeps_whole: bool) -> Symbols:
    """Return what is known of the symbols of a function.

    Args:
        func: The function, which keeps the rules.
        keeps_whole: Whether no statement of the module can take back that memory holds something.
    """
    code = Code(func)
    nodes = list(PROGRAM.pre_order(func.body))
    read = {node.symbol for node in nodes if isinstance(node, (mem.Ld, mem.Lda, mem.Ldf, mem.Ldo))}
    read |= {node.preg for node in nodes if isinstance(node, (mem.Ldp, mem.Ldpf))}
    whole = _stored_whole(func) if keeps_whole else frozenset()
    return Symbols(
        tuple(code.in_memory),
        tuple(code.addressed),
        frozenset([symbol for node in nodes for symbol in _exposed_by(node)]),
        whole,
        frozenset(read),
    )


def _exposed_by(node: Node) -> Iterator[Symbol]:
    """Yield the symbols whose address a node does more with than to access what is there."""
    taken = list(PROGRAM.children(node))
    if isinstance(node, (mem.Ild, mem.Ist, mem.Array)):
        taken.remove(node.address)
    for each in taken:
        while isinstance(each, mem.Array):
            each = each.address  # noqa: PLW2901 - what it is the address in
        if isinstance(each, mem.Lda):
            yield each.symbol


def moves_values(mod: AnyModule) -> bool:
    """Return whether a module loads arrays or structures as values from memory."""
    return any(
        isinstance(node, Expr)
        and not isinstance(node, (Literal, Ldc))
        and (node.type.is_array or node.type.is_struct)
        for definition in mod.functions_of(FuncEntry).values()
        for node in PROGRAM.pre_order(definition)
    )


def _stored_whole(func: FuncEntry) -> frozenset[Symbol]:
    """Return the memory that a function stores all of before anything else is done with it."""
    found: set[Symbol] = {each for each in func.formals if each.type.is_scalar}
    seen: set[Node] = set()
    for stmt in func.body.stmts:
        inside = set(PROGRAM.pre_order(stmt))
        if isinstance(stmt, (mem.St, mem.Stp)):
            symbol = stmt.symbol if isinstance(stmt, mem.St) else stmt.preg
            if symbol not in seen and symbol not in PROGRAM.pre_order(stmt.value):
                found.add(symbol)
        seen |= inside
    return frozenset(found)
