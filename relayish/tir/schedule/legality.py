"""Legality of reordered loops and of their kinds, by dependences, with reasons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Sequence

from relayish.errors import ScheduleError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, bound_by
from relayish.tir.analysis.dependence.accesses import Access
from relayish.tir.analysis.dependence.dependence import Dependence
from relayish.tir.analysis.dependence.dependences import dependences, loop_carried
from relayish.tir.analysis.dependence.iteration_pairs import Direction
from relayish.tir.analysis.facts.scopes import enter_loop
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr, FloatImm, IntImm, UIntImm
from relayish.tir.ir.stmt import For, ScheduleBlockRealize
from relayish.tir.ir.tensor import Store, Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.schedule.conflicts import show_conflict
from relayish.tir.schedule.expressions import is_fixed
from relayish.tir.schedule.nests import chain
from relayish.tir.schedule.reduction_steps import free_steps
from relayish.tir.schedule.state import Ref
from relayish.tir.verifier.dependences import AT_ONCE, is_harmless, quote, reach_of
from relayish.tir.verifier.loop_kinds import spell


def check_directions(
    nest: Sequence[For],
    order: Sequence[For],
    context: Context,
    what: str,
    is_harmless: Callable[[Dependence], bool] = lambda _: False,
) -> None:
    """Raise if loops of a nest cannot run in another order: if a sink would come before its source.

    Args:
        nest: The loops as they are, each of which holds nothing but the next.
        order: The same loops as they are to be.
        context: What is known where the nest is run.
        what: The primitive.
        is_harmless: Whether a sink may come before its source after all.

    Raises:
        ScheduleError: Naming the accesses, an iteration of each, and what to do.
    """
    if context.is_unreachable:
        return
    places = [nest.index(each) for each in order]
    steps = free_steps(nest[0])

    def is_wanted(source: Access, sink: Access) -> bool:
        step = steps.get(source.node)
        is_free = step is not None and step is steps.get(sink.node)
        return not is_free and not _store_the_same(source.node, sink.node)

    for each in dependences(nest[0], context, wanted=is_wanted):
        place = _turning(each.direction[: len(nest)], places)
        if place is None or not is_wanted(each.source, each.sink) or is_harmless(each):
            continue
        names = ", ".join([loop.loop_var.name for loop in order])
        raise ScheduleError(
            f"{what} to {names} would change what is computed: "
            f"{show_conflict(each.source, each.sink, context, last=order)}; loop "
            f"{nest[place].loop_var.name} has to stay within the loop that keeps them in order, "
            f"{_carrier(each)}"
        )


def _turning(direction: Sequence[Direction], places: Sequence[int]) -> int | None:
    """Return the outermost of some loops in which a sink may come first, if any."""
    for place in places:
        way = direction[place] if place < len(direction) else Direction.EQUAL
        if way == Direction.LESS:
            return None
        if way & Direction.GREATER:
            return place
    return None


def _store_the_same(one: Node, other: Node) -> bool:
    """Return whether it does not matter which of two stores comes last."""
    if not isinstance(one, Store) or not isinstance(other, Store):
        return False
    literals = (IntImm, UIntImm, FloatImm)
    return isinstance(one.value, literals) and structural_equal(one.value, other.value)


def _carrier(dependence: Dependence) -> str:
    loop = dependence.carrier
    return loop.loop_var.name if isinstance(loop, For) else "that around both"


def check_fixed_bounds(loop: For, context: Context) -> None:
    """Raise unless bounds of a loop may be computed again, by each of several loops or later.

    Raises:
        ScheduleError: If one is read from memory, or may fail.
    """
    if not all(is_fixed(each, context) for each in (loop.min, loop.extent)):
        raise ScheduleError(
            f"{quote(loop)} computes how often it runs from memory, or may fail at it; expected "
            f"bounds that are the same whenever they are computed"
        )


def check_affine_values(
    body: Stmt, variables: Collection[Var], factors: Sequence[Expr], around: Ref, what: str
) -> None:
    """Raise if values of blocks' variables would be no longer affine in loops: divided by others.

    Args:
        body: What stands in the loops.
        variables: Those of the loops that are gone then.
        factors: By what their values are divided, or multiplied.
        around: The place of the outermost loop.
        what: The primitive.

    Raises:
        ScheduleError: If so.
    """
    bound = {var for each in around.ancestors() for var in bound_by(_binder(each.stmt))}
    varying = [each for each in factors if bound.intersection(PROGRAM.pre_order(each))]
    if not varying:
        return
    for node in STATEMENTS.pre_order(body):
        if isinstance(node, ScheduleBlockRealize):
            for value in node.iter_values:
                if not {*variables}.isdisjoint(PROGRAM.pre_order(value)):
                    raise ScheduleError(
                        f"{what} would divide {quote(value)}, which block "
                        f"{node.schedule_block.name} is given, by {quote(varying[0])}, which loops "
                        f"around tell; expected bounds that are the same in each iteration of these"
                    )


def _binder(stmt: Stmt) -> Stmt:
    return stmt.schedule_block if isinstance(stmt, ScheduleBlockRealize) else stmt


def check_kinds(root: Stmt, depth: int, context: Context) -> None:
    """Raise if a loop that runs iterations at once, of some outermost ones, carries a dependence.

    Args:
        root: A nest.
        depth: How many of its loops are asked about.
        context: What is known where it is run.
    """
    for loop in chain(root, depth):
        if loop.for_type & AT_ONCE:
            check_at_once(loop, context)
        context = enter_loop(context, loop)


def check_at_once(loop: For, context: Context, changed: Container[Node] | None = None) -> None:
    """Raise if iterations of a loop depend on one another, so that they cannot run at once.

    Args:
        loop: The loop.
        context: What is known where it is run.
        changed: What makes accesses that were made elsewhere, where nothing else has changed since
            this was found to be so; ``None``: anything may have.

    Raises:
        ScheduleError: Naming the accesses, an iteration of each, and what to do.
    """
    if context.is_unreachable:
        return

    def is_wanted(source: Access, sink: Access) -> bool:
        return changed is None or source.node in changed or sink.node in changed

    reach = reach_of(loop)
    for source, sink in loop_carried(loop, context, max_distance=reach, wanted=is_wanted):
        if not is_harmless(loop, source, sink):
            raise ScheduleError(
                f"loop {loop.loop_var.name} cannot be {spell(loop.for_type & AT_ONCE)}: "
                f"{show_conflict(source, sink, context, first=loop, reach=reach)}; let each "
                f"iteration have elements of its own, as rfactor, cache_write and set_buffer with "
                f"fixed=True do"
            )
