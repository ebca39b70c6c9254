"""Visitors: every distinct node once, in pre-order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, MutableMapping
from typing import Any, ClassVar, Self

from relayish._kernel import loop
from relayish.functor.children import visits_of
from relayish.functor.functor import OVERRIDDEN, Functor, N, tables_of
from relayish.functor.memo import Finished, begin
from relayish.functor.vtable import Handler, default_handler, install_default, is_default
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind


class Visitor(Functor[N, Any]):
    """Visits every distinct node once, in pre-order; overridden handlers decide what is below them.

    A handler that does not visit the children of its node prunes them; ``visit_children`` or
    ``super().visit_<kind>(node)`` visits them. ``visit_counter`` counts how often each node was
    reached; results that handlers return are kept in ``memo_map``.

    Complexity:
        Linear in the number of distinct nodes and edges.
    """

    visit_counter: MutableMapping[Node, int]
    _push: ClassVar[ByKind]
    _visits: ClassVar[ByKind]
    _own_children: ClassVar[bool]

    def __new__(cls, *args: object, **options: object) -> Self:
        self = super().__new__(cls, *args, **options)
        self.visit_counter = defaultdict(int)
        return self

    @classmethod
    def _tabulate(cls) -> None:
        super()._tabulate()
        cls._visits = visits_of(cls.traversal)
        cls._own_children = not is_default(cls.visit_children)
        cls._push, cls._steps = tables_of(cls, cls.traversal.push_all, cls._walk, cls._leave)

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        if not cls.traversal.accepts(kind):
            return super()._missing(kind)
        handler: Handler = visits_of(cls.traversal)[kind]
        return handler

    def _begin_visit(
        self, work: Callable[..., Any], subject: object, args: tuple[object, ...]
    ) -> Any:  # Any: as the functor's
        counter, given = begin(self.visit_counter, defaultdict(int))
        self.visit_counter = counter
        try:
            return super()._begin_visit(work, subject, args)
        finally:
            self.visit_counter = Finished(self.visit_counter, counter, given)

    @loop("walk", OVERRIDDEN)
    def _walk(self, root: Node) -> None:
        """Visit what is below ``root``, calling handlers where the class overrides them."""
        counter, table, handlers = self.visit_counter, self._push, self._handlers
        stack: list[Node] = []
        pop, append, extend = stack.pop, stack.append, stack.extend
        table[type(root)](root, append, extend)
        while stack:
            node = pop()
            if node in counter:
                counter[node] += 1
                continue
            counter[node] = 1
            push = table[type(node)]
            if push is None:
                continue
            if push is OVERRIDDEN:
                result = handlers[type(node)](self, node)
                if result is not None:
                    self.memo_map[node] = result
                continue
            push(node, append, extend)

    def _leave(self, node: Node) -> None:
        """Do nothing: below ``node``, a leaf, there is nothing to visit."""

    @default_handler
    def visit_children(self, node: Node) -> object:
        """Visit the children of ``node`` in order, each through ``visit``; return ``None``."""
        if self._levels is None:
            self._begin_visit(Visitor.visit_children, node, ())
        else:
            self._visits[type(node)](self, node)
        return None


@default_handler
def _visit_children(self: Visitor[Any], node: Node) -> object:
    """Visit the children of ``node``."""
    if self._own_children or self._levels is None:
        return self.visit_children(node)
    return self._visits[type(node)](self, node)


install_default(Visitor, "visit_", _visit_children)
