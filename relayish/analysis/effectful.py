"""Effectful nodes: those of which evaluating may do more than give a value."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeAlias

from relayish.analysis.effects import Effects
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr, Tuple
from relayish.ir.relay.module import IRModule
from relayish.ir.scopes.scoping import PROGRAM

FindEffectful: TypeAlias = Callable[[Expr], Collection[Node]]
"""Tells which nodes of an expression may do more than give a value."""


def find_effectful_nodes(expr: Expr, mod: IRModule | None = None) -> frozenset[Node]:
    """Return the effectful nodes in ``expr``, and in the functions it may call.

    Complexity:
        Linear in distinct nodes, of ``expr`` and of the functions of ``mod`` it may call.
    """
    return Effects(expr, mod).effectful_nodes()


class EffectfulNodes:
    """The effectful nodes of the functions of one module, found once for all.

    Asking for each function by itself would look at what it calls again for every caller.

    Complexity:
        Linear in the module the first time; then in what is asked for.
    """

    def __init__(self, mod: IRModule) -> None:
        self._mod = mod
        self._found: frozenset[Node] | None = None

    def __call__(self, expr: Expr) -> frozenset[Node]:
        """Return the effectful nodes in ``expr``, a part of a function of the module."""
        if self._found is None:
            functions = Tuple(tuple(self._mod.functions_of(Expr).values()))
            self._found = find_effectful_nodes(functions, self._mod)
        return self._found.intersection(PROGRAM.post_order(expr)) if self._found else self._found
