"""Comparison rules: how nodes of a kind are compared and hashed, where their fields do not tell.

Variables correspond by where they are bound, and all other nodes are compared field by field,
unless a rule is registered here: for what is the same by name alone, say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node

Same = Callable[[Any, Any], bool]  # Any: two nodes of one kind
Beside = Callable[[Any, Any], "tuple[object, object] | None"]  # Any: as above


class Comparison(NamedTuple):
    """What is particular about comparing nodes of one kind.

    Attributes:
        same: Decides alone whether two nodes are equal; else their fields do.
        skipped: Fields that are compared by ``beside``, or not at all.
        beside: Gives two further things to compare, or ``None`` where there is nothing. Where
            fields are skipped it is asked only about nodes in which these are not the same object.
        hashed: Attributes that are hashed in place of the fields, for nodes that hold no others;
            without any, the fields are.
    """

    same: Same | None = None
    skipped: tuple[str, ...] = ()
    beside: Beside | None = None
    hashed: tuple[str, ...] = ()


COMPARISONS: Final[KindTable[Comparison]] = KindTable(
    "structural comparison", "relayish.ir.equality.comparison.COMPARISONS", {Node: Comparison()}
)
"""By kind; kinds without a rule of their own are compared by their fields."""
