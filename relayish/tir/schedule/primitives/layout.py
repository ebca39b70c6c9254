"""``transform_layout``: elements of a temporary stored in another order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

from relayish.dataflow.lattice.interval import Interval
from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import one_line
from relayish.tir.analysis.dependence.accesses import collect_accesses
from relayish.tir.analysis.dependence.dependences import dependences
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.analysis.values.context import Context
from relayish.tir.builders.expr import zero
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr, const, integer_of
from relayish.tir.ir.stmt import Alloc, Block, For
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.ir.type import INT32
from relayish.tir.schedule.expressions import tidy
from relayish.tir.schedule.handles import BlockRV
from relayish.tir.schedule.index_map import IndexMap
from relayish.tir.schedule.legality import check_at_once
from relayish.tir.schedule.nests import wrap
from relayish.tir.schedule.primitives.caching import nth_buffer
from relayish.tir.schedule.primitives.memory import (
    require_own,
    rewrite_uses,
    scope_of,
    set_temporary,
)
from relayish.tir.schedule.questions import Question
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps
from relayish.tir.schedule.uses import accesses_to
from relayish.tir.schedule.views import declare_around, redirect, uses_of
from relayish.tir.verifier.dependences import AT_ONCE, quote


class LayoutSteps(Steps):
    """Methods that change how arrays lie in memory."""

    def transform_layout(
        self,
        block: BlockRV,
        buffer_index: int,
        index_map: Callable[..., Any] | IndexMap,  # Any: operands
        buffer_index_type: str = "write",
    ) -> None:
        """Store the elements of a temporary at other indices, wherever it is used.

        Args:
            block: A block that uses it.
            buffer_index: Its number among the buffers that the block stores to, or reads.
            index_map: Makes of an element's indices those where it is stored, as in
                ``lambda i, j: (i / 4, j, i % 4)``. Elements may share a place, as by
                ``lambda i, j: (i % 3, j)``, if none is stored there while another one is still to
                be read; places that no element gets are padding.
            buffer_index_type: ``"write"``, or ``"read"``: numbered as ``cache_read`` does.

        Raises:
            ScheduleError: If the buffer is an argument, whose layout is the caller's, or an element
                would have no place, or be stored over before it is read.

        Source:
            TVM ``transform_layout``, Halide ``fold_storage``.
        """
        made = IndexMap.of(index_map)
        self.apply("transform_layout", block, buffer_index, made, buffer_index_type)


@primitive("transform_layout")
def transform_layout(
    state: State,
    block: Ref,
    buffer_index: int,
    index_map: IndexMap,
    buffer_index_type: str = "write",
) -> None:
    """Put memory of another layout in the place of a temporary."""
    kinds: dict[str, type[Load | Store]] = {"write": Store, "read": Load}
    if buffer_index_type not in kinds:
        raise ScheduleError(f"found {buffer_index_type!r}; expected 'write' or 'read'")
    buffer = nth_buffer(block, buffer_index, kinds[buffer_index_type])
    require_own(state, buffer, "cache_read and cache_write make one, which can have another layout")
    shape = _shape(buffer, index_map)
    image = buffer.with_fields(shape=shape, strides=(), elem_offset=None)
    scope = scope_of(state, buffer)
    memory = {
        each: each.with_fields(destination=image, extents=shape)
        for ref in state.using(buffer)
        for each in accesses_to(ref.stmt, buffer)
        if isinstance(each, Alloc) and each.destination is buffer
    }
    shared = _sharing(buffer, image, index_map)
    if shared:
        life = scope if memory else state.ref(state.func.body)
        _check_lifetimes(life, buffer, index_map, shared)

    def at(indices: Sequence[Expr]) -> tuple[Expr, ...]:
        pairs = zip(index_map.indices, index_map.at(indices), strict=True)
        return tuple([each if isinstance(rule, Var) else tidy(each) for rule, each in pairs])

    def rewrite(stmt: Stmt) -> Stmt:
        uses = uses_of(stmt, buffer, memory)
        tensors: dict[Tensor, Tensor] = {}
        for each in uses:
            if any(index.type != INT32 for index in each.indices):
                raise ScheduleError(
                    f"{quote(each)} has indices that are no scalars of int32, which index maps are "
                    f"of"
                )
            assert isinstance(each.tensor, Tensor)
            tensors[each.tensor] = each.tensor.with_fields(shape=shape, buffer=image)
        return redirect(stmt, uses, tensors, at, memory)

    rewrite_uses(state, scope, buffer, rewrite)
    set_temporary(state, buffer, image)
    declare_around(state, scope)
    if shared:
        _check_kinds_of_users(state, image)


def _shape(buffer: Buffer, index_map: IndexMap) -> tuple[Expr, ...]:
    """Return the shape that holds all that a map makes of the indices of a buffer."""
    sizes = [integer_of(each) for each in buffer.shape]
    if len(sizes) != len(index_map.variables):
        raise ScheduleError(
            f"{index_map} takes {len(index_map.variables)} indices; {buffer.name} has {len(sizes)}"
        )
    context = Context(frozenset())
    for var, size in zip(index_map.variables, sizes, strict=True):
        if size is None:
            raise ScheduleError(
                f"{buffer.name} has sizes that are no numbers: "
                f"{', '.join(map(one_line, buffer.shape))}; expected numbers, of which it is known "
                f"where the elements go"
            )
        context = context.with_range(var, Interval(0, max(size - 1, 0)))
    shape: list[Expr] = []
    for each in index_map.indices:
        low, high = interval_of(each, context)
        if low < 0:
            raise ScheduleError(
                f"{index_map} makes indices from {low} on of those of {buffer.name}; expected none "
                f"below 0"
            )
        shape.append(const(high + 1, INT32))
    return tuple(shape)


def _sharing(buffer: Buffer, image: Buffer, index_map: IndexMap) -> str:
    """Return how two elements are apart that get one place; empty if none do.

    They do if a nest that fills them stores one twice.
    """
    target = Tensor(image.name, image.shape, image.dtype, image)
    loops = [
        For(var, const(0, INT32), size, Block(()))
        for var, size in zip(index_map.variables, buffer.shape, strict=True)
    ]
    store: Stmt = Store(target, zero(image.dtype), index_map.indices)
    found = next(iter(dependences(wrap(loops, store))), None)
    if found is None:
        return ""
    apart = ", ".join(
        [
            f"{var.name} {'any' if distance is None else f'{distance:+}'}"
            for var, distance in zip(index_map.variables, found.distance, strict=True)
        ]
    )
    sure = "" if found.is_exact else " (it is not known that not)"
    return (
        f"{index_map} gives one place to several elements of {buffer.name}{sure}, which are apart "
        f"by {apart}"
    )


def _check_lifetimes(life: Ref, buffer: Buffer, index_map: IndexMap, shared: str) -> None:
    """Raise if an element may be stored where another one is that is read afterwards.

    Args:
        life: What is run from when the buffer gets its memory until nothing needs that.
        buffer: The buffer.
        index_map: What gives several elements one place.
        shared: What is told of that.

    Complexity:
        A question for each two stores, load and dimension, twice.
    """
    context = life.state.context(life)
    found = collect_accesses(life.stmt).all
    used = [each for each in found if each.location is buffer and each.indices is not None]
    stores, loads = [[e for e in used if e.writes], [e for e in used if e.reads]]
    for kept, load, over in itertools.product(stores, loads, stores):
        for dimension, is_less in itertools.product(range(len(buffer.shape)), (True, False)):
            question = Question(context)
            first, last, between = map(question.execute, (kept, load, over))
            question.demand_same_element(first, last)
            question.demand_before(first, between)
            question.demand_before(between, last)
            own, other = [each.access.indices or () for each in (last, between)]
            for one, another in zip(index_map.at(own), index_map.at(other), strict=True):
                question.demand_equal(last.value(one), between.value(another))
            pair = last.value(own[dimension]), between.value(other[dimension])
            question.demand_less(*(pair if is_less else pair[::-1]))
            answer = question.answer(between, last)
            if answer is not None:
                when, then = answer.when()
                sure = "" if answer.is_exact else " (it is not known that not)"
                raise ScheduleError(
                    f"{shared}; {quote(over.node)}{when} would store over what "
                    f"{quote(load.node)}{then} reads afterwards{sure}; expected a place for each "
                    f"while it is needed"
                )


def _check_kinds_of_users(state: State, buffer: Buffer) -> None:
    """Raise if iterations that run at once depend on each other by a buffer."""
    for ref in state.refs(state.func.body):
        loop = ref.stmt
        if isinstance(loop, For) and loop.for_type & AT_ONCE and buffer in nodes_reached(loop):
            check_at_once(loop, state.context(ref))
