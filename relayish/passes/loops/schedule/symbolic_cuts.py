"""Cuts of loops that arguments tell, and where variables of loops inside do not matter."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, bound_by
from relayish.passes.loops.simplify.fold_rules import fold_literals
from relayish.passes.loops.structure.iteration_lines import Line, line_of
from relayish.tir.analysis.facts.loop_ranges import LoopRanges
from relayish.tir.analysis.facts.prove import can_prove
from relayish.tir.analysis.facts.scopes import context_of
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.interpreter.access import constant
from relayish.tir.ir import operators as ops
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import ComparisonNode, Expr, Max, Min, const
from relayish.tir.ir.stmt import For
from relayish.tir.ir.tensor import Var


class Cut(NamedTuple):
    """Where a condition of a loop changes.

    Attributes:
        condition: The comparison.
        at: How many iterations there are before.
        holds_before: Whether it holds in these; else it does in those behind.
        is_exact: Whether it is known not to hold in those behind, or else in these.
    """

    condition: ComparisonNode
    at: Expr
    holds_before: bool
    is_exact: bool


class SymbolicCuts:
    """Finds cuts in the loops of a function; one for each run of a pass.

    Args:
        func: The function, in which variables are bound once; in others nothing is found.
    """

    def __init__(self, func: LoweredFunc) -> None:
        bound = Counter(var for each in PROGRAM.pre_order(func) for var in bound_by(each))
        self._left = _MOST_CUTS if max(bound.values(), default=0) <= 1 else 0
        self._arguments = frozenset(func.args)
        self._outside = context_of(func)

    def find(self, loop: For, conditions: Iterable[Expr]) -> Cut | None:
        """Return a cut of a loop that runs from 0 on, for one of some conditions in it.

        Complexity:
            Linear in the size of the loop, and the sizes of conditions.
        """
        if not self._left or loop.for_type != ForType.SERIAL or constant(loop.min) != 0:
            return None
        ranges: LoopRanges | None = None
        for each in _comparisons(conditions):
            if loop.loop_var not in PROGRAM.pre_order(each):
                continue
            if ranges is None:
                ranges = LoopRanges(PROGRAM.post_order(loop))
            line = line_of(loop, each, ranges.context, self._outside)
            cut = None if line is None else self._cut(loop, each, line, ranges)
            if cut is not None:
                self._left -= 1
                return cut
        return None

    def _cut(
        self, loop: For, condition: ComparisonNode, line: Line, ranges: LoopRanges
    ) -> Cut | None:
        highest = Affine[Expr](line.start.constant, {})
        is_exact = True
        for term, factor in line.start.terms.items():
            if term in self._arguments and term not in self._outside.assigned:
                highest = highest.plus(Affine(0, {term: factor}))
                continue
            known = ranges.intervals.get(term)
            if known is None:
                return None
            highest = highest.shifted(max(factor * end for end in known))
            is_exact = False
        if not is_exact and line.slope < 0:
            return None  # what is left to ask would come first, and look as it does now
        turn = Line(line.slope, highest).turn(loop.extent.type, self._outside)
        at = None if turn is None else self._clipped(turn, loop.extent)
        return None if at is None else Cut(condition, at, line.slope > 0, is_exact)

    def _clipped(self, turn: Expr, extent: Expr) -> Expr | None:
        """Return how many iterations of a loop are before a turn; ``None``: none, or all."""
        found, count = interval_of(turn, self._outside), interval_of(extent, self._outside)
        if found.high <= 0 or found.low >= count.high:
            return None
        if found.low < 0:
            turn = fold_literals(Max(turn, const(0, turn.type)))
        is_before = found.high <= count.low or can_prove(turn <= extent, self._outside)
        return turn if is_before else fold_literals(Min(turn, extent))


_MOST_CUTS: Final = 64

_PLAIN: Final = (ops.Add, ops.Sub, ops.Mul, ops.Minus, ops.Cast, ops.IntImm, Var, ComparisonNode)
"""What cannot fault, so that a condition made of it need not be evaluated."""


def _comparisons(conditions: Iterable[Expr]) -> Iterator[ComparisonNode]:
    seen: set[Node] = set()
    for condition in conditions:
        for each in PROGRAM.pre_order(condition):
            if isinstance(each, ComparisonNode) and each not in seen:
                seen.add(each)
                if all(isinstance(node, _PLAIN) for node in PROGRAM.pre_order(each)):
                    yield each
