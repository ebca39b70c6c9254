"""A visitor that works in post-order on an explicit stack."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from relayish._support.segments import descend
from relayish.functor.expr_functor import ExprVisitor
from relayish.functor.functor import OVERRIDDEN, Functor
from relayish.functor.vtable import Handler, VTable, default_handler, find_handler
from relayish.ir.node import Node
from relayish.ir.relay.expr import Call, Expr, Tuple, TupleGetItem

_DATAFLOW: Final[frozenset[type[Node]]] = frozenset({Call, Tuple, TupleGetItem})
"""The kinds that are always handled after their children."""


class MixedModeVisitor(ExprVisitor):
    """Visits children before parents on an explicit stack.

    ``visit_call``, ``visit_tuple`` and ``visit_tuple_getitem`` are called when everything below
    their node was visited, and have nothing to visit themselves. A handler of another kind decides
    what is visited below its node, as in :class:`ExprVisitor`; kinds without a handler are walked.

    Args:
        visit_limit: How often, 1 to 9, a node that is reached repeatedly is handled.

    Source:
        Relay ``MixedModeVisitor``.
    """

    visit_limit: int = 1
    _after: ClassVar[VTable]

    def __init__(self, visit_limit: int = 1) -> None:
        if not 1 <= visit_limit <= 9:
            raise ValueError(f"visit_limit must be 1 to 9; found {visit_limit!r}")
        self.visit_limit = visit_limit

    @classmethod
    def _tabulate(cls) -> None:
        super()._tabulate()
        step = cls._push
        push_all = cls.traversal.push_all

        def handled_after(kind: type[Node]) -> bool:
            return kind in _DATAFLOW and not cls._intercepts

        cls._push = VTable(lambda kind: push_all[kind] if handled_after(kind) else step[kind])
        cls._after = VTable(
            lambda kind: find_handler(cls, "visit_", kind) if handled_after(kind) else None
        )

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        return MixedModeVisitor.visit_call if kind in _DATAFLOW else super()._missing(kind)

    @default_handler
    def visit(self, node: Expr, *args: Any) -> Any:  # Any: whatever the handlers take and return
        """Visit ``node`` and what is below it; return what its handler returned last, if ever."""
        if args:
            return Functor.visit(self, node, *args)
        levels = self._levels
        if levels.depth >= levels.limit:
            return descend(self, node, MixedModeVisitor.visit, self, node)
        self._push[type(node)]  # raises for what is no node: None would be a mark on the stack
        levels.depth += 1
        try:
            self._walk(node)
        finally:
            levels.depth -= 1
        return self.memo_map.get(node)

    def _walk(self, root: Node) -> None:
        counter, table, after = self.visit_counter, self._push, self._after
        limit = self.visit_limit
        stack: list[Node | None] = [root]
        pop, append, extend = stack.pop, stack.append, stack.extend
        while stack:
            node = pop()
            if node is None:
                node = pop()
                assert node is not None
                result = after[type(node)](self, node)
                if result is not None:
                    self.memo_map[node] = result
                continue
            counter[node] += 1
            if counter[node] > limit:
                continue
            push = table[type(node)]
            if push is None:
                continue
            if push is OVERRIDDEN:
                if type(node) in _DATAFLOW:  # visit() is overridden: children go through it
                    self.visit_children(node)
                result = self._handlers[type(node)](self, node)
                if result is not None:
                    self.memo_map[node] = result
                continue
            if after[type(node)] is not None:
                append(node)
                append(None)
            push(node, append, extend)

    @default_handler
    def visit_call(self, call: Call) -> object:
        """Do nothing: what is below ``call`` was visited before."""

    @default_handler
    def visit_tuple(self, tup: Tuple) -> object:
        """Do nothing: what is below ``tup`` was visited before."""

    @default_handler
    def visit_tuple_getitem(self, item: TupleGetItem) -> object:
        """Do nothing: what is below ``item`` was visited before."""
