"""Dominators: what every way to a vertex of a graph leads through.

:class:`DominatorTree` finds dominators in any graph without cycles, of which the vertices are told
one after another, each after those it leads to. Beside each parent it keeps one to skip to (Myers'
skew-binary pointers), so that a common ancestor takes logarithmic time, however long the tree.
:class:`Dominators` is that tree for vertices of any kind, with what they lead to. Where each cycle
is entered through one vertex, the edges that lead back there say nothing and are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class DominatorTree:
    """Vertices by number, each below its immediate dominator; 0 is the outside, which has none.

    Edges have weights. ``heaviest[v]`` is the heaviest edge on any way from ``v`` to its parent,
    and ``inside[v]`` says that at least so many vertices lie strictly between: the longest of the
    chains of dominators from a successor of ``v`` to the parent, with what lies inside those.
    """

    __slots__ = ("_far_heaviest", "_sum", "depth", "heaviest", "inside", "parent", "skip")

    def __init__(self) -> None:
        self.parent = [0]
        self.skip = [0]
        self.depth = [0]
        self.heaviest = [0]
        self.inside = [0]
        self._far_heaviest = [0]  # of the ways to ``skip``
        self._sum = [0]  # of 1 + inside, over the vertex and its ancestors but the outside

    def add(self, edges: Sequence[tuple[int, int]]) -> int:
        """Return the number of a new vertex, with edges ``(successor, weight)``.

        Complexity:
            Logarithmic in the depth for each edge; no recursion.

        Example:
            >>> tree = DominatorTree()
            >>> join = tree.add([(0, 0)])
            >>> left, right = tree.add([(join, 1)]), tree.add([(join, 3)])
            >>> fork = tree.add([(left, 2), (right, 2)])
            >>> tree.parent[fork] == join, tree.heaviest[fork], tree.inside[fork]
            (True, 3, 1)
        """
        if not edges:
            edges = ((0, 0),)
        parent, heaviest = edges[0]
        for successor, weight in edges[1:]:
            parent, way = self.find_common(parent, successor)
            heaviest = max(heaviest, weight, way)
        below = self._sum[parent]
        inside = max(self._sum[successor] for successor, _ in edges) - below
        return self._append(parent, heaviest, inside)

    def _append(self, parent: int, heaviest: int, inside: int) -> int:
        skip, depth = self.skip, self.depth
        near = skip[parent]
        far = skip[near]
        level = depth[parent]
        even = level - depth[near] == depth[near] - depth[far]
        over = heaviest
        if even:
            over = max(heaviest, self._far_heaviest[parent], self._far_heaviest[near])
        self.parent.append(parent)
        skip.append(far if even else parent)
        depth.append(level + 1)
        self.heaviest.append(heaviest)
        self._far_heaviest.append(over)
        self.inside.append(inside)
        self._sum.append(self._sum[parent] + 1 + inside)
        return len(depth) - 1

    def find_common(self, one: int, other: int) -> tuple[int, int]:
        """Return the innermost vertex on both ways out, and the heaviest edge up to there."""
        parent, skip, depth = self.parent, self.skip, self.depth
        near, far = self.heaviest, self._far_heaviest
        if depth[one] < depth[other]:
            one, other = other, one
        level, most = depth[other], 0
        while depth[one] > level:
            if depth[skip[one]] >= level:
                most, one = max(most, far[one]), skip[one]
            else:
                most, one = max(most, near[one]), parent[one]
        while one != other:
            if skip[one] != skip[other]:
                most = max(most, far[one], far[other])
                one, other = skip[one], skip[other]
            else:
                most = max(most, near[one], near[other])
                one, other = parent[one], parent[other]
        return one, most

    def dominates(self, above: int, below: int) -> bool:
        """Return whether every way from ``below`` out leads through ``above``; logarithmic time."""
        parent, skip, depth = self.parent, self.skip, self.depth
        level = depth[above]
        while depth[below] > level:
            below = skip[below] if depth[skip[below]] >= level else parent[below]
        return below == above


class Dominators(Generic[T]):
    """Which nodes of an acyclic graph every way from its root to a node leads through.

    Args:
        order: The nodes, the root first, each after all that lead to it.
        children: Where each leads.

    Complexity:
        Making it takes ``n log n`` for ``n`` nodes and edges; no recursion.
    """

    def __init__(self, order: Sequence[T], children: Callable[[T], Iterable[T]]) -> None:
        self._order = order
        self._tree = DominatorTree()
        self._vertex: dict[T, int] = {}
        edges: dict[T, list[tuple[int, int]]] = {node: [] for node in order}
        for node in order:
            vertex = self._vertex[node] = self._tree.add(edges[node])
            for child in children(node):
                edges[child].append((vertex, 0))

    def dominates(self, above: T, below: T) -> bool:
        """Return whether every way from the root to ``below`` leads through ``above``.

        Complexity:
            Logarithmic in the depth.
        """
        return self._tree.dominates(self._vertex[above], self._vertex[below])

    def immediate(self, node: T) -> T | None:
        """Return the innermost other node that dominates ``node``; the root has none."""
        vertex = self._tree.parent[self._vertex[node]]
        return self._order[vertex - 1] if vertex else None
