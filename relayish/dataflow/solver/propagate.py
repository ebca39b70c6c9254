"""Propagation: the least solution of constraints between values that stand at no points."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, MutableMapping
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def propagate(
    known: MutableMapping[K, V],
    given: Iterable[tuple[K, V]],
    following: Callable[[K], Iterable[tuple[K, V]]],
    join: Callable[[V, V], V],
) -> None:
    """Raise values to the least ones above what is given, and above what follows from them.

    For problems whose unknowns are nodes, variables or whatever else, and no states at points: what
    calling a value does, which tensors may be zero.

    Args:
        known: The values from which to start, raised in place; a key that is absent has none yet.
        given: Keys and what their values are at least.
        following: Asked each time the value of a key was raised, for keys and what their values are
            at least because of that. It reads ``known``; it has to be monotone.
        join: The least value above two, which says that nothing is new by equality.

    Complexity:
        As often as values rise, what follows from them. No recursion.

    Source:
        Kildall's worklist, without an order.

    Example:
        >>> after = {"a": "bc", "b": "c", "c": "a"}
        >>> known: dict[str, int] = {}
        >>> propagate(known, [("b", 1), ("c", 4)],
        ...           lambda key: [(other, known[key]) for other in after[key]], lambda a, b: a | b)
        >>> sorted(known.items())
        [('a', 5), ('b', 5), ('c', 5)]
    """
    pending = list(given)
    find = known.get
    while pending:
        key, value = pending.pop()
        old = find(key)
        if old is not None:
            if value == old:
                continue
            value = join(old, value)
            if value == old:
                continue
        known[key] = value
        pending += following(key)
