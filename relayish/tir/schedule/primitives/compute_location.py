"""Primitives of locations: a block is computed in a loop of what needs it, or of what it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from relayish.errors import ScheduleError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.kinds.one_line import one_line
from relayish.ir.scopes.renaming import make_fresh_variable
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.facts.symbolic_bounds import SymbolicBounds
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.linear_form import (
    LinearForm,
    expr_of_form,
    interval_of_form,
    linear_form,
)
from relayish.tir.analysis.regions.regions import sees_whole_buffer
from relayish.tir.analysis.values.context import Context
from relayish.tir.builders.stmt import as_block
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import GE, LT, Div, Expr, const
from relayish.tir.ir.stmt import Block, For, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.schedule.handles import BlockRV, LoopRV
from relayish.tir.schedule.instances import Span, domain
from relayish.tir.schedule.needed import region_in
from relayish.tir.schedule.nests import wrap
from relayish.tir.schedule.paths import around, path_to
from relayish.tir.schedule.primitives.loops import guarded
from relayish.tir.schedule.primitives.queries import block_name
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.relocation import Relocation, block_of, variables_of_first
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps
from relayish.tir.substitution import replace


class LocationSteps(Steps):
    """Methods that compute blocks in other loops."""

    def compute_at(self, block: BlockRV, loop: LoopRV, keep_unit_loops: bool = False) -> None:
        """Compute a block in a loop of what needs it, in each iteration what that needs.

        What several iterations need is computed in each of them. A reduction moves with the block
        that sets its first values, if both stand in one nest.

        Args:
            block: The block.
            loop: The loop, which loads what the block stores; the block comes before the first of
                its statements that does.
            keep_unit_loops: Whether loops of one iteration are made as well.

        Raises:
            ScheduleError: If accesses would come in another order: which, in which iterations; if
                something else needs what would not be computed any more.

        Source:
            CINN ``IRSchedule::ComputeAt``, TVM ``compute_at``.
        """
        self.apply("compute_at", block, loop, keep_unit_loops)

    def simple_compute_at(self, block: BlockRV, loop: LoopRV) -> None:
        """Run what is in the loops around a block in other loops that are run as often.

        Args:
            block: A block that has as many loops around it as there are down to ``loop``, with the
                same bounds, or more.
            loop: The loop. What came before it comes first in its body, what came after it last.

        Raises:
            ScheduleError: If bounds differ, or accesses would come in another order.

        Source:
            CINN ``IRSchedule::SimpleComputeAt``.
        """
        self.apply("simple_compute_at", block, loop)

    def reverse_compute_at(
        self, block: BlockRV, loop: LoopRV, keep_unit_loops: bool = False
    ) -> None:
        """Compute a block in a loop of what it needs, in each iteration what can be computed then.

        Args:
            block: The block.
            loop: The loop, which stores what the block loads; the block comes after the last of
                its statements that does.
            keep_unit_loops: Whether loops of one iteration are made as well.

        Raises:
            ScheduleError: If accesses would come in another order: which, in which iterations; if
                not all would be computed, each once.

        Source:
            CINN ``IRSchedule::ReverseComputeAt``, TVM ``reverse_compute_at``.
        """
        self.apply("reverse_compute_at", block, loop, keep_unit_loops)


@primitive("compute_at")
def compute_at(state: State, block: Ref, loop: Ref, keep_unit_loops: bool = False) -> None:
    """Move a block to what needs it."""
    move = Relocation(state, block, loop, f"compute_at of {block_name(block)}")
    at = move.first_use()
    boxes = _boxes(move, move.written, is_needed=True)
    move.put(at, _nest(move, boxes, keep_unit_loops))
    move.check(may_repeat=True)
    move.apply()


@primitive("reverse_compute_at")
def reverse_compute_at(state: State, block: Ref, loop: Ref, keep_unit_loops: bool = False) -> None:
    """Move a block to what it needs."""
    move = Relocation(state, block, loop, f"reverse_compute_at of {block_name(block)}")
    at = move.last_source()
    boxes = _boxes(move, move.read, is_needed=False)
    move.put(at, _nest(move, boxes, keep_unit_loops))
    move.check(may_repeat=False)
    move.apply()


@primitive("simple_compute_at")
def simple_compute_at(state: State, block: Ref, loop: Ref) -> None:
    """Move what is in the loops around a block to other loops of the same bounds."""
    move = Relocation(state, block, loop, f"simple_compute_at of {block_name(block)}")
    wanted = path_to(move.region, loop)
    outer = [each for each in wanted if isinstance(each, For)]
    own = [each for each in move.path if isinstance(each, For)][: len(outer)]
    images: dict[Var, Var] = {}
    for one, other in zip(own, outer, strict=False):
        pairs = [(replace(one.min, images), other.min), (replace(one.extent, images), other.extent)]
        if one.loop_var.type != other.loop_var.type or not all(structural_equal(*p) for p in pairs):
            raise ScheduleError(
                f"{move.what}: {one_line(one)} runs other iterations than {one_line(other)}; "
                f"expected loops of the same bounds down to the one that is given"
            )
        images[one.loop_var] = other.loop_var
    at = len(move.path) if len(own) < len(outer) else move.path.index(own[-1])
    held = [each for each in (*wanted[1:], *move.path[1:at]) if not isinstance(each, (For, Block))]
    if held or len(own) < len(outer):
        raise ScheduleError(
            f"{move.what}: {one_line(held[0] if held else block.stmt)} is not run as often as loop "
            f"{outer[-1].loop_var.name}; expected as many loops around the block, and nothing else"
        )
    if move.first is not None and own[-1] not in path_to(move.region, move.first):
        move.first = None  # it stays where it is
    stmts = _held_below(move, move.path[at + 1 :])
    nest = replace(Block(tuple(stmts)), images)
    move.put(0 if move.is_before else len(outer[-1].body.stmts), nest)
    move.check_order(images)
    move.apply()


def _held_below(move: Relocation, path: Sequence[Stmt]) -> list[Stmt]:
    """Return what is left of the blocks' nest below some of its loops.

    Args:
        move: The blocks.
        path: The statements from there to the block that reduces, or the only one.
    """
    inner = next(each for each in path if not isinstance(each, Block))
    held = move.block.state.blocks(inner)
    whole = inner if all(each in move.blocks for each in held) else None
    found: list[Stmt] = []
    for ref in move.blocks:
        if whole is None or ref not in held:
            below = path_to(move.region, ref)
            below = below[next(n for n, each in enumerate(below) if each is path[0]) :]
            loops = [each for each in below if isinstance(each, For)]
            fresh = {each.loop_var: make_fresh_variable(each.loop_var) for each in loops}
            found.append(replace(around(below, ref.stmt), fresh))
    return found if whole is None else [*found, whole]


def _boxes(move: Relocation, buffers: Sequence[Buffer], *, is_needed: bool) -> dict[Var, Range]:
    """Return what each variable of the block has to be in one iteration of the loop.

    Args:
        move: Where the block goes.
        buffers: What is stored by the block and loaded in the loop, or the other way round.
        is_needed: Whether the block stores it.
    """
    found: dict[Var, SymbolicBounds] = {}
    block = block_of(move.block)
    context = move.block.state.inner_context(move.loop)
    kinds: tuple[type[Store], type[Load]] = (Store, Load)
    own, other = kinds if is_needed else kinds[::-1]
    accesses = [
        each
        for each in PROGRAM.pre_order(block)
        if isinstance(each, own) and isinstance(each.tensor, Tensor)
    ]
    if is_needed and len(accesses) > 1:
        accesses = []  # not worth the while
    for buffer in buffers:
        region = region_in(move.loop, buffer, other)
        if region is None:
            continue
        for access in accesses:
            tensor = access.tensor
            assert isinstance(tensor, Tensor)
            if tensor.buffer is not buffer or not sees_whole_buffer(tensor):
                continue
            for index, bounds in zip(access.indices, region, strict=True):
                solved = _solved(index, bounds, block.iter_vars, context)
                if solved is None:
                    continue
                var, its = solved
                found[var] = its if var not in found else _earlier(found[var], its, context)
    box = domain(move.block, move.region)
    if box is None:
        raise ScheduleError(
            f"{move.what}: it is not known what the variables of the block are; expected sums of "
            f"loops that do not wrap around"
        )
    pairs = zip(block.iter_vars, box, strict=True)
    return {var: _range(found.get(var), bounds, context) for var, bounds in pairs}


def _solved(
    index: Expr, bounds: SymbolicBounds | None, variables: Sequence[Var], context: Context
) -> tuple[Var, SymbolicBounds] | None:
    """Return between which bounds a variable is that an index is made of; ``None``: anywhere.

    Args:
        index: Made of one of the variables, and of others, which are around the loop.
        bounds: Of the index.
        variables: Those of the block.
        context: What is known in the loop.
    """
    if bounds is None or not index.type.is_scalar:
        return None
    form = linear_form(index)
    own = [each for each in form.terms if each in variables]
    if len(own) != 1 or not all(isinstance(each, Var) for each in form.terms):
        return None
    [var] = own
    assert isinstance(var, Var)
    factor = form.terms[var]
    rest = form.plus(Affine(0, {var: factor}), -1)
    low, high = [each.plus(rest, -1).times(1 if factor > 0 else -1) for each in bounds]
    if factor < 0:
        low, high = high, low
    by = abs(factor)
    if by > 1:
        low = low.shifted(by - 1)
        least = min(int(interval_of_form(each, context).low) for each in (low, high))
        turns = max(-(least // by), 0)  # division goes towards zero
        if turns > _MOST_TURNS:
            return None
        low, high = [
            linear_form(
                Div(expr_of_form(each.shifted(turns * by), var.type), const(by, var.type)), context
            ).shifted(-turns)
            for each in (low, high)
        ]
    return var, SymbolicBounds(low, high)


_MOST_TURNS: Final = 1 << 20
"""How far below 0 indices may be that are divided."""


def _earlier(one: SymbolicBounds, other: SymbolicBounds, context: Context) -> SymbolicBounds:
    """Return the bounds that are less."""
    apart = interval_of_form(other.lower.plus(one.lower, -1), context)
    return other if apart.high < 0 else one


class Range(NamedTuple):
    """What a variable is in one iteration of a loop.

    Attributes:
        first: The least value.
        size: How many values there are.
        least: What it is at least, as far as that has to be asked.
        most: The same of what it is at most.
    """

    first: LinearForm
    size: LinearForm
    least: Sequence[LinearForm] = ()
    most: Sequence[LinearForm] = ()


def _range(wanted: SymbolicBounds | None, whole: Span, context: Context) -> Range:
    """Return the values that are wanted, of those that a variable has."""
    (first, *least), (last, *most) = whole
    size = last.plus(first, -1)
    everything = Range(first, size.shifted(1), least, most)
    if wanted is None:
        return everything
    low, high = wanted
    if low.is_constant and first.is_constant:
        low = max(low, first, key=lambda each: each.constant)
    if high.is_constant and last.is_constant:
        high = min(high, last, key=lambda each: each.constant)
    width = high.plus(low, -1)
    if width.is_constant and size.is_constant and width.constant >= size.constant:
        return everything
    return Range(
        low,
        width.shifted(1),
        [e for e in whole.lower if interval_of_form(low.plus(e, -1), context).low < 0],
        [e for e in whole.upper if interval_of_form(e.plus(high, -1), context).low < 0],
    )


def _nest(move: Relocation, ranges: dict[Var, Range], keep_unit_loops: bool) -> Stmt:
    """Return the loops that run the blocks for the values that their variables have."""
    realize = move.block.stmt
    assert isinstance(realize, ScheduleBlockRealize)
    of_first = variables_of_first(move)
    loops = [each.loop_var for each in move.path if isinstance(each, For)]

    def place(var: Var) -> int:
        value = realize.iter_values[realize.schedule_block.iter_vars.index(var)]
        inside = {*PROGRAM.pre_order(value)}
        return next((at for at, each in enumerate(loops) if each in inside), -1)

    order = sorted(ranges, key=place)
    outer = [each for each in order if each in of_first.values()] if of_first else order
    inner = [each for each in order if each not in outer]
    values: dict[Var, Expr] = {}
    made: dict[Var, For] = {}
    for at, (var, its) in enumerate([(each, ranges[each]) for each in (*outer, *inner)]):
        ty = var.type
        if its.size == Affine(1, {}) and not keep_unit_loops:
            values[var] = expr_of_form(its.first, ty)
            continue
        index = Var(f"ax{at}", ty, is_reduce_axis=var.is_reduce_axis)
        values[var] = expr_of_form(its.first.plus(Affine(0, {index: 1})), ty)
        count = expr_of_form(its.size, ty)
        made[var] = For(index, const(0, ty), count, Block(()))
    own = realize.with_fields(
        iter_values=tuple([values[v] for v in realize.schedule_block.iter_vars])
    )
    body: Stmt = _guard(wrap([made[v] for v in inner if v in made], own), inner, ranges, values)
    if move.first is not None:
        first = move.first.stmt
        assert isinstance(first, ScheduleBlockRealize)
        given = [values[of_first[v]] for v in first.schedule_block.iter_vars]
        body = Block((first.with_fields(iter_values=tuple(given)), *as_block(body).stmts))
    return _guard(wrap([made[v] for v in outer if v in made], body), outer, ranges, values)


def _guard(
    stmt: Stmt, variables: Sequence[Var], ranges: dict[Var, Range], values: dict[Var, Expr]
) -> Stmt:
    """Return a statement that runs only for values that there are."""
    for var in variables:
        for each in ranges[var].least:
            stmt = guarded(stmt, GE(values[var], expr_of_form(each, var.type)))
        for each in ranges[var].most:
            stmt = guarded(stmt, LT(values[var], expr_of_form(each.shifted(1), var.type)))
    return stmt
