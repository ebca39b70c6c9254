"""Post-order on an explicit stack: functors whose handlers see a node after all below it.

:class:`PostOrderVisitor` visits so, :class:`Rewriter` rebuilds so: ``rewrite_<kind>(pre, post)``
gets the node of the program and the same node over its rewritten children. Such handlers never
recurse, so no program is too deep for them.
"""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar

from relayish._kernel import loop
from relayish.functor.functor import OVERRIDDEN
from relayish.functor.mutator import Mutator
from relayish.functor.visitor import Visitor
from relayish.functor.vtable import (
    Handler,
    check_handlers,
    default_handler,
    find_handler,
    install_default,
)
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind

N = TypeVar("N", bound=Node)


class PostOrderVisitor(Visitor[N]):
    """Visits children before parents on an explicit stack.

    A handler is called when everything below its node was visited, and has nothing to visit itself.

    Args:
        visit_limit: How often, 1 to 9, a node that is reached repeatedly is handled.

    Complexity:
        Linear in the number of distinct nodes and edges.
    """

    post_order: ClassVar[frozenset[type[Node]] | None] = None
    """The kinds that are handled after what is below them, if not all. A handler of another kind
    decides what is visited below its node; kinds without a handler are walked."""
    _after: ClassVar[ByKind]

    def __init__(self, visit_limit: int = 1) -> None:
        if not 1 <= visit_limit <= 9:
            raise ValueError(f"visit_limit must be 1 to 9; found {visit_limit!r}")
        self.visit_limit = visit_limit

    @classmethod
    def _is_post_order(cls, kind: type[Node]) -> bool:
        return cls.post_order is None or kind in cls.post_order

    @classmethod
    def _tabulate(cls) -> None:
        super()._tabulate()
        push_of, push_all = cls._push, cls.traversal.push_all

        def engine_asks(kind: type[Node]) -> bool:
            """Whether the loop calls the handler of ``kind`` when what is below was visited."""
            return cls._is_post_order(kind) and not cls._intercepts

        def push(kind: type[Node]) -> object:
            found = push_of[kind]  # raises for what is no node of the family
            return push_all[kind] if engine_asks(kind) else found

        def step(kind: type[Node]) -> Handler:
            push_of[kind]
            return cls._walk

        def after(kind: type[Node]) -> Handler | None:
            return find_handler(cls, "visit_", kind) if engine_asks(kind) else None

        cls._push, cls._after = ByKind(push), ByKind(after)
        cls._steps = ByKind(step)

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        leaves = cls._is_post_order(kind) and cls.traversal.accepts(kind)
        return _leave_children if leaves else super()._missing(kind)

    @loop("walk_post_order", OVERRIDDEN)
    def _walk(self, root: Node) -> Any:  # Any: what the handler of the root returned last, if ever
        counter, table, after = self.visit_counter, self._push, self._after
        limit, handlers = self.visit_limit, self._handlers
        counter[root] -= 1  # the loop counts it as all others
        stack: list[Node | None] = [root]
        pop, append, extend, count_of = stack.pop, stack.append, stack.extend, counter.get
        while stack:
            node = pop()
            if node is None:
                node = pop()
                assert node is not None
                result = after[type(node)](self, node)
                if result is not None:
                    self.memo_map[node] = result
                continue
            count = counter[node] = count_of(node, 0) + 1
            if count > limit:
                continue
            push = table[type(node)]
            if push is OVERRIDDEN:
                if self._is_post_order(type(node)):  # visit() is overridden: children go through it
                    self.visit_children(node)
                result = handlers[type(node)](self, node)
                if result is not None:
                    self.memo_map[node] = result
                continue
            if after[type(node)] is not None:
                append(node)
                append(None)
            if push is not None:
                push(node, append, extend)
        return self.memo_map.get(root)


class RewriteHandlers:
    """The handlers ``rewrite_<kind>(pre, post)``; each returns ``post`` unless overridden.

    ``pre`` is the node of the program, ``post`` the same node over the rewritten children (``pre``
    itself where nothing below changed). What a handler returns stands for the node; it is not
    visited again.
    """

    _rewrites: ClassVar[ByKind]

    def __init_subclass__(cls, **options: Any) -> None:  # Any: passed on to other bases
        super().__init_subclass__(**options)
        family: type[Node] = getattr(cls, "family", Node)
        check_handlers(cls, RewriteHandlers, "rewrite_", (family,), ("pre", "post"))
        cls._rewrites = ByKind(lambda kind: find_handler(cls, "rewrite_", kind))


class Rewriter(RewriteHandlers, Mutator[N]):
    """Rebuilds children before parents on an explicit stack, then asks ``rewrite_<kind>``.

    A handler ``visit_<kind>`` takes its node over: it decides what is visited below, and no
    ``rewrite_<kind>`` is asked.

    Complexity:
        Linear in the number of distinct nodes and edges.
    """

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        """Return what serves a kind without a handler where ``visit`` is overridden."""
        rewrites = cls.traversal.accepts(kind)
        return _rewrite_after_children if rewrites else super()._missing(kind)

    @property
    def _rewriter(self) -> RewriteHandlers:
        return self

    @property
    def _handling(self) -> object:
        return self._rewriter

    @loop("rewrite", OVERRIDDEN)
    def _mutate(self, root: Node) -> Node:
        memo, table, rebuild = self.memo_map, self._push, self._rebuild
        rewriter = self._rewriter
        rewrites = rewriter._rewrites  # noqa: SLF001 - another rewriter's table, of this module
        get, images, handlers = memo.get, self._images, self._handlers
        stack: list[Node | None] = [root]
        pop, append = stack.pop, stack.append
        while stack:
            node = pop()
            if node is None:
                node = pop()
                assert node is not None
                kind = type(node)
                image = rebuild[kind](node, get)
                rewrite = rewrites[kind]
                if rewrite is not None:
                    image = rewrite(rewriter, node, image)
                    if type(image) not in images[kind]:
                        self._refuse(node, image)
                memo[node] = image
                continue
            if node in memo:
                continue
            push = table[type(node)]
            if push is None:
                rewrite = rewrites[type(node)]
                if rewrite is None:
                    memo[node] = node
                    continue
                image = rewrite(rewriter, node, node)
            elif push is OVERRIDDEN:
                image = handlers[type(node)](self, node)
            else:
                append(node)
                append(None)
                push(node, memo, append)
                continue
            if type(image) not in images[type(node)]:
                self._refuse(node, image)
            memo[node] = image
        found: Node = memo[root]
        return found

    def _keep(self, node: Node) -> Any:  # Any: what the handler returned, to be looked at
        """Return what stands for ``node``, a leaf."""
        rewriter = self._rewriter
        rewrite = rewriter._rewrites[type(node)]  # noqa: SLF001 - as above
        return node if rewrite is None else rewrite(rewriter, node, node)


def _rewrite_after_children(self: Rewriter[Any], pre: Node) -> object:
    post = self.mutate_children(pre)
    rewriter = self._rewriter
    rewrite = rewriter._rewrites[type(pre)]  # noqa: SLF001 - a table of this module
    return post if rewrite is None else rewrite(rewriter, pre, post)


@default_handler
def _leave_children(self: PostOrderVisitor[Any], node: Node) -> object:
    """Do nothing where what is below ``node`` was visited before; else visit its children."""
    return None if self._is_post_order(type(node)) else self.visit_children(node)


@default_handler
def _return_post(self: RewriteHandlers, pre: Node, post: Node) -> Node:  # noqa: ARG001
    """Return what stands for ``pre``."""
    return post


install_default(PostOrderVisitor, "visit_", _leave_children)
install_default(RewriteHandlers, "rewrite_", _return_post)
