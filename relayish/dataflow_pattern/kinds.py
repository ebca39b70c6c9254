"""The kinds of patterns that other packages declare, and what these match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from relayish.dataflow_pattern.pattern import DFPattern
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Expr

Demand: TypeAlias = Callable[[Any, Expr], Sequence[tuple[DFPattern, Expr]] | None]
"""``demand(pattern, expr)``: what else has to match for ``expr`` to; ``None`` if it cannot.

These are pairs of a pattern and an expression, those that ``pattern`` is made of among them."""


def is_same(one: Node, other: Node) -> bool:
    """Return whether a pattern that stands for ``one`` may stand for ``other``, too.

    They have to be one node; in a language of trees, where each place has nodes of its own, two
    that are structurally equal.
    """
    if one is other:
        return True
    kind = type(one)
    return kind is type(other) and kind.language_.is_tree and structural_equal(one, other)


DEMANDS: Final[KindTable[Demand]] = KindTable("pattern matching", "relay.dataflow_pattern.DEMANDS")
"""What kinds of patterns demand that have no place in the matcher itself."""
