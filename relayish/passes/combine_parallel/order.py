"""Groups that can be computed at once: nothing in them waits for what is computed with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from relayish.ir.node import Node
from relayish.ir.traversal import EXPRESSIONS
from relayish.passes.combine_parallel.combiner import Branch

Place = tuple[int, int]
"""A group and a level in it."""


def cut_circles(root: Node, groups: Sequence[list[Branch]]) -> list[list[Branch]]:
    """Return ``groups`` without the levels that depend on one another, or on themselves.

    The calls of a level become one, which needs what any of them needs. Where that makes a circle,
    within a group or through several, every level on it is left as it is, with those behind it.

    Complexity:
        Linear in the nodes below ``root``; no recursion.
    """
    places: dict[Node, Place] = {}
    members: dict[Place, list[Node]] = {}
    for number, group in enumerate(groups):
        for branch in group:
            for level, call in enumerate(branch):
                places[call] = (number, level)
                members.setdefault((number, level), []).append(call)
    circles = _circles(root, places, members)
    kept = []
    for number, group in enumerate(groups):
        depth = len(group[0])
        good = next((d for d in range(depth) if (number, d) in circles), depth)
        if good:
            kept.append([branch[:good] for branch in group])
    return kept


def _circles(root: Node, places: dict[Node, Place], members: dict[Place, list[Node]]) -> set[Place]:
    """Return the places on circles: Tarjan's strongly connected components, on a stack of our own.

    Calls of one place count as one; it is on a circle, too, if one of them is below another.
    """
    index: dict[object, int] = {}
    low: dict[object, int] = {}
    path: list[object] = []
    waiting: set[object] = set()
    circles: set[Place] = set()

    def below(one: object) -> list[object]:
        nodes = members[one] if type(one) is tuple else [one]
        children = [child for node in nodes for child in EXPRESSIONS.children(node)]  # type: ignore[arg-type]
        return [places.get(child, child) for child in children]

    start = places.get(root, root)
    stack: list[tuple[object, Iterator[object]]] = [(start, iter(below(start)))]
    index[start] = low[start] = 0
    path.append(start)
    waiting.add(start)
    while stack:
        one, rest = stack[-1]
        for child in rest:
            if child not in index:
                index[child] = low[child] = len(index)
                path.append(child)
                waiting.add(child)
                stack.append((child, iter(below(child))))
                break
            if child in waiting:
                low[one] = min(low[one], index[child])
                if child is one or child == one:
                    circles.add(one)  # type: ignore[arg-type]  # only places are below themselves
        else:
            stack.pop()
            if stack:
                before = stack[-1][0]
                low[before] = min(low[before], low[one])
            if low[one] == index[one]:
                circles.update(_component(one, path, waiting))
    return circles


def _component(one: object, path: list[object], waiting: set[object]) -> list[Place]:
    """Take the component that ``one`` was entered by off the path; return its places if several."""
    found: list[object] = []
    while True:
        last = path.pop()
        waiting.discard(last)
        found.append(last)
        if last is one or last == one:
            break
    return [each for each in found if type(each) is tuple] if len(found) > 1 else []
