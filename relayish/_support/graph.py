"""Depth-first search over things of any kind, strongly connected components, disjoint sets.

Programs are walked by :class:`~relayish.ir.nodes.traversal.Traversal`. Here is the same for what is
no node, or is followed otherwise than along its fields: patterns, names, pairs of a type and a
value. Nothing here recurses.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    MutableSequence,
    Sequence,
)
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")
H = TypeVar("H", bound=Hashable)


def walk_tree(root: T, parts: Callable[[T], Sequence[T]]) -> Iterator[T]:
    """Yield ``root`` and all it consists of, each whole before its parts, which stand in order.

    For the parts of a whole is asked when it has been dealt with. What is a part of several comes
    once for each.

    Example:
        >>> list(walk_tree(("a", ("b",)), lambda item: item if type(item) is tuple else ()))
        [('a', ('b',)), 'a', ('b',), 'b']
    """
    stack = [root]
    while stack:
        each = stack.pop()
        yield each
        inside = parts(each)
        if inside:
            stack += inside[::-1]


def fold_tree(root: T, parts: Callable[[T], Sequence[T]], make: Callable[[T, list[R]], R]) -> R:
    """Return ``make(root, results)`` of the results for its parts; likewise for each of these.

    Example:
        >>> fold_tree((1, (2, 3)), lambda item: item if type(item) is tuple else (),
        ...           lambda item, results: sum(results) if results else item)
        6
    """
    made: list[R] = []
    stack: list[tuple[T, int | None]] = [(root, None)]
    while stack:
        each, count = stack.pop()
        if count is None:
            inside = parts(each)
            if inside:
                stack.append((each, len(inside)))
                stack += [(part, None) for part in inside[::-1]]
            else:
                made.append(make(each, []))
            continue
        start = len(made) - count
        made[start:] = [make(each, made[start:])]
    return made[0]


def reachable(
    roots: Iterable[H], following: Callable[[H], Iterable[H]], seen: set[H] | None = None
) -> list[H]:
    """Return ``roots`` and all that is reached from them, each once, in the order of a search.

    Args:
        roots: Where to start.
        following: Asked once of each for what is reached from it directly.
        seen: What is left out, with what is reached by way of it only; what is found joins it.

    Complexity:
        Linear in what is found and the steps between.

    Example:
        >>> reachable([1], lambda number: [2 * number % 5, 1])
        [1, 2, 4, 3]
    """
    found: list[H] = []
    entered = set() if seen is None else seen
    stack = list(roots)[::-1]
    while stack:
        each = stack.pop()
        if each not in entered:
            entered.add(each)
            found.append(each)
            stack += [other for other in following(each) if other not in entered][::-1]
    return found


def post_order(roots: Iterable[H], before: Callable[[H], Iterable[H]]) -> list[H]:
    """Return what :func:`reachable` returns, each after what is reached from it.

    What is on a circle comes after what the search reaches from it without coming back.

    Complexity:
        Linear in what is found and the steps between.

    Example:
        >>> post_order([3], lambda number: range(number))
        [0, 1, 2, 3]
    """
    order: list[H] = []
    entered: set[H] = set()
    stack = [(root, False) for root in roots][::-1]
    while stack:
        each, left = stack.pop()
        if left:
            order.append(each)
        elif each not in entered:
            entered.add(each)
            stack.append((each, True))
            stack += [(other, False) for other in before(each) if other not in entered][::-1]
    return order


def components(references: Mapping[H, Iterable[H]]) -> list[list[H]]:
    """Return strongly connected components; what one refers to comes before it.

    What is referred to and no key is passed over.

    Complexity:
        Linear in keys and references.

    Source:
        Tarjan, Depth-first search and linear graph algorithms, 1972.

    Example:
        >>> components({"main": ["even"], "even": ["odd"], "odd": ["even"]})
        [['odd', 'even'], ['main']]
    """
    index: dict[H, int] = {}
    low: dict[H, int] = {}
    open_: dict[H, None] = {}
    found: list[list[H]] = []
    for root in references:
        if root in index:
            continue
        path = [(root, iter(references[root]))]
        index[root] = low[root] = len(index)
        open_[root] = None
        while path:
            name, following = path[-1]
            for other in following:
                if other in open_:
                    low[name] = min(low[name], index[other])
                elif other in references and other not in index:
                    index[other] = low[other] = len(index)
                    open_[other] = None
                    path.append((other, iter(references[other])))
                    break
            else:
                path.pop()
                if path:
                    parent = path[-1][0]
                    low[parent] = min(low[parent], low[name])
                if low[name] == index[name]:
                    group: list[H] = []
                    while not group or group[-1] != name:
                        group.append(open_.popitem()[0])
                    found.append(group)
    return found


def find_root(parent: MutableSequence[int], one: int) -> int:
    """Return what stands for the set that ``one`` is in, where each points to another in its set.

    Complexity:
        Nearly constant: what was on the way points there afterwards.
    """
    root = one
    while parent[root] != root:
        root = parent[root]
    while parent[one] != root:
        parent[one], one = root, parent[one]
    return root
