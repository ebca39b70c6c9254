"""Candidates for lockstep: loops whose bodies are neither large nor deep."""

from __future__ import annotations

from typing import Final

from relayish.ir.node import Node
from relayish.ir.scoping import PROGRAM
from relayish.tir.ir.stmt import For

MOST_NODES: Final = 2_000
MOST_LEVELS: Final = 60


def find_candidates(root: Node) -> set[Node]:
    """Return the loops in ``root`` that may be run in lockstep, if what they do suits.

    Complexity:
        Linear in the number of nodes.
    """
    sizes: dict[Node, tuple[int, int]] = {}
    found: set[Node] = set()
    for node in PROGRAM.post_order(root):
        size, levels = 1, 0
        for child in PROGRAM.children(node):
            below, deep = sizes[child]
            size, levels = min(size + below, MOST_NODES + 1), max(levels, deep)
        sizes[node] = size, min(levels + 1, MOST_LEVELS + 1)
        if isinstance(node, For) and size <= MOST_NODES and levels < MOST_LEVELS:
            found.add(node)
    return found
