"""Trip counts: how often loops run, where that is written in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node

TripCount: TypeAlias = Callable[[Any], int | None]
"""``count(loop)``: how often it runs, ``None`` where that is not known.  Any: of one kind"""

TRIP_COUNTS: Final[KindTable[TripCount | None]] = KindTable(
    "the trip count of a loop", "relayish.ir.kinds.trip_count.TRIP_COUNTS", {Node: None}
)
"""By kind of loop: its literals tell the number, in constant time; the body is not looked into."""


def trip_count(loop: Node) -> int | None:
    """Return how often ``loop`` runs its body; ``None`` where that is not known.

    Example:
        >>> from relayish import tir
        >>> n = tir.Var("n")
        >>> [trip_count(tir.For(tir.Var("i"), 2, extent, tir.Block())) for extent in (5, -1, n)]
        [5, 0, None]
    """
    count = TRIP_COUNTS[type(loop)]
    return None if count is None else count(loop)
