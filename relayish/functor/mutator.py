"""Mutators: functional update of every distinct node, in post-order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar, cast

from relayish._kernel import loop
from relayish.functor.functor import OVERRIDDEN, Functor, N, tables_of
from relayish.functor.misfits import family_of
from relayish.functor.vtable import Handler, default_handler, install_default
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind

M = TypeVar("M", bound=Node)


class Mutator(Functor[N, N]):
    """Returns the program with each node replaced by what its handler returns for it.

    Kinds without a handler are rebuilt from the images of their children: the same object where
    nothing below changed, so that sharing survives and ``is`` tells whether anything changed.
    ``memo_map`` holds the image of every visited node; putting one in beforehand replaces a node.

    Complexity:
        Linear in the number of distinct nodes and edges.
    """

    _push: ClassVar[ByKind]
    _rebuild: ClassVar[ByKind]
    _images: ByKind

    @classmethod
    def _tabulate(cls) -> None:
        super()._tabulate()
        cls._push, cls._steps = tables_of(cls, cls.traversal.push, cls._mutate, cls._keep)
        cls._rebuild = ByKind(cls.traversal.rebuild.__getitem__)
        cls._images = ByKind(lambda kind: family_of(kind).kinds)

    @classmethod
    def _missing(cls, kind: type[Node]) -> Handler:
        if not cls.traversal.accepts(kind):
            return super()._missing(kind)
        return Mutator.mutate_children

    def mutate(self, node: N, *args: Any) -> N:  # Any: as visit
        """Return what :meth:`visit` returns."""
        return self.visit(node, *args) if args else self.visit(node)

    @loop("mutate", OVERRIDDEN)
    def _mutate(self, root: Node) -> Node:
        """Put the images of ``root`` and of what is below it into the memo; return the first."""
        memo, table, rebuild, images = self.memo_map, self._push, self._rebuild, self._images
        get = memo.get
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
                image = self._handlers[type(node)](self, node)
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

    def mutate_children(self, node: M) -> M:
        """Return ``node`` with each child replaced by its image, each through ``visit``."""
        if self._levels is None:
            return self._begin_visit(Mutator.mutate_children, node, ())  # type: ignore[no-any-return]
        images: dict[Node, Node] = {}
        for child in self.traversal.children(node):
            images[child] = self.visit(cast("N", child))
        return cast("M", self.traversal.rebuild[type(node)](node, images.get))

    def _begin_all(self, nodes: Sequence[N]) -> tuple[N, ...]:
        """Call :meth:`mutate_all` as one visit from outside; apart, so that its frame is small."""
        images: tuple[N, ...] = self._begin_visit(Mutator.mutate_all, nodes, ())
        return images

    def mutate_all(self, nodes: Sequence[N]) -> tuple[N, ...]:
        """Return the images of ``nodes``; the same tuple when none of them changed."""
        if self._levels is None:
            return self._begin_all(nodes)
        images = []
        changed = not isinstance(nodes, tuple)
        for node in nodes:
            image = self.visit(node)
            images.append(image)
            changed = changed or image is not node
        return tuple(images) if changed else cast("tuple[N, ...]", nodes)


@default_handler
def _mutate_children(self: Mutator[Any], node: Node) -> Node:
    """Return ``node`` with its children mutated."""
    return self.mutate_children(node)


install_default(Mutator, "visit_", _mutate_children)
