"""Candidates for lockstep: loops whose bodies are neither large nor deep, and run often enough."""

from __future__ import annotations

from typing import Final, NamedTuple

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.interpreter.lanes import nest
from relayish.tir.ir.operators import IntImm
from relayish.tir.ir.stmt import For

MOST_NODES: Final = 2_000
MOST_LEVELS: Final = 60
_MANY: Final = 1 << 20


class _Size(NamedTuple):
    """How large a piece of program is.

    Attributes:
        nodes: How many nodes it has, at most one more than :data:`MOST_NODES`.
        levels: How deep they nest.
        lanes: How often, at most, what is innermost runs each time.
    """

    nodes: int
    levels: int
    lanes: int


def find_candidates(root: Node) -> set[Node]:
    """Return the loops in ``root`` that may be run in lockstep, if what they do suits.

    Complexity:
        Linear in the number of nodes.
    """
    sizes: dict[Node, _Size] = {}
    found: set[Node] = set()
    for node in PROGRAM.post_order(root):
        nodes, levels, lanes = 1, 0, 1
        for child in PROGRAM.children(node):
            below = sizes[child]
            nodes += below.nodes
            levels, lanes = max(levels, below.levels), max(lanes, below.lanes)
        if isinstance(node, For):
            times = node.extent.value if isinstance(node.extent, IntImm) else _MANY
            lanes = min(lanes * max(times, 1), _MANY)
            if nodes <= MOST_NODES and levels < MOST_LEVELS and lanes >= nest.LEAST_LANES:
                found.add(node)
        sizes[node] = _Size(min(nodes, MOST_NODES + 1), min(levels, MOST_LEVELS) + 1, lanes)
    return found
