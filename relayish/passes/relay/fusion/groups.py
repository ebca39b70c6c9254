"""Operator fusion: TVM's three phases over the tree of post-dominators.

A node is fused to its immediate post-dominator, together with all that lies between, when patterns
allow it: in the first phase a convolution with what is done to its result element by element, and
work element by element with what uses it; in the second what only moves elements about; in the
third what fills a tuple that was fused into such a node.
"""

from __future__ import annotations

from relayish._support.dominators import DominatorTree
from relayish._support.graph import find_root
from relayish.op.declaration.properties import OpPattern
from relayish.passes.relay.fusion.argument_limit import ArgumentLimit
from relayish.passes.relay.fusion.graph import FusionGraph

_ELEMWISE = OpPattern.ELEMWISE
_BROADCAST = OpPattern.BROADCAST
_INJECTIVE = OpPattern.INJECTIVE
_COMM_REDUCE = OpPattern.COMM_REDUCE
_ANCHOR = OpPattern.OUT_ELEMWISE_FUSABLE
_TUPLE = OpPattern.TUPLE
_OPAQUE = OpPattern.OPAQUE
_SINKS = frozenset({_ELEMWISE, _BROADCAST, _INJECTIVE, _COMM_REDUCE, _ANCHOR})
"""Patterns of groups that take work element by element."""


class FusionGroups:
    """The groups of the nodes of ``graph``; each node alone at first.

    ``steps`` counts the nodes looked at between a node and its post-dominator.

    Complexity:
        ``n log n`` in nodes and edges, if no more than a constant number of nodes may be fused: a
        region that has more is not walked through to its end, and one that must have more, by the
        length of its ways alone, is not walked at all.
    """

    def __init__(self, graph: FusionGraph, max_depth: int, max_function_args: int = 0) -> None:
        self._graph = graph
        self._max_depth = max_depth
        count = len(graph.order)
        self._parent = list(range(count))
        self._pattern = list(graph.patterns)
        self._anchored = [pattern is _ANCHOR for pattern in graph.patterns]
        self._size = [1] * count
        self._limit: ArgumentLimit | None = None
        if max_function_args:
            self._limit = ArgumentLimit(graph, max_function_args, self.root)
        self.steps = 0

    def root(self, index: int) -> int:
        """Return the node whose value the group of node ``index`` gives; nearly constant time."""
        return find_root(self._parent, index)

    def fuse(self) -> None:
        """Fuse whatever may be fused."""
        tree, vertices, nodes = self._post_dominators()
        for phase in (self._fuse_around_anchors, self._fuse_injective, self._fuse_into_tuples):
            # a limit is told at the sink, when all that it might take in is known
            at_sinks: dict[int, list[tuple[int, int]]] = {}
            for index in range(len(nodes)):
                vertex = vertices[index]
                if self._limit is not None:
                    self._limit.enter(index)
                    for child, below in at_sinks.pop(index, ()):
                        if self._limit.admits(child):
                            phase(child, index, tree.heaviest[below], tree.inside[below])
                if self._pattern[index] is _OPAQUE or not tree.parent[vertex]:
                    continue
                sink = nodes[tree.parent[vertex] - 1]
                if self._limit is None:
                    phase(index, sink, tree.heaviest[vertex], tree.inside[vertex])
                else:
                    at_sinks.setdefault(sink, []).append((index, vertex))

    def _post_dominators(self) -> tuple[DominatorTree, list[int], list[int]]:
        """Return the tree, the vertex of each node and, from vertex 1 on, the node of each."""
        graph, tree = self._graph, DominatorTree()
        count = len(graph.order)
        vertices = [0] * count
        nodes: list[int] = []
        for index in range(count - 1, -1, -1):
            edges = [(vertices[user], int(pattern)) for user, pattern in graph.outputs[index]]
            if graph.outside[index]:
                edges = [(0, _OPAQUE)]
            vertices[index] = tree.add(edges)
            nodes.append(index)
        return tree, vertices, nodes

    def _fuse_around_anchors(self, index: int, sink: int, heaviest: int, inside: int) -> None:
        pattern = self._pattern[index]
        if self._pattern[sink] is _TUPLE or self.root(index) == self.root(sink):
            return
        if pattern is _ANCHOR:
            if heaviest == _ELEMWISE:
                self._try(index, sink, inside, _BROADCAST, self._root_pattern(sink) <= _BROADCAST)
        elif pattern <= _BROADCAST and (heaviest <= _INJECTIVE or heaviest == _COMM_REDUCE):
            self._try(index, sink, inside, _INJECTIVE, self._root_pattern(sink) in _SINKS)

    def _fuse_injective(self, index: int, sink: int, heaviest: int, inside: int) -> None:
        pattern = self._pattern[index]
        if self._pattern[sink] is _TUPLE or self.root(index) == self.root(sink):
            return
        if pattern is _INJECTIVE or pattern is _TUPLE:
            self._try(index, sink, inside, _INJECTIVE, self._root_pattern(sink) <= _INJECTIVE)
        elif pattern <= _BROADCAST and (heaviest <= _INJECTIVE or heaviest == _COMM_REDUCE):
            self._try(index, sink, inside, _INJECTIVE, self._root_pattern(sink) in _SINKS)

    def _fuse_into_tuples(self, index: int, sink: int, heaviest: int, inside: int) -> None:  # noqa: ARG002
        if self._pattern[index] > _INJECTIVE or self._pattern[sink] is not _TUPLE:
            return
        into_tuple = self._root_pattern(sink) <= _INJECTIVE  # the tuple itself was fused already
        self._try(index, sink, inside, _INJECTIVE, into_tuple)

    def _root_pattern(self, index: int) -> OpPattern:
        return self._pattern[self.root(index)]

    def _try(self, index: int, sink: int, inside: int, most: OpPattern, fits: bool) -> None:
        """Fuse ``index`` and what is before ``sink`` with it if no group is beyond ``most``."""
        if not fits:
            return
        left = self._max_depth - self._size[self.root(sink)]
        if inside + 1 > left:
            return
        between = self._between(index, sink, left)
        if between is None or any(self._root_pattern(node) > most for node in between[1:]):
            return
        if self._limit is not None and not self._limit.merge(between, sink):
            return
        for node in between:
            self._merge(node, sink)

    def _between(self, index: int, sink: int, left: int) -> list[int] | None:
        """Return ``index`` and the nodes before ``sink``, or ``None`` if these are too many."""
        outputs, size = self._graph.outputs, self._size
        found, seen = [index], {index, sink}
        left -= size[index]
        position = 0
        while position < len(found) and left >= 0:
            self.steps += 1
            for user, _ in outputs[found[position]]:
                if user not in seen:
                    seen.add(user)
                    found.append(user)
                    left -= size[user]
                    if left < 0:
                        return None
            position += 1
        return found if left >= 0 else None

    def _merge(self, child: int, parent: int) -> None:
        child, parent = self.root(child), self.root(parent)
        if child == parent:
            return
        self._size[parent] += self._size[child]
        self._parent[child] = parent
        if self._anchored[child]:
            self._anchored[parent] = True
            self._pattern[parent] = max(self._pattern[child], self._pattern[parent])
