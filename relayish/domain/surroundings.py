"""Loops and blocks around a node, known from one question about it to the next."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Self

from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.blocks import is_block, rest_field


class Surroundings:
    """The loops and blocks among the parents of a node.

    Attributes:
        loops: The positions of parents that repeat the one that follows, in order.
        blocks: Those of parents that are blocks, of a chain of them the last.
    """

    __slots__ = ("_parents", "blocks", "loops")

    def __init__(self) -> None:
        self._parents: list[Node] = []
        self.loops: list[int] = []
        self.blocks: list[int] = []

    def of(self, parents: Sequence[Node]) -> Self:
        """Return itself, after finding what surrounds the last of ``parents``.

        Complexity:
            Linear in the parents that were not there when it was asked before; those that were are
            compared by identity.
        """
        known = self._parents
        same = min(len(known), len(parents))
        if known[:same] != parents[:same]:  # nodes are equal to themselves alone
            same = bisect_left(range(1, same + 1), True, key=lambda n: known[:n] != parents[:n])
        del known[same:]
        for places in (self.loops, self.blocks):
            del places[bisect_left(places, same - 1) :]
        for position in range(max(same - 1, 0), len(parents) - 1):
            node, child = parents[position], parents[position + 1]
            if _repeats(node, child):
                self.loops.append(position)
            if _opens_block(node, child):
                self.blocks.append(position)
        known += parents[same:]
        return self


def _repeats(parent: Node, child: Node) -> bool:
    """Return whether ``parent`` holds ``child`` in a scope that runs repeatedly."""
    for declared in type(parent).fields_:
        if declared.runs is Runs.REPEATEDLY:
            held = getattr(parent, declared.name)
            if held is child or (declared.holds_many and any(c is child for c in held)):
                return True
    return False


def _opens_block(node: Node, child: Node) -> bool:
    """Return whether ``node`` is a block around ``child``, counting a chain of them once."""
    rest = rest_field(type(node))
    if rest is None or child is not getattr(node, rest):
        return is_block(type(node))
    return rest_field(type(child)) is None
