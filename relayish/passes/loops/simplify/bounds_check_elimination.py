"""Bounds-check elimination: leave out checks whose outcome the intervals of variables tell.

Before::

    int32 x = 0
    serial for (i, 0, 16)
    {
      bool inside = ((x >= 0) and (x < 16))
      if (inside) {
        A[x] = 1
        if ((x < 15)) {
          x[] = (x + 1)
        }
      }
    }

After::

    int32 x = 0
    serial for (i, 0, 16)
    {
      bool inside = ((x >= 0) and (x < 16))
      A[x] = 1
      if ((x < 15)) {
        x[] = (x + 1)
      }
    }
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Final

from relayish._support.collector import pause_collection
from relayish.dataflow.graph import build_flow_graph
from relayish.dataflow.lattice.symbols import UNREACHABLE, Unreachable
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.solver.solve import solve
from relayish.ir.nodes.node import Node
from relayish.pass_infra import register_pass
from relayish.passes.loops.simplify.if_simplify import simplify_branches
from relayish.tir.analysis.flow.environments import Environment
from relayish.tir.analysis.flow.index_intervals import IndexIntervals
from relayish.tir.analysis.flow.point_facts import PointFacts
from relayish.tir.analysis.regions.declared_regions import sort_regions
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import And, Expr, Or, const
from relayish.tir.ir.stmt import For, IfThenElse, Let
from relayish.tir.ir.traversal import STATEMENTS


@register_pass("BoundsCheckElimination", opt_level=2, idempotent=True)
def eliminate_bounds_checks(func: LoweredFunc) -> LoweredFunc:
    """Bounds-check elimination: leave out checks whose outcome the intervals of variables tell.

    Of a branch whose condition always or never holds where it stands, the arm that is run takes
    the place, and of a loop that never runs, nothing. Of a condition that is a conjunction or
    disjunction, parts that decide nothing go. What variables may be is found along the flow of
    control: through scalars that are assigned, loops with conditions of their own, truth values
    that are tested later, branches that were not taken. What ``IfSimplify`` finds is done as well.
    A condition that may fault is still asked.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        That of :class:`~relayish.tir.analysis.IndexIntervals`; no recursion.

    Source:
        Array bounds-check elimination by intervals: Cousot and Cousot, 1976; Harrison, 1977.
    """
    with pause_collection():
        found = func
        for _ in range(_MOST_ROUNDS):
            image = simplify_branches(_Checks(found).decide())
            if image is found:
                break
            found = image
        return func if found is func else sort_regions(found)


_MOST_ROUNDS: Final = 8


class _Checks:
    """The checks of a function, with what is known where they are made."""

    def __init__(self, func: LoweredFunc) -> None:
        self.func = func
        self.graph = build_flow_graph(func)
        self.analysis = IndexIntervals()
        solved: Sequence[Solution[Environment | Unreachable]] = solve([self.analysis], self.graph)
        self.solution = solved[0]
        self.arguments: frozenset[Node] = frozenset(func.args)
        self.undefined = {
            node.symbol for node in self.graph.nodes if isinstance(node, Let) and node.body is None
        }

    def decide(self) -> LoweredFunc:
        """Return the function with conditions in place of which are literals, where that is known.

        Complexity:
            Linear in the statements, and the sizes of conditions.
        """
        images: dict[Node, Node] = {}
        for stmt in STATEMENTS.post_order(self.func):
            image = STATEMENTS.rebuild[type(stmt)](stmt, images.get)
            if isinstance(stmt, IfThenElse):
                image = image.with_fields(condition=self.decided(stmt))
            elif isinstance(stmt, For) and self.never_runs(stmt):
                image = IfThenElse(const(value=False), stmt)
            images[stmt] = image
        found = images[self.func]
        assert isinstance(found, LoweredFunc)
        return found

    def decided(self, branch: IfThenElse) -> Expr:
        """Return what the condition of a branch is where it stands."""
        condition, state = branch.condition, self.state_before(branch)
        if state is None:
            return condition
        found = self.outcome(condition, state)
        if found is not None and self.facts((condition,), state).can_drop(condition):
            return const(found)
        return self.without_needless_parts(condition, state)

    def outcome(self, condition: Expr, state: Environment) -> bool | None:
        """Return the value of a condition, where it is known."""
        for truth in (True, False):
            if self.analysis.assume(condition, not truth, state) is UNREACHABLE:
                return truth
        return None

    def without_needless_parts(self, condition: Expr, state: Environment) -> Expr:
        """Return a conjunction without what always holds, a disjunction without what never does."""
        kind = type(condition)
        parts = _parts(condition, kind)
        kept: list[Expr] = []
        for part in parts:
            needless = self.outcome(part, state) is (kind is And)
            if needless and self.facts((part,), state).can_drop(part):
                continue
            kept.append(part)
            passed = self.analysis.assume(part, kind is And, state)
            if passed is UNREACHABLE:
                return condition
            state = passed
        if len(kept) == len(parts):
            return condition
        return reduce(kind, kept) if kept else const(kind is And)

    def never_runs(self, loop: For) -> bool:
        """Return whether a loop has no iteration, and its bounds need not be asked."""
        state = self.state_before(loop)
        if state is None or not loop.extent.type.is_integer:
            return False
        known = self.facts((loop.min, loop.extent), state)
        if known.interval(loop.extent).high > 0:
            return False
        return known.can_drop(loop.min) and known.can_drop(loop.extent)

    def facts(self, exprs: Sequence[Expr], state: Environment) -> PointFacts:
        """Return what is known of some expressions in a state."""
        return PointFacts(self.analysis.values(exprs, state), self.arguments, self.undefined)

    def state_before(self, stmt: Node) -> Environment | None:
        """Return what is known before a statement, wherever it stands; ``None``: it is not run."""
        state = self.solution.before(stmt)
        return None if state is UNREACHABLE else state


_MOST_PARTS: Final = 64
"""Of how many parts a condition may consist for these to be asked one by one."""


def _parts(condition: Expr, kind: type[Expr]) -> list[Expr]:
    """Return the operands of nested connectives of one kind, in order; of many, none."""
    if kind not in (And, Or):
        return []
    found: list[Expr] = []
    pending = [condition]
    while pending and len(found) <= _MOST_PARTS:
        each = pending.pop()
        if isinstance(each, (And, Or)) and type(each) is kind:
            pending += (each.b, each.a)
        else:
            found.append(each)
    return found if len(found) <= _MOST_PARTS else []
