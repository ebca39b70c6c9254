"""Primitives of loops: split, fuse, reorder."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.facts.prove import can_prove
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.builders.stmt import as_block
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import EQ, LT, And, Cast, Div, Expr, Max, Min, Mod, const, integer_of
from relayish.tir.ir.stmt import For, IfThenElse
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.type import Int
from relayish.tir.schedule.digits import tidy_digits
from relayish.tir.schedule.expressions import tidy
from relayish.tir.schedule.handles import LoopRV
from relayish.tir.schedule.legality import (
    check_affine_values,
    check_directions,
    check_fixed_bounds,
    check_kinds,
)
from relayish.tir.schedule.nests import chain, loop_at, only, require_plain, wrap
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.repetitions import Repetitions
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps
from relayish.tir.substitution import replace
from relayish.tir.verifier.dependences import quote


class LoopSteps(Steps):
    """Methods that change which loops there are, and their order."""

    def split(self, loop: LoopRV, factors: Sequence[int | None]) -> list[LoopRV]:
        """Split a loop into a nest of loops that runs the same iterations in the same order.

        Where the factors make more iterations than there are, the body is guarded by a condition;
        it is left out where it is known to hold.

        Args:
            loop: A serial, parallel or unrolled loop, of any minimum and any extent.
            factors: How often each of the new loops runs, the outermost first. One may be -1, or
                ``None``: as often as needed.

        Returns:
            The new loops, called as the loop was, with a number.

        Raises:
            ScheduleError: If the factors are not positive, or make too few iterations.

        Source:
            CINN ``IRSchedule::Split``, TVM ``split``.
        """
        found: list[LoopRV] = self.apply("split", loop, list(factors))
        return found

    def fuse(self, loops: Sequence[LoopRV]) -> LoopRV:
        """Fuse loops, each of which holds nothing but the next, into one.

        Args:
            loops: Serial, parallel or unrolled loops, the outermost first. Bounds of none depend on
                another.

        Returns:
            The new loop, which runs the same iterations in the same order, from 0 on.

        Raises:
            ScheduleError: If something stands between the loops, or bounds depend on others.

        Source:
            CINN ``IRSchedule::Fuse``, TVM ``fuse``.
        """
        found: LoopRV = self.apply("fuse", list(loops))
        return found

    def reorder(self, loops: Sequence[LoopRV]) -> None:
        """Put loops of one nest in another order.

        Loops between them that are not named stay where they are. Sums of integers, and what else
        is the same in any order, may be computed in another one; sums of floats not.

        Args:
            loops: Loops of which each is around or within each other, in the order that they are
                to have, the outermost first.

        Raises:
            ScheduleError: If something depends on the order: which accesses, of which iterations;
                if something else stands between the loops, or bounds depend on others.

        Source:
            CINN ``IRSchedule::Reorder``, TVM ``reorder``.
        """
        self.apply("reorder", list(loops))


@primitive("split")
def split(state: State, loop: Ref, factors: Sequence[int | None]) -> list[Ref]:
    """Put a nest of loops where one is."""
    stmt = _loop(loop, "split")
    known = integer_of(stmt.extent)
    sizes = _sizes(stmt, factors, known)
    ty = stmt.loop_var.type
    context = state.context(loop)
    check_fixed_bounds(stmt, context)
    rest = math.prod([each for each in sizes if each is not None])
    wanted = _quotient(stmt.extent, rest, context)
    counts = [wanted if each is None else const(each, ty) for each in sizes]
    check_affine_values(stmt.body, [stmt.loop_var], counts[1:], loop, "split")
    names = [f"{stmt.loop_var.name}_{at}" for at in range(len(counts))]
    variables = [Var(name, ty) for name in names]
    index, guard = _flattened(stmt.extent, variables, counts, known, context)
    value = index if integer_of(stmt.min) == 0 else tidy(stmt.min + index)
    body = replace(stmt.body, {stmt.loop_var: value})
    body = tidy_digits(body, context, dict(zip(variables, counts, strict=True)))
    image: Stmt = body if guard is None else guarded(body, guard)
    for var, count in zip(reversed(variables), reversed(counts), strict=True):
        image = stmt.with_fields(loop_var=var, min=const(0, ty), extent=count, body=as_block(image))
    state.replace(loop, image)
    return [state.ref(each) for each in chain(image, len(counts))]


def _loop(ref: Ref, what: str) -> For:
    """Return the loop at a place, if it is one that runs iterations in order, or in any order."""
    stmt = loop_at(ref)
    require_plain(stmt, what)
    return stmt


def _sizes(loop: For, factors: Sequence[int | None], extent: int | None) -> list[int | None]:
    """Return the factors, ``None`` for the one that follows from the others."""
    sizes = [None if each in (None, -1) else each for each in factors]
    told = [each for each in sizes if each is not None]
    name = loop.loop_var.name
    if not sizes or sizes.count(None) > 1 or any(each < 1 for each in told):
        raise ScheduleError(
            f"loop {name} cannot be split by {list(factors)}; expected positive factors, of which "
            f"one may be -1"
        )
    if None not in sizes and (extent is None or math.prod(told) < extent):
        count = "an unknown number of" if extent is None else str(extent)
        raise ScheduleError(
            f"the factors {told} make {math.prod(told)} iterations; loop {name} has {count} "
            f"iterations; give -1 for one of them"
        )
    return sizes


def _quotient(extent: Expr, by: int, context: Context) -> Expr:
    """Return how many times ``by`` make ``extent``, rounded up; nothing overflows."""
    known = integer_of(extent)
    ty = extent.type
    if known is not None:
        return const(max(-(-known // by), 0), ty)
    if by == 1:
        return extent
    count = const(by, ty)
    if can_prove(EQ(Mod(extent, count), const(0, ty)), context):
        return Div(extent, count)
    if interval_of(extent, context).high <= type_range(ty).high - by:
        return Div(extent + (by - 1), count)
    return Div(extent, count) + Min(Mod(extent, count), const(1, ty))


def _flattened(
    extent: Expr,
    variables: Sequence[Var],
    counts: Sequence[Expr],
    known: int | None,
    context: Context,
) -> tuple[Expr, Expr | None]:
    """Return the number of an iteration of a nest, and the condition that there is such a one."""
    index: Expr = variables[0]
    for var, count in zip(variables[1:], counts[1:], strict=True):
        index = index * count + var
    sizes = [integer_of(each) for each in counts]
    ty = extent.type
    if known is not None:
        made = math.prod([each for each in sizes if each is not None])
        if made == known:
            return index, None
        if not type_range(ty).holds(made):
            raise ScheduleError(
                f"{made} iterations are more than {ty} can count; take smaller factors"
            )
        return index, LT(index, extent)
    inner = [each for each in sizes[1:] if each is not None]
    if None in sizes[1:]:  # the outer factor is told: products may leave the type
        wide = Int(64)
        form: Expr = Cast(wide, variables[0])
        for var, count in zip(variables[1:], counts[1:], strict=True):
            form = form * Cast(wide, count) + Cast(wide, var)
        return index, LT(form, Cast(wide, extent))
    by = const(math.prod(inner), ty)
    if can_prove(EQ(Mod(extent, by), const(0, ty)), context):
        return index, None
    low: Expr = variables[1]
    for var, count in zip(variables[2:], counts[2:], strict=True):
        low = low * count + var
    return index, LT(low, tidy(extent - variables[0] * by))  # which cannot overflow


def guarded(body: Stmt, condition: Expr) -> Stmt:
    """Return a statement that runs where a condition holds, which is asked as far in as can be.

    So loops stay nested in one another. A guard that is there already is joined.
    """
    loops: list[For] = []
    inner = only(body)
    while isinstance(inner, For):
        loops.append(inner)
        inner = only(inner.body)
    if isinstance(inner, IfThenElse) and inner.false_case is None:
        image: Stmt = inner.with_fields(condition=And(inner.condition, condition))
    else:
        image = IfThenElse(condition, as_block(inner))
    return wrap(loops, image)


@primitive("fuse")
def fuse(state: State, loops: Sequence[Ref]) -> Ref:
    """Put one loop where several are."""
    fused = fusion(state, loops)
    image = fused.loop(replace(fused.stmts[-1].body, fused.images))
    state.replace(loops[0], image)
    return state.ref(image)


class Fusion(NamedTuple):
    """A loop for several.

    Attributes:
        stmts: Those that there were, the outermost first.
        var: Its variable, which is 0 first.
        extent: How often it runs.
        images: What the variables of the others are, by its own.
        context: What is known around it.
    """

    stmts: list[For]
    var: Var
    extent: Expr
    images: dict[Node, Node]
    context: Context

    def loop(self, body: Stmt) -> For:
        """Return the loop around a statement."""
        first = const(0, self.var.type)
        body = tidy_digits(body, self.context, {self.var: self.extent})
        return self.stmts[0].with_fields(
            loop_var=self.var, min=first, extent=self.extent, body=as_block(body)
        )


def fusion(state: State, loops: Sequence[Ref]) -> Fusion:
    """Return the loop that runs the iterations of a nest.

    Raises:
        ScheduleError: If there is none.
    """
    stmts = [_loop(each, "fuse") for each in loops]
    if len(stmts) < 2:
        raise ScheduleError(f"{len(stmts)} loops are given; expected two or more, to fuse")
    for outer, inner in pairwise(stmts):
        if only(outer.body) is not inner:
            raise ScheduleError(
                f"loop {outer.loop_var.name} holds more than loop {inner.loop_var.name}; expected "
                f"loops of which each holds nothing but the next"
            )
        if inner.for_type != outer.for_type:
            raise ScheduleError(
                f"loops {outer.loop_var.name} and {inner.loop_var.name} are of different kinds; "
                f"fuse them before one is made parallel, or unrolled"
            )
    _check_independent(stmts)
    context = state.context(loops[0])
    for each in stmts:
        check_fixed_bounds(each, context)
    extents = [_at_least_zero(each.extent, context) for each in stmts]
    ty = stmts[0].loop_var.type
    found = [interval_of(each, context) for each in extents]
    if not type_range(ty).holds(math.prod([each.high for each in found])):
        ty = Int(64)
    if not type_range(ty).holds(math.prod([each.high for each in found])):
        raise ScheduleError(
            f"the product of the extents {', '.join(map(one_line, extents))} may be more than "
            f"{ty} can count; expected bounds of the variables that tell that it is not"
        )
    counts = [each if each.type == ty else Cast(ty, each) for each in extents]
    gone = [each.loop_var for each in stmts]
    check_affine_values(stmts[-1].body, gone, counts[1:], loops[0], "fuse")
    total: Expr = counts[0]
    for count in counts[1:]:
        total = total * count
    var = Var("_".join([each.loop_var.name for each in stmts]) + "_fused", ty)
    images: dict[Node, Node] = {}
    left: Expr = var
    for at in reversed(range(len(stmts))):
        value = left if at == 0 else Mod(left, counts[at])
        left = Div(left, counts[at]) if at else left
        own = stmts[at].loop_var
        value = value if own.type == ty else Cast(own.type, value)
        images[own] = tidy(stmts[at].min + value)
    return Fusion(stmts, var, tidy(total), images, context)


def _at_least_zero(extent: Expr, context: Context) -> Expr:
    """Return how often a loop runs: its extent, or 0 where that is negative."""
    zero = const(0, extent.type)
    return extent if interval_of(extent, context).low >= 0 else Max(extent, zero)


def _check_independent(stmts: Sequence[For]) -> None:
    """Raise if bounds of a loop depend on the variable of another."""
    variables = {each.loop_var for each in stmts}
    for loop in stmts:
        for bound in (loop.min, loop.extent):
            used = variables.intersection(PROGRAM.pre_order(bound))
            if used:
                names = ", ".join(sorted(each.name for each in used))
                raise ScheduleError(
                    f"how often loop {loop.loop_var.name} runs depends on {names}: "
                    f"{quote(loop)}; expected bounds that no loop of these tells"
                )


@primitive("reorder")
def reorder(state: State, loops: Sequence[Ref]) -> None:
    """Put the loops of a nest in another order."""
    wanted = [loop_at(each) for each in loops]
    if len(set(wanted)) < len(wanted):
        raise ScheduleError("a loop is given twice; expected each once")
    if len(wanted) < 2:
        return
    depth = {ref: len([*ref.ancestors()]) for ref in loops}
    in_order = sorted(loops, key=lambda ref: depth[ref])
    nest = _between(in_order)
    places = [at for at, each in enumerate(nest) if each in wanted]
    if [nest[at] for at in places] == wanted:
        return
    order = list(nest)
    for at, each in zip(places, wanted, strict=True):
        order[at] = each
    context = state.context(in_order[0])
    _check_bounds(nest, order, context)
    repetitions = Repetitions(nest, order, context)
    check_directions(nest, order, context, "reorder", repetitions.are_only)
    innermost = nest[-1].body
    image = wrap(order, innermost)
    check_kinds(image, len(order), context)
    state.replace(in_order[0], image)


def _between(refs: Sequence[Ref]) -> list[For]:
    """Return the loops from the first place to the last, which hold nothing but each other."""
    found: list[For] = []
    stmt: Stmt = refs[0].stmt
    last = refs[-1].stmt
    while True:
        if not isinstance(stmt, For):
            names = ", ".join([loop_at(each).loop_var.name for each in refs])
            raise ScheduleError(
                f"between loops {names} stands {one_line(stmt)}; expected loops of one nest, each "
                f"of which holds nothing but the next; of a block that sets a reduction to its "
                f"first value, decompose_reduction makes a nest of its own"
            )
        found.append(stmt)
        if stmt is last:
            return found
        stmt = only(stmt.body)


def _check_bounds(nest: Sequence[For], order: Sequence[For], context: Context) -> None:
    """Raise if bounds of a loop that moves depend on one that would be within it, or on memory."""
    moved = {one for one, other in zip(nest, order, strict=True) if one is not other}
    for at, loop in enumerate(order):
        if loop in moved:
            check_fixed_bounds(loop, context)
        inside = {each.loop_var for each in order[at:]}
        for bound in (loop.min, loop.extent):
            used = [each for each in PROGRAM.pre_order(bound) if each in inside]
            if used:
                raise ScheduleError(
                    f"{quote(loop)} depends on {one_line(used[0])}, which would be a loop "
                    f"within it; expected bounds that loops around it tell"
                )
