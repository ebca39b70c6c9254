"""Loop partitioning: the primitive that cuts a loop in several, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from relayish.errors import ScheduleError
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.ir.operators import Expr, Max, Min, const, integer_of
from relayish.tir.ir.stmt import Block, For, ScheduleBlock
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.rewriting.walk import Simplification, apply_simplification
from relayish.tir.schedule.expressions import tidy
from relayish.tir.schedule.handles import LoopRV
from relayish.tir.schedule.legality import check_fixed_bounds
from relayish.tir.schedule.nests import require_plain
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps, expect
from relayish.tir.substitution import copy_with_fresh_variables


class PartitionSteps(Steps):
    """Methods that cut loops."""

    def loop_partition(self, loop: LoopRV, at: Sequence[int]) -> list[LoopRV]:
        """Cut a loop in several that run one after the other, so that conditions are decided.

        Branches of which a part knows which arm they run are left out there. Handles follow the
        first part; blocks in the others have names of their own.

        Args:
            loop: A serial, parallel or unrolled loop.
            at: The numbers of the iterations that begin another part, from 0 on, in order.

        Returns:
            The loops, one more than there are cuts.

        Raises:
            ScheduleError: If the cuts are not in order, or known to be beyond the end of the loop,
                or its bounds are read from memory.

        Source:
            TVM ``loop_partition``; Griebl, Feautrier and Lengauer, "Index set splitting".
        """
        found: list[LoopRV] = self.apply("loop_partition", loop, list(at))
        return found


@primitive("loop_partition")
def loop_partition(state: State, loop: Ref, at: Sequence[int]) -> list[Ref]:
    """Put several loops where one is."""
    stmt = loop.stmt
    expect(stmt, "a loop, as get_loops returns it", isinstance(stmt, For))
    assert isinstance(stmt, For)
    require_plain(stmt, "loop_partition")
    context = state.context(loop)
    check_fixed_bounds(stmt, context)
    _check_cuts(stmt, at)
    parts: list[For] = []
    for low, high in pairwise([0, *at, None]):
        held = _copy(state, stmt) if parts else stmt
        count = _between(stmt.extent, low or 0, high, context)
        held = held.with_fields(min=tidy(stmt.min + (low or 0)), extent=count)
        parts.append(_decide(state, held, context))
    state.replace(loop, Block(tuple(parts)))
    return [state.ref(each) for each in parts]


def _check_cuts(loop: For, at: Sequence[int]) -> None:
    """Raise unless a loop is cut within, in order."""
    known = integer_of(loop.extent)
    most = type_range(loop.extent.type).high if known is None else known - 1
    if not at or any(low >= high for low, high in pairwise([0, *at, most + 1])):
        count = "an unknown number of" if known is None else str(known)
        raise ScheduleError(
            f"loop {loop.loop_var.name} of {count} iterations cannot be cut before the iterations "
            f"{list(at)}; expected numbers of iterations within it but the first, in order"
        )


def _between(extent: Expr, low: int, high: int | None, context: Context) -> Expr:
    """Return how many of so many iterations are from ``low`` on, and below ``high``.

    It may be negative where there is none, but does not wrap around.
    """
    known, count = interval_of(extent, context), extent
    if low and known.low < type_range(extent.type).low + low:
        count = Max(count, const(low, extent.type))
    if high is not None:
        count = (
            const(high, extent.type) if known.low >= high else Min(count, const(high, extent.type))
        )
    return tidy(count - low) if low else count


def _copy(state: State, loop: For) -> For:
    """Return a loop with variables, and names of blocks, of its own."""
    blocks = [each for each in STATEMENTS.post_order(loop) if isinstance(each, ScheduleBlock)]
    images = {each: each.with_fields(name=state.fresh_name(each.name)) for each in blocks}
    return copy_with_fresh_variables(loop, images)


_BRANCHES: Final = Simplification(RuleSet(), branches=True)


def _decide(state: State, loop: For, context: Context) -> For:
    """Return a loop without branches of which it is known there which arm they run."""
    part = state.func.with_fields(body=Block((loop,)))
    body = apply_simplification(part, _BRANCHES, context).body
    return next(each for each in STATEMENTS.pre_order(body) if isinstance(each, For))
