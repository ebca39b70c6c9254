"""Trip counts: how often loops run, where that is written in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from relayish.ir.kind_table import KindTable
from relayish.ir.node import Node

TripCount: TypeAlias = Callable[[Any], int | None]
"""``count(loop)``: how often it runs, ``None`` where that is not known.  Any: of one kind"""

_TRIP_COUNTS: KindTable[TripCount | None] = KindTable(
    "the trip count of a loop", "relayish.ir.trip_count.register_trip_count", {Node: None}
)


def register_trip_count(kind: type[Node], count: TripCount, *, replace: bool = False) -> None:
    """Say how often loops of class ``kind`` run their bodies.

    Args:
        kind: A kind or a family of nodes with scopes that run repeatedly.
        count: Gives the number of iterations of a loop, where its literals tell it, in constant
            time: the body is not looked into.
        replace: Take the place of what was said before.

    Raises:
        DuplicateNameError: If somebody else said that already and ``replace`` is false.
    """
    _TRIP_COUNTS.register(kind, count, replace=replace)


def trip_count(loop: Node) -> int | None:
    """Return how often ``loop`` runs its body; ``None`` where that is not known.

    Example:
        >>> from relayish import tir
        >>> n = tir.Var("n")
        >>> [trip_count(tir.For(tir.Var("i"), 2, extent, tir.Block())) for extent in (5, -1, n)]
        [5, 0, None]
    """
    count = _TRIP_COUNTS[type(loop)]
    return None if count is None else count(loop)
