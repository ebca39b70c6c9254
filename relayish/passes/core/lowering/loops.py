"""Counting loops of core: their variable is changed by nothing but the loop."""

from __future__ import annotations

from typing import Any

from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.family import Expr, Stmt
from relayish.core.ir.memory import type_of
from relayish.core.ir.stmt import DoLoop
from relayish.core.ir.symbol import Preg, Var
from relayish.dataflow import solve
from relayish.dataflow.analyses.liveness import Liveness
from relayish.dataflow.graph.mod_ref import mod_ref_of
from relayish.domain import AnalyzeCtx, DefaultHandler, Visitor
from relayish.domain.dispatch import Dispatch
from relayish.ir.nodes.node import Node


class CountingLoops:
    """The loops of a function whose variable is changed by nothing but themselves.

    Complexity:
        Linear in the function, but where loops carry what is live in turns.
    """

    def __init__(self, func: FuncEntry) -> None:
        self._func = func
        self._found = _Found()
        Visitor(self._found, _FindWrites, occurrences=True).visit(func.body)
        self._live: Any = None  # Any: a solution, made when somebody asks

    def counts(self, loop: DoLoop) -> bool:
        """Return whether a loop counts in an integer that nothing but itself changes."""
        local = isinstance(loop.iv, (Var, Preg)) and type_of(loop.iv).is_integer
        return local and loop not in self._found.broken

    def is_read_after(self, loop: DoLoop) -> bool:
        """Return whether the variable may be read when the loop has ended."""
        if self._live is None:
            [self._live] = solve([Liveness()], self._func)
        return loop.iv in self._live.after(loop)


class _Found(AnalyzeCtx):
    """The loops around what is visited, by variable, and those whose variable is changed."""

    def __init__(self) -> None:
        self.around: dict[Node, list[DoLoop]] = {}
        self.broken: set[Node] = set()

    def handle_unknown_domain(self, visitor: Dispatch, node: Node) -> Any:  # Any: as the base
        return self.handle_node(visitor, node)


class _FindWrites(DefaultHandler, domain="core"):
    """Finds loops in which their variable is changed."""

    def handle_expr(self, visitor: Dispatch, node: Expr) -> None:
        """Do nothing: expressions change nothing."""

    def handle_stmt(self, visitor: Dispatch, node: Stmt) -> None:
        found: _Found = visitor.context
        accessed = mod_ref_of(node)
        for place in (*accessed.overwrites, *accessed.changes):
            found.broken.update(found.around.get(place, ()))
        visitor.visit_by_default(node)

    def handle_do_loop(self, visitor: Dispatch, node: DoLoop) -> None:
        found: _Found = visitor.context
        around = found.around.setdefault(node.iv, [])
        found.broken.update(around)
        around.append(node)
        visitor.visit(node.body)
        around.pop()
