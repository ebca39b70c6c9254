"""Mutators: functional update of every distinct node, in post-order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final, TypeVar, cast

from relayish._kernel import loop
from relayish.functor.children import mutations_of
from relayish.functor.functor import OVERRIDDEN, Functor, N, tables_of
from relayish.functor.misfits import family_of
from relayish.functor.vtable import Handler, default_handler, install_default, is_default
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind

M = TypeVar("M", bound=Node)

_UNKNOWN: Final[Any] = object()  # Any: stands for an image


class Mutator(Functor[N, N]):
    """Returns the program with each node replaced by what its handler returns for it.

    Kinds without a handler are rebuilt from the images of their children: the same object where
    nothing below changed, so that sharing survives and ``is`` tells whether anything changed.
    ``memo_map`` holds the image of every visited node; putting one in beforehand replaces a node.

    Complexity:
        Linear in the number of distinct nodes and edges.
    """

    keeps_types: ClassVar[bool] = False
    """Whether images have the types of what they stand for, so that what is rebuilt keeps its."""
    _push: ClassVar[ByKind]
    _rebuild: ClassVar[ByKind]
    _images: ByKind
    _mutations: ClassVar[ByKind]
    _own_children: ClassVar[bool]

    @classmethod
    def _tabulate(cls) -> None:
        super()._tabulate()
        cls._mutations = mutations_of(cls.traversal)
        cls._own_children = not is_default(cls.mutate_children)
        cls._push, cls._steps = tables_of(cls, cls.traversal.push, cls._mutate, cls._keep)
        table = cls.traversal.retain if cls.keeps_types else cls.traversal.rebuild
        cls._rebuild = ByKind(table.__getitem__)
        cls._images = ByKind(lambda kind: family_of(kind).kinds)

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        if not cls.traversal.accepts(kind):
            return super()._missing(kind)
        handler: Handler = mutations_of(cls.traversal)[kind]
        return handler

    def mutate(self, node: N, *args: Any) -> N:  # Any: as visit
        """Return what :meth:`visit` returns."""
        return self.visit(node, *args) if args else self.visit(node)

    @loop("mutate", OVERRIDDEN)
    def _mutate(self, root: Node) -> Node:
        """Put the images of ``root`` and of what is below it into the memo; return the first."""
        memo, table, rebuild, images = self.memo_map, self._push, self._rebuild, self._images
        get, handlers = memo.get, self._handlers
        stack: list[Node | None] = [root]
        pop, append = stack.pop, stack.append
        while stack:
            node = pop()
            if node is None:
                node = pop()
                assert node is not None
                memo[node] = rebuild[type(node)](node, get)
                continue
            if node in memo:
                continue
            push = table[type(node)]
            if push is None:
                memo[node] = node
            elif push is OVERRIDDEN:
                image = handlers[type(node)](self, node)
                if type(image) not in images[type(node)]:
                    self._refuse(node, image)
                memo[node] = image
            else:
                append(node)
                append(None)
                push(node, memo, append)
        return cast("Node", memo[root])

    def _keep(self, node: Node) -> Node:
        """Return ``node``: nothing below it, a leaf, can change."""
        return node

    @default_handler
    def mutate_children(self, node: M) -> M:
        """Return ``node`` with each child replaced by its image, each through ``visit``."""
        if self._levels is None:
            return self._begin_visit(Mutator.mutate_children, node, ())  # type: ignore[no-any-return]
        return self._mutations[type(node)](self, node)  # type: ignore[no-any-return]

    def _begin_all(self, nodes: Sequence[N]) -> tuple[N, ...]:
        """Call :meth:`mutate_all` as one visit from outside; apart, so that its frame is small."""
        images: tuple[N, ...] = self._begin_visit(Mutator.mutate_all, nodes, ())
        return images

    def mutate_all(self, nodes: Sequence[N]) -> tuple[N, ...]:
        """Return the images of ``nodes``; the same tuple when none of them changed."""
        levels = self._levels
        if levels is None:
            return self._begin_all(nodes)
        if not isinstance(nodes, tuple):
            nodes = tuple(nodes)
        images: list[N] | None = None
        for index in range(len(nodes)):  # an iterator would be one more object for the collector
            node, depth = nodes[index], levels.depth
            kind = type(node)
            if self._intercepts or depth >= levels.limit or kind not in self._steps:
                image = self.visit(node)
            else:  # what visit does, in a frame less at each level
                image = self.memo_map.get(node, _UNKNOWN)
                if image is _UNKNOWN:
                    levels.depth = depth + 1
                    try:
                        image = self._steps[kind](self, node)
                    finally:
                        levels.depth = depth
                    if type(image) not in self._images[kind]:
                        self._refuse(node, image)
                    self.memo_map[node] = image
            if images is not None:
                images.append(image)
            elif image is not node:
                images = [*nodes[:index], image]
        return nodes if images is None else tuple(images)


@default_handler
def _mutate_children(self: Mutator[Any], node: Node) -> Node:
    """Return ``node`` with its children mutated."""
    if self._own_children or self._levels is None:
        return self.mutate_children(node)
    return self._mutations[type(node)](self, node)  # type: ignore[no-any-return]


install_default(Mutator, "visit_", _mutate_children)
