"""Boxes as loops: which of them stand, of those that overlap."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from relayish.passes.relay.to_loops.elements import Index, converted
from relayish.passes.relay.to_loops.pointwise import greater_of, smaller_of
from relayish.tir.builders.expr import select
from relayish.tir.builders.ir_builder import IRBuilder
from relayish.tir.ir.operators import And, Expr, Not, const
from relayish.tir.ir.tensor import Tensor, Var


class Boxes(NamedTuple):
    """Boxes of which some stand.

    Attributes:
        corner: One of the four numbers that say two opposite corners of a box.
        work: The type to compute areas in.
        falls: Whether a box falls, from its intersection with one that stands, of their union.
        related: Whether the first, which stands, may make the second fall.
        border: What a side is longer than the difference of its ends.
    """

    corner: Callable[[Expr, int], Expr]
    work: str
    falls: Callable[[Expr], Expr]
    related: Callable[[Expr, Expr], Expr] | None = None
    border: float = 0

    def share(self, one: Expr, other: Expr) -> Expr:
        """Return the intersection of two boxes, of their union; 0 where they have no area."""
        none = const(0, self.work)
        common: Expr | None = None
        areas: list[Expr | None] = [None, None]
        for axis in (0, 1):
            ends = [
                [converted(self.corner(box, at), self.work) for at in (axis, axis + 2)]
                for box in (one, other)
            ]
            low = [smaller_of(*pair) for pair in ends]
            high = [greater_of(*pair) for pair in ends]
            side = greater_of(self._longer(smaller_of(*high) - greater_of(*low)), none)
            common = side if common is None else common * side
            for at in (0, 1):
                length, area = self._longer(high[at] - low[at]), areas[at]
                areas[at] = length if area is None else area * length
        assert common is not None
        assert areas[0] is not None
        assert areas[1] is not None
        union = areas[0] + areas[1] - common
        there = union > none
        return select(there, common / select(there, union, const(1, self.work)), none)

    def _longer(self, length: Expr) -> Expr:
        return length + const(self.border, self.work) if self.border else length

    def decide(
        self, build: IRBuilder, box: Expr, kept: Tensor, number: Var, may: Expr, first: Index = ()
    ) -> None:
        """Add a box to those that stand, where none of these makes it fall.

        Args:
            build: Where statements are added.
            box: Its number.
            kept: The numbers of those that stand, behind the index ``first``.
            number: How many these are.
            may: Whether it may stand at all.
            first: The index of the row in which they are kept.
        """
        stands = build.let("stands", may)
        with build.for_("better", number) as better:
            other = build.let("other", kept[(*first, better)])
            fallen = self.falls(self.share(other, box))
            if self.related is not None:
                fallen = And(fallen, self.related(other, box))
            build.store(stands, And(stands, Not(fallen)))
        with build.if_(stands):
            build.store(kept, box, (*first, number))
            build.store(number, number + 1)
