"""``rfactor``: partial results of a reduction, each of which an iteration of a loop has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from relayish.errors import FieldError, ScheduleError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.scopes.renaming import make_fresh_variable
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.dependence.dependence import Dependence
from relayish.tir.analysis.dependence.iteration_pairs import Direction
from relayish.tir.analysis.values.context import Context
from relayish.tir.builders.expr import logic_and, reduce_identity, reduce_step
from relayish.tir.builders.lower import REDUCE_INIT
from relayish.tir.builders.stmt import as_block
from relayish.tir.ir.expr import REDUCE_OPERATORS
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType, MemoryType, ReduceType
from relayish.tir.ir.operators import BinaryOpNode, Expr, Not, conjuncts, const, integer_of
from relayish.tir.ir.stmt import Block, For, IfThenElse, ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.schedule.expressions import is_fixed, tidy
from relayish.tir.schedule.handles import BlockRV, LoopRV
from relayish.tir.schedule.nests import only, require_plain
from relayish.tir.schedule.paths import copied_out, path_to, put_beside, questions
from relayish.tir.schedule.primitives.caching import place_without_writes
from relayish.tir.schedule.reduction_steps import is_place
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps
from relayish.tir.schedule.views import (
    Part,
    declare_around,
    declared_anew,
    declares,
    like,
    part_of,
)
from relayish.tir.substitution import replace, substitute
from relayish.tir.verifier.dependences import quote


class FactoringSteps(Steps):
    """The method that makes partial results of a reduction."""

    def rfactor(self, loop: LoopRV, rf_axis: int, allow_reordering: bool = False) -> BlockRV:
        """Let each iteration of a loop of a reduction have a result of its own.

        A nest before makes these, in an array that has a dimension more, and the reduction combines
        them. Integers, which wrap around, and truth values are the same whatever the order. Floats
        are not: sums are rounded at other places, and of zeros and NaN the greatest is what comes
        last.

        Args:
            loop: A loop of one reduction, ``B``.
            rf_axis: The number of the new dimension, among those of the new array.
            allow_reordering: Whether floats may be combined in another order.

        Returns:
            The block that makes partial results: ``rf_B``.

        Raises:
            ScheduleError: If the loop is none of a reduction, or does more, or the order counts.

        Source:
            CINN ``IRSchedule::Rfactor``, TVM ``rfactor``.
        """
        found: BlockRV = self.apply("rfactor", loop, rf_axis, allow_reordering)
        return found


class _Reduction(NamedTuple):
    """A block that reduces: ``target[indices] = kind(target[indices], value)``."""

    realize: ScheduleBlockRealize
    store: Store
    so_far: Load
    value: Expr
    kind: ReduceType


@primitive("rfactor")
def rfactor(state: State, loop: Ref, rf_axis: int, allow_reordering: bool = False) -> Ref:
    """Put a nest that makes partial results before a reduction, which combines them."""
    factored = loop.stmt
    if not isinstance(factored, For):
        raise ScheduleError(f"found {one_line(factored)}; expected a loop of a reduction")
    require_plain(factored, "rfactor")
    block, found = _reduction_in(state, loop)
    if found.value.type.is_float and not allow_reordering:
        raise ScheduleError(
            f"rfactor of {found.value.type} changes in which order {quote(found.store)} combines "
            f"values, and with that the result; expected integers, or allow_reordering=True"
        )
    outer = _outermost_reducing(block, loop, found)
    path = path_to(outer, block)
    _check_bounds(state, factored, path, state.context(outer))
    outer_conditions, inner_path = _split_conditions(path, state.func.args)
    read = [found.value, *questions(path)]
    loads = [each for each in PROGRAM.pre_order(read) if isinstance(each, Load)]
    outside = {each.stmt for each in outer.loops()}

    def repeats(dependence: Dependence) -> bool:
        """Whether an element is reduced in several iterations of a loop outside."""
        if not dependence.source.node is dependence.sink.node is found.store:
            return False
        pairs = zip(dependence.loops, dependence.direction, strict=True)
        return any(each in outside and direction != Direction.EQUAL for each, direction in pairs)

    place = place_without_writes(state, outer, loads, repeats)
    tensor = found.store.tensor
    assert isinstance(tensor, Tensor)
    part = part_of([found.store], place.stmt, state.context(place))
    if not 0 <= rf_axis <= len(part.shape):
        raise ScheduleError(
            f"found rf_axis {rf_axis}; expected 0 to {len(part.shape)}, a place among the "
            f"dimensions of {tensor.name}"
        )
    shape = (*part.shape[:rf_axis], factored.extent, *part.shape[rf_axis:])
    made = like(tensor, state.fresh_name(f"rf_{tensor.name}"), shape, MemoryType.HEAP)
    partial = _Partial(made, part, rf_axis)
    nest = _where(outer_conditions, _partial_nest(inner_path, factored, found, partial))
    nest = copied_out(place, path_to(place, outer), nest)
    combined = _where(outer_conditions, _combined(factored, found, partial))
    assert isinstance(made.buffer, Buffer)
    state.make_buffer(made.buffer)
    images: dict[Stmt, Stmt] = {found.realize: _realizes(combined)[0]}
    if place is outer:
        put_beside(state, outer, combined, nest, images=images, after=False)
    else:
        state.replace(outer, combined, images)
        put_beside(state, place, place.stmt, nest, images={}, after=False)
    image = state.ref(_realizes(nest)[1])
    declare_around(state, image)
    return image


def _reduction_in(state: State, loop: Ref) -> tuple[Ref, _Reduction]:
    """Return the only block in a loop, which has to reduce."""
    blocks = state.blocks(loop.stmt)
    if len(blocks) != 1:
        raise ScheduleError(
            f"{one_line(loop.stmt)} holds {len(blocks)} blocks; expected a loop of a reduction "
            f"alone; of a block that sets it to its first value, decompose_reduction makes a nest "
            f"of its own"
        )
    realize = blocks[0].stmt
    assert isinstance(realize, ScheduleBlockRealize)
    store = only(realize.schedule_block.body)
    operators = {operator: kind for kind, operator in REDUCE_OPERATORS.items()}
    if isinstance(store, Store) and isinstance(store.value, BinaryOpNode):
        so_far, value = store.value.a, store.value.b
        kind = operators.get(type(store.value))
        if is_place(so_far, store) and kind is not None and _is_alone(store, value):
            assert isinstance(so_far, Load)
            return blocks[0], _Reduction(realize, store, so_far, value, kind)
    raise ScheduleError(
        f"{one_line(realize)} does not reduce: {one_line(store)}; expected a block that stores "
        f"what it has so far combined with something else"
    )


def _is_alone(store: Store, value: Expr) -> bool:
    """Return whether a value does not depend on what is stored."""
    tensor = store.tensor
    assert isinstance(tensor, Tensor)
    return not any(each is tensor.buffer for each in PROGRAM.pre_order([value, *store.indices]))


def _outermost_reducing(block: Ref, loop: Ref, found: _Reduction) -> Ref:
    """Return the outermost loop around a block of which no iteration stores another element."""
    values = dict(
        zip(found.realize.schedule_block.iter_vars, found.realize.iter_values, strict=True)
    )
    kept = set(PROGRAM.pre_order([substitute(each, values) for each in found.store.indices]))
    loops: list[Ref] = []
    for ref in block.ancestors():
        stmt = ref.stmt
        if isinstance(stmt, Block) and len(stmt.stmts) > 1:
            break
        if isinstance(stmt, ScheduleBlockRealize) or (
            isinstance(stmt, For) and stmt.loop_var in kept
        ):
            break
        if isinstance(stmt, For):
            loops.append(ref)
    if loop not in loops:
        raise ScheduleError(
            f"{one_line(loop.stmt)} is not among the innermost loops around {one_line(block.stmt)} "
            f"in which it stores one element; expected one of these, to which reorder may move it"
        )
    return loops[-1]


def _check_bounds(state: State, loop: For, path: Sequence[Stmt], context: Context) -> None:
    """Raise unless a loop can be the outermost of a path, and an array have its extent."""
    inside = {each.loop_var for each in path if isinstance(each, For)}
    used = inside.intersection(PROGRAM.pre_order([loop.min, loop.extent]))
    if used or not all(is_fixed(each, context) for each in (loop.min, loop.extent)):
        raise ScheduleError(
            f"how often {one_line(loop)} runs depends on loops around it, or on memory; expected "
            f"bounds that these do not tell"
        )
    told = [each for each in PROGRAM.pre_order(loop.extent) if isinstance(each, Var)]
    if not set(told) <= set(state.func.args):
        raise ScheduleError(
            f"{one_line(loop)} does not run the same number of times each time; expected an extent "
            f"of numbers and arguments, of which an array can be"
        )


def _split_conditions(path: Sequence[Stmt], args: Sequence[Expr]) -> tuple[list[Expr], list[Stmt]]:
    """Return the conditions on a path that its loops do not tell, and the path without these.

    Raises:
        ScheduleError: If loops of the path and others tell one together.
    """
    own = {each.loop_var for each in path if isinstance(each, For)}
    hoisted: list[Expr] = []
    rest: list[Stmt] = []
    for stmt, inner in pairwise(path):
        if not isinstance(stmt, IfThenElse):
            rest.append(stmt)
            continue
        condition = stmt.condition if inner is stmt.true_case else Not(stmt.condition)
        kept: list[Expr] = []
        for part in conjuncts(condition):
            used = {each for each in PROGRAM.pre_order(part) if isinstance(each, Var)}
            used = used.difference(args)
            if not used & own:
                hoisted.append(part)
            elif used <= own:
                kept.append(part)
            else:
                raise ScheduleError(
                    f"{one_line(stmt)} depends on loops of the reduction and on others; expected "
                    f"conditions of which it is known which results they are of"
                )
        if kept:
            rest.append(IfThenElse(logic_and(*kept), as_block(inner)))
    return hoisted, [*rest, path[-1]]


def _where(conditions: Sequence[Expr], stmt: Stmt) -> Stmt:
    """Return a statement that is run where conditions hold."""
    return IfThenElse(logic_and(*conditions), as_block(stmt)) if conditions else stmt


class _Partial(NamedTuple):
    """The array of partial results.

    Attributes:
        tensor: It.
        part: The part of what is reduced that it is of.
        axis: The number of its new dimension.
    """

    tensor: Tensor
    part: Part
    axis: int

    def element(self, number: Expr, indices: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return the indices of the partial result of an iteration, of an element."""
        inner = self.part.indices(indices)
        return (*inner[: self.axis], number, *inner[self.axis :])


def _partial_nest(path: Sequence[Stmt], loop: For, found: _Reduction, partial: _Partial) -> Stmt:
    """Return the loop that makes partial results, around the others of the reduction."""
    number = _iteration(loop)
    tensor = partial.tensor
    first = tensor.with_fields(name=tensor.name + REDUCE_INIT)
    variables, values, at = _of_element(found, number, is_reduce=False)
    identity = _identity(found)
    body = Store(first, identity, partial.element(variables[-1], at))
    begin = ScheduleBlockRealize(values, ScheduleBlock(variables, (), (), first.name, body))
    block = found.realize.schedule_block
    own = Var(f"i{len(block.iter_vars)}", number.type, const(0, number.type), loop.extent)
    place = partial.element(own, found.store.indices)
    value = reduce_step(found.kind, Load(tensor, place), found.value)
    store = Store(tensor, value, place)
    made = block.with_fields(name=tensor.name, iter_vars=(*block.iter_vars, own), body=store)
    if declares(made):
        made = declared_anew(made)
    step = ScheduleBlockRealize((*found.realize.iter_values, number), made)
    inner: Stmt = step
    for each in reversed(path[:-1]):
        if isinstance(each, For) and each is not loop:
            inner = each.with_fields(body=as_block(inner))
        elif isinstance(each, IfThenElse):
            inner = IfThenElse(each.condition, as_block(inner))
    return loop.with_fields(for_type=ForType.SERIAL, body=Block((begin, inner)))


def _combined(loop: For, found: _Reduction, partial: _Partial) -> Stmt:
    """Return the loop that combines partial results."""
    variables, values, at = _of_element(found, _iteration(loop), is_reduce=True)
    target = found.store.tensor
    load = Load(partial.tensor, partial.element(variables[-1], at))
    store = Store(target, reduce_step(found.kind, Load(target, at), load), at)
    block = found.realize.schedule_block.with_fields(iter_vars=variables, body=store)
    if declares(block):
        block = declared_anew(block)
    body = Block((ScheduleBlockRealize(values, block),))
    return loop.with_fields(for_type=ForType.SERIAL, body=body)


def _iteration(loop: For) -> Expr:
    """Return the number of an iteration, from 0 on."""
    return loop.loop_var if integer_of(loop.min) == 0 else tidy(loop.loop_var - loop.min)


def _of_element(
    found: _Reduction, number: Expr, *, is_reduce: bool
) -> tuple[tuple[Var, ...], tuple[Expr, ...], tuple[Expr, ...]]:
    """Return variables of a block for an element and an iteration, their values, and indices."""
    block = found.realize.schedule_block
    used = set(PROGRAM.pre_order(list(found.store.indices)))
    pairs = [
        (make_fresh_variable(var), value, var)
        for var, value in zip(block.iter_vars, found.realize.iter_values, strict=True)
        if var in used
    ]
    images = {var: image for image, _, var in pairs}
    at = tuple([replace(each, images) for each in found.store.indices])
    own = Var(f"i{len(pairs)}", number.type, is_reduce_axis=is_reduce)
    variables = tuple([image for image, _, _ in pairs] + [own])
    return variables, tuple([value for _, value, _ in pairs] + [number]), at


def _identity(found: _Reduction) -> Expr:
    """Return what changes nothing where it is combined."""
    ty = found.value.type
    if ty.is_float and found.kind in (ReduceType.MAX, ReduceType.MIN):
        return const(-math.inf if found.kind is ReduceType.MAX else math.inf, ty)
    try:
        return reduce_identity(found.kind, ty)
    except FieldError as error:
        raise ScheduleError(
            f"{quote(found.store)} has no partial results: {error}; expected sums, products, "
            f"greatest or least values, or truth values"
        ) from error


def _realizes(root: Stmt) -> list[Stmt]:
    return [each for each in PROGRAM.pre_order(root) if isinstance(each, ScheduleBlockRealize)]
