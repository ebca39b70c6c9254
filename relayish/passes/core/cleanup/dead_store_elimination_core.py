"""Dead-store elimination in core: drop stores to symbols that nobody reads afterwards.

Before::

    x = 1
    y = x * 2
    x = 5
    return x

After::

    x = 5
    return x
"""

from __future__ import annotations

from typing import Any

from relayish._support.collector import pause_collection
from relayish.core.ir.definition import FuncEntry
from relayish.core.ir.family import Expr, Stmt
from relayish.domain import REMOVED, DefaultHandler, TransformCtx, Visitor
from relayish.domain.dispatch import Dispatch
from relayish.ir.nodes.node import Node
from relayish.pass_infra import register_pass
from relayish.passes.core.cleanup import needed_by_handlers, needed_by_solver


@register_pass("DeadStoreEliminationCore", opt_level=1, idempotent=True)
def eliminate_dead_stores_core(func: FuncEntry, *, solver: bool = False) -> FuncEntry:
    """Dead-store elimination: drop stores to symbols that nobody reads afterwards.

    A store to a local variable or a pseudo register goes if no path leads from it to a read of
    what it writes by something that stays. Variables whose address is taken are left alone, and so
    are formals, variables of the module, and a store of what a symbol holds anyway. An array or a
    structure counts as a whole. What a store evaluates goes with it, unless that does more than
    read: an error that it would have been is none any more.

    Args:
        func: The function.
        solver: Whether the solver of data-flow problems finds what is needed. Otherwise handlers
            do, which visit the function backwards; what goes is the same.

    Returns:
        ``func`` itself where everything is needed.

    Complexity:
        Linear in statements and distinct expressions, but where loops carry what is live in turns;
        once more after stores went, which may have been all that took the address of a variable.

    Source:
        AIR ``DEAD_STORE_ELIM``, which counts the uses of versions of variables.
    """
    with pause_collection():
        find_needed = needed_by_solver.find_needed if solver else needed_by_handlers.find_needed
        while True:
            remove = _Remove(find_needed(func))
            body = Visitor(_Rebuild(), remove, occurrences=False).visit(func.body)
            if body is func.body:
                return func
            func = func.with_fields(body=body)


class _Rebuild(TransformCtx):
    """Rebuilds nodes of any domain."""

    def handle_unknown_domain(self, visitor: Dispatch, node: Node) -> Any:  # Any: as the base
        return self.handle_node(visitor, node)


class _Remove(DefaultHandler, domain="core"):
    """Removes the stores that are not needed."""

    def __init__(self, needed: set[Node]) -> None:
        super().__init__()
        self._needed = needed

    def handle_st(self, _visitor: Dispatch, node: Stmt) -> Any:  # Any: a node, or REMOVED
        return node if node in self._needed else REMOVED

    handle_stf = handle_sto = handle_ist = handle_stp = handle_stpf = handle_st

    def handle_expr(self, _visitor: Dispatch, node: Expr) -> Node:
        """Leave expressions as they are: no statement is in them."""
        return node
