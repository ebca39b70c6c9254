"""Incremental contraction of a directed acyclic graph, refusing merges that close a cycle.

Two vertices with an edge between them may become one when no other way leads from the first to the
second. That is searched for backwards from the second, over vertices that are further along than
the first; levels tell, the lengths of the longest ways to a vertex. A spanning forest answers most
searches that would be long. One that looks at more than :data:`PATIENCE` vertices is given up,
and the vertices stay apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish._support.graph import find_root
from relayish.errors import PassError

PATIENCE: Final = 4096
"""How many vertices are looked at to find out whether two may be merged."""


class Contraction:
    """Vertices ``0 … n-1``, with edges from each to its ``successors``.

    Of two that are merged, the one with more neighbours stands for both from then on.

    ``steps`` counts the vertices looked at by searches.

    Raises:
        PassError: If there is a cycle.
    """

    def __init__(self, successors: Sequence[Sequence[int]]) -> None:
        count = len(successors)
        self._parent = list(range(count))
        self._after: list[set[int]] = [set(found) for found in successors]
        self._before: list[set[int]] = [set() for _ in range(count)]
        for vertex, found in enumerate(self._after):
            for successor in found:
                self._before[successor].add(vertex)
        self.order = self._topological()
        self._level = [0] * count
        for vertex in self.order:
            self._level[vertex] = 1 + max(
                (self._level[before] for before in self._before[vertex]), default=-1
            )
        self._first, self._last = self._find_spanning_forest()
        self.steps = 0

    def root(self, vertex: int) -> int:
        """Return the vertex that ``vertex`` was merged into; nearly constant time."""
        return find_root(self._parent, vertex)

    def merge(self, one: int, other: int) -> bool:
        """Make ``one`` a part of ``other``, to which it has an edge, unless that makes a cycle."""
        one, other = self.root(one), self.root(other)
        if one == other or self._reaches(one, self._before[other] - {one}):
            return False
        level = max(self._level[one], self._level[other])
        if self._degree(one) > self._degree(other):
            one, other = other, one
        self._parent[one] = other
        for here, there in ((self._before, self._after), (self._after, self._before)):
            for neighbour in here[one]:
                there[neighbour].discard(one)
                if neighbour != other:
                    there[neighbour].add(other)
                    here[other].add(neighbour)
            here[one] = set()
        self._level[other] = level
        self._raise_levels(other)
        return True

    def _degree(self, vertex: int) -> int:
        return len(self._before[vertex]) + len(self._after[vertex])

    def _topological(self) -> list[int]:
        waiting = [len(before) for before in self._before]
        order = [vertex for vertex, count in enumerate(waiting) if not count]
        for vertex in order:
            for successor in self._after[vertex]:
                waiting[successor] -= 1
                if not waiting[successor]:
                    order.append(successor)
        if len(order) < len(waiting):
            raise PassError(
                "what one compiler computes depends on itself, by way of what another does; let "
                "the marks leave out one of the pieces"
            )
        return order

    def _find_spanning_forest(self) -> tuple[list[int], list[int]]:
        """Return when each vertex is entered and left; an interval within another is reached."""
        count = len(self._parent)
        first, last, clock = [-1] * count, [-1] * count, 0
        for start in self.order:
            stack = [start]
            while stack:
                vertex = stack.pop()
                if vertex < 0:
                    last[~vertex] = clock
                elif first[vertex] < 0:
                    first[vertex] = clock
                    clock += 1
                    stack.append(~vertex)
                    stack += [s for s in self._after[vertex] if first[s] < 0]
        return first, last

    def _reaches(self, start: int, goals: set[int]) -> bool:
        """Return whether a way leads from ``start`` to one of ``goals``, or may."""
        first, last, level = self._first, self._last, self._level
        low, high, least = first[start], last[start], level[start]
        stack = [goal for goal in goals if level[goal] > least]
        seen = set(stack)
        while stack:
            vertex = stack.pop()
            self.steps += 1
            if low < first[vertex] < high or len(seen) > PATIENCE:
                return True
            for before in self._before[vertex]:
                if before == start:
                    return True
                if before not in seen and level[before] > least:
                    seen.add(before)
                    stack.append(before)
        return False

    def _raise_levels(self, vertex: int) -> None:
        """Let whatever comes after ``vertex`` be further along."""
        level = self._level
        stack = [vertex]
        while stack:
            here = stack.pop()
            for successor in self._after[here]:
                if level[successor] <= level[here]:
                    level[successor] = level[here] + 1
                    stack.append(successor)
