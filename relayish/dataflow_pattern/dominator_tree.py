"""Which nodes every way from the root to a node leads through."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class DominatorTree(Generic[T]):
    """The dominators of the nodes of an acyclic graph with one root.

    Args:
        order: The nodes, the root first, each after all that lead to it.
        children: Where each leads.

    Complexity:
        Making it takes ``n log n`` for ``n`` nodes and edges, a question ``log n``.
    """

    def __init__(self, order: Sequence[T], children: Callable[[T], Iterable[T]]) -> None:
        self._number = {node: index for index, node in enumerate(order)}
        count = len(order)
        self._depth = [0] * count
        self._up = [0] * count
        self._jump = [0] * count  # an ancestor far up, so that a climb takes few steps
        parent = [-1] * count
        for number, node in enumerate(order):
            if number:
                self._enter(number, parent[number])
            for child in children(node):
                at = self._number[child]
                parent[at] = number if parent[at] < 0 else self._common(parent[at], number)

    def dominates(self, above: T, below: T) -> bool:
        """Return whether every way from the root to ``below`` leads through ``above``."""
        high, low = self._number[above], self._number[below]
        return self._climb(low, self._depth[high]) == high if high <= low else False

    def _enter(self, number: int, parent: int) -> None:
        depth, jump = self._depth, self._jump
        self._up[number] = parent
        depth[number] = depth[parent] + 1
        far = jump[parent]
        regular = depth[parent] - depth[far] == depth[far] - depth[jump[far]]
        jump[number] = jump[far] if regular else parent

    def _climb(self, number: int, depth: int) -> int:
        depths, jump, up = self._depth, self._jump, self._up
        while depths[number] > depth:
            number = jump[number] if depths[jump[number]] >= depth else up[number]
        return number

    def _common(self, left: int, right: int) -> int:
        depths, jump, up = self._depth, self._jump, self._up
        left = self._climb(left, depths[right])
        right = self._climb(right, depths[left])
        while left != right:
            if jump[left] != jump[right]:
                left, right = jump[left], jump[right]
            else:
                left, right = up[left], up[right]
        return left
