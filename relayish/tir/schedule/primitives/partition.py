"""Loop partitioning: the primitive that cuts a loop in several, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import pairwise
from typing import Final

from relayish.dataflow.lattice.interval import Interval
from relayish.errors import ScheduleError
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.facts.prove import can_prove
from relayish.tir.analysis.facts.scopes import enter_loop
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.operators import And, Expr, Max, Min, conjuncts, const, integer_of
from relayish.tir.ir.stmt import Alloc, Block, For, IfThenElse, ScheduleBlock
from relayish.tir.ir.tensor import Buffer, Tensor
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.rewriting.walk import Simplification, apply_simplification
from relayish.tir.schedule.expressions import tidy
from relayish.tir.schedule.handles import LoopRV
from relayish.tir.schedule.legality import check_fixed_bounds
from relayish.tir.schedule.nests import only, require_plain
from relayish.tir.schedule.primitives.memory import scope_of
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps, expect
from relayish.tir.substitution import copy_with_fresh_variables, substitute


class PartitionSteps(Steps):
    """Methods that cut loops."""

    def loop_partition(self, loop: LoopRV, at: Sequence[int]) -> list[LoopRV]:
        """Cut a loop in several that run one after the other, so that conditions are decided.

        Branches of which a part knows which arm they run are left out there, as are iterations of
        inner loops that do nothing there. Handles follow the first part; blocks in the others have
        names of their own, and memory, where each iteration has.

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
        held = _copy(state, loop) if parts else stmt
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


def _copy(state: State, loop: Ref) -> For:
    """Return a loop with variables, names of blocks, and memory of its own."""
    stmt = loop.stmt
    assert isinstance(stmt, For)
    images: dict[Node, Node] = {}
    own = [each for each in _allocated(stmt) if loop in _around(scope_of(state, each))]
    for buffer in own:
        name = state.fresh_name(buffer.name.removeprefix("_"))
        images[buffer] = buffer.with_fields(name=f"_{name}")
    for node in PROGRAM.post_order(stmt):
        if isinstance(node, ScheduleBlock) or (isinstance(node, Tensor) and node.buffer in images):
            images[node] = node.with_fields(name=state.fresh_name(node.name))
    for buffer in own:
        made = images[buffer]
        assert isinstance(made, Buffer)
        state.make_buffer(made)
    return copy_with_fresh_variables(stmt, images)


_BRANCHES: Final = Simplification(RuleSet(), branches=True)


def _decide(state: State, loop: For, context: Context) -> For:
    """Return a loop without branches of which it is known there which arm they run."""
    part = state.func.with_fields(body=Block((loop,)), temp_bufs=())
    body = apply_simplification(part, _BRANCHES, context).body
    found = next(each for each in STATEMENTS.pre_order(body) if isinstance(each, For))
    return _bounded(found, context)


def _bounded(loop: For, context: Context) -> For:
    """Return a loop whose inner loops end where a guard of all that they do no longer holds."""
    while True:
        images = next(_ends(loop, context), None)
        if images is None:
            return loop
        loop = substitute(loop, images)


def _ends(loop: For, context: Context) -> Iterator[dict[Node, Node]]:
    """Yield loops that end sooner, each with what its guard becomes."""
    pending: list[tuple[Stmt, Context]] = [(loop, context)]
    while pending:
        stmt, known = pending.pop()
        if isinstance(stmt, Block):
            pending += [(each, known) for each in stmt.stmts]
        if not isinstance(stmt, For):
            continue
        guard = _guard_of(stmt)
        conditions = [] if guard is None else [*conjuncts(guard.condition)]
        for each in conditions:
            count = _holds_for(each, stmt, known)
            if guard is not None and count is not None:
                rest = [other for other in conditions if other is not each]
                inner = guard.with_fields(condition=reduce(And, rest)) if rest else guard.true_case
                extent = const(count, stmt.extent.type)
                yield {guard: inner, stmt: stmt.with_fields(extent=extent)}
        pending.append((stmt.body, enter_loop(known, stmt)))


def _guard_of(loop: For) -> IfThenElse | None:
    """Return the branch around all that a nest does."""
    stmt: Stmt = loop
    while isinstance(stmt, For):
        stmt = only(stmt.body)
    return stmt if isinstance(stmt, IfThenElse) and stmt.false_case is None else None


def _holds_for(condition: Expr, loop: For, context: Context) -> int | None:
    """Return for how many iterations a condition holds, if for the first ones and not for all."""
    extent, low = integer_of(loop.extent), integer_of(loop.min)
    if extent is None or low is None or extent > _FEW or loop.for_type & ForType.VECTORIZED:
        return None
    if loop.loop_var not in PROGRAM.pre_order(condition):
        return None
    found: list[bool | None] = []
    for at in range(low, low + extent):
        here = context.with_range(loop.loop_var, Interval(at, at))
        found.append(can_prove(condition, here))
        if found[-1] is None:
            return None
    count = found.index(False) if False in found else 0
    return count if count and not any(found[count:]) else None


_FEW: Final = 64
"""How many iterations a loop has at most of which each is looked at."""


def _allocated(root: Stmt) -> list[Buffer]:
    """Return the memory that is allocated in a statement."""
    found = [each.destination for each in STATEMENTS.pre_order(root) if isinstance(each, Alloc)]
    return [each for each in dict.fromkeys(found) if isinstance(each, Buffer)]


def _around(ref: Ref) -> list[Ref]:
    return [ref, *ref.ancestors()]
