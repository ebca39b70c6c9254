"""Groups that can be computed at once: nothing in them waits for what is computed with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from relayish.ir.node import Node
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.combine_parallel.combiner import Branch

Place: TypeAlias = tuple[int, int]
"""A group, and a level in it: the calls that become one."""


def cut_circles(order: Sequence[Node], groups: Sequence[list[Branch]]) -> list[list[Branch]]:
    """Return ``groups`` without the levels that depend on one another, or on themselves.

    The calls of a level become one, which needs what any of them needs. Where that makes a circle,
    within a group or through several, every level on it is left as it is, with those behind it.

    Args:
        order: All nodes of a program, children before parents.
        groups: Branches with calls that no other branch has.

    Complexity:
        Linear in nodes; no recursion.
    """
    circles = _Circles(order, groups).find()
    kept = []
    for number, group in enumerate(groups):
        depth = len(group[0])
        good = next((level for level in range(depth) if (number, level) in circles), depth)
        if good:
            kept.append([branch[:good] for branch in group])
    return kept


class _Circles:
    """Tarjan's strongly connected components, on a stack of our own; the calls of a place are one.

    Only nodes between two places are looked at: others are on no circle.
    """

    def __init__(self, order: Sequence[Node], groups: Sequence[list[Branch]]) -> None:
        self._places: dict[Node, Place] = {}
        self._members: dict[Place, list[Node]] = {}
        for number, group in enumerate(groups):
            for branch in group:
                for level, call in enumerate(branch):
                    self._places[call] = (number, level)
                    self._members.setdefault((number, level), []).append(call)
        self._above = set(self._places)  # the places, and what depends on one
        for node in order:
            if not self._above.isdisjoint(EXPRESSIONS.children(node)):
                self._above.add(node)
        self._index: dict[Place | Node, int] = {}
        self._low: dict[Place | Node, int] = {}
        self._path: list[Place | Node] = []
        self._waiting: set[Place | Node] = set()
        self._found: set[Place | Node] = set()

    def find(self) -> set[Place | Node]:
        """Return what is on a circle."""
        for place in self._members:
            if place not in self._index:
                self._search(place)
        return self._found

    def _search(self, start: Place | Node) -> None:
        index, low = self._index, self._low
        stack = [(start, self._enter(start))]
        while stack:
            one, rest = stack[-1]
            for child in rest:
                if child not in index:
                    stack.append((child, self._enter(child)))
                    break
                if child in self._waiting:
                    low[one] = min(low[one], index[child])
                    if child == one:
                        self._found.add(one)
            else:
                stack.pop()
                if stack:
                    low[stack[-1][0]] = min(low[stack[-1][0]], low[one])
                if low[one] == index[one]:
                    self._leave(one)

    def _enter(self, one: Place | Node) -> Iterator[Place | Node]:
        """Return what ``one`` depends on, entered at the end of the path."""
        self._index[one] = self._low[one] = len(self._index)
        self._path.append(one)
        self._waiting.add(one)
        nodes = [one] if isinstance(one, Node) else self._members[one]
        children = [child for node in nodes for child in EXPRESSIONS.children(node)]
        return iter([self._places.get(c, c) for c in children if c in self._above])

    def _leave(self, one: Place | Node) -> None:
        """Take what is on circles with ``one``, the first of them to be entered, off the path."""
        component: list[Place | Node] = []
        while not component or component[-1] != one:
            component.append(self._path.pop())
        self._waiting.difference_update(component)
        if len(component) > 1:
            self._found.update(component)
