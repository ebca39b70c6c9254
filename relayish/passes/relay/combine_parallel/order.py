"""Dependence cycles: groups in which nothing waits for what is computed with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from relayish._support.graph import components
from relayish.ir.nodes.node import Node
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.relay.combine_parallel.combiner import Branch

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
    circles = _find_cyclic(order, groups)
    kept = []
    for number, group in enumerate(groups):
        depth = len(group[0])
        good = next((level for level in range(depth) if (number, level) in circles), depth)
        if good:
            kept.append([branch[:good] for branch in group])
    return kept


def _find_cyclic(order: Sequence[Node], groups: Sequence[list[Branch]]) -> set[Place | Node]:
    """Return what depends on itself, where all calls of a place are one.

    Only nodes between two places are looked at: others are on no circle.
    """
    places: dict[Node, Place | Node] = {}
    members: dict[Place | Node, list[Node]] = {}
    for number, group in enumerate(groups):
        for branch in group:
            for level, call in enumerate(branch):
                places[call] = (number, level)
                members.setdefault((number, level), []).append(call)
    for node in order:
        if node not in places and any(child in places for child in EXPRESSIONS.children(node)):
            places[node] = node
            members[node] = [node]
    needed = {
        place: [
            places[child]
            for node in nodes
            for child in EXPRESSIONS.children(node)
            if child in places
        ]
        for place, nodes in members.items()
    }
    return {
        place
        for component in components(needed)
        for place in component
        if len(component) > 1 or place in needed[place]
    }
