"""Operators that go through elements in order: running sums, sorting, searching, the distinct."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from numpy import result_type

from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import compute_dtype
from relayish.op.types.dimension import normalise_axis
from relayish.passes.relay.to_loops.combining import Combining
from relayish.passes.relay.to_loops.context import Site, nest
from relayish.passes.relay.to_loops.elements import Elements, Index, converted, moved
from relayish.passes.relay.to_loops.formulas import computes, literal, zero
from relayish.passes.relay.to_loops.movement import regrouped
from relayish.passes.relay.to_loops.pointwise import extern
from relayish.tir.builders.expr import select
from relayish.tir.builders.ir_builder import IRBuilder
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import EQ, NE, And, Cast, Div, Expr, Max, Min, Not, Or, const
from relayish.tir.ir.tensor import Tensor
from relayish.tir.ir.type import INT32


class Ordering(Combining, domain="relay"):
    """Writes what goes through elements in order, as statements."""

    @computes
    def handle_cumsum(self, site: Site) -> Elements:
        return _accumulated(site, ops.Add, 0)

    @computes
    def handle_cumprod(self, site: Site) -> Elements:
        return _accumulated(site, ops.Mul, 1)

    @computes
    def handle_argsort(self, site: Site) -> Elements:
        data = site.args[0]
        axis = normalise_axis(site.attrs.axis, len(data.shape))
        return cast_elements(
            ordered(site, data, axis, largest=not site.attrs.is_ascend), site.result.dtype
        )

    @computes
    def handle_sort(self, site: Site) -> Elements:
        data = site.kept(0)
        axis = normalise_axis(site.attrs.axis, len(data.shape))
        return _picked(data, ordered(site, data, axis, largest=not site.attrs.is_ascend), axis)

    @computes
    def handle_topk(self, site: Site) -> Elements | tuple[Elements, ...]:
        """Take the first of all in order."""
        data, attrs = site.kept(0), site.attrs
        axis = normalise_axis(attrs.axis, len(data.shape))
        count = data.shape[axis] if attrs.k < 1 else int(attrs.k)
        shape = (*data.shape[:axis], count, *data.shape[axis + 1 :])
        order = ordered(site, data, axis, largest=not attrs.is_ascend)
        places = moved(order, shape, lambda index: index)
        found = {
            "values": _picked(data, places, axis),
            "indices": cast_elements(places, attrs.dtype or "int32"),
        }
        return tuple(found.values()) if attrs.ret_type == "both" else found[attrs.ret_type]

    @computes
    def handle_searchsorted(self, site: Site) -> Elements:
        """Halve the range in which the place of each value may be."""
        line, values = _of_one_type(site.args)
        size, is_right = line.shape[-1], bool(site.attrs.right)

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            row, wanted = given
            with nest(build, values.shape) as index:
                value = build.let("value", wanted[index])
                low = build.let("low", const(0))
                high = build.let("high", const(size))
                with build.for_("step", size.bit_length()):
                    middle = build.let("middle", Div(low + high, const(2)))
                    outer = index[:-1] if len(line.shape) > 1 else ()
                    found = row[(*outer, Min(middle, const(size - 1)))]
                    is_later = Not(_before(value, found)) if is_right else _before(found, value)
                    is_open = build.let("is_open", low < high)
                    later = build.let("later", is_later)
                    build.store(low, select(And(is_open, later), middle + 1, low))
                    build.store(high, select(And(is_open, Not(later)), middle, high))
                build.store(made[0], low, index)

        found = site.context.perform(site.hint, [line, values], [(values.shape, "int32")], body)
        return cast_elements(found[0], site.result.dtype)

    @computes
    def handle_unique(self, site: Site) -> tuple[Elements, ...]:
        """Number the distinct of sorted elements; what is left of results is filled up."""
        data = site.kept(0)
        size, by_value = data.shape[0], bool(site.attrs.sorted)
        order = ordered(site, data, 0, largest=False)
        vector = ((size,), "int32")

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            values, places = given
            first, which, count, often, group, rank = made
            number = build.let("number", const(-1))
            with build.for_("k", size) as k:
                for each, filler in ((first, size), (often, 0), (group, 0), (rank, 0), (which, 0)):
                    build.store(each, filler, k)
            starts = group  # of each group, for now by its number
            with build.for_("k", size) as k:
                place = build.let("place", places[k])
                before = values[places[Max(k - 1, const(0))],]
                is_new = Or(EQ(k, const(0)), _before(before, values[place,]))
                with build.if_(is_new):
                    build.store(number, number + 1)
                    build.store(starts, place, number)
                build.store(which, number, place)
            build.store(number, number + 1)
            build.store(count, number, 0)
            ranked = build.let("ranked", const(0))
            with build.for_("k", size) as k:
                mine = build.let("mine", which[k,])
                is_first = EQ(starts[mine,], k)
                with build.if_(is_first):
                    build.store(rank, mine if by_value else ranked, mine)
                    build.store(first, k, mine if by_value else ranked)
                    build.store(ranked, ranked + 1)
                build.store(which, rank[mine,], k)
                build.store(often, often[which[k,],] + 1, which[k,])

        made = [vector, vector, ((1,), "int32"), vector, vector, vector]
        first, which, count, often, *_ = site.context.perform(site.hint, [data, order], made, body)
        last = const(size - 1)

        def value(index: Index) -> Expr:
            place = first.at(index)
            return select(place < const(size), data.at((Min(place, last),)), zero(data.dtype))

        found = (Elements((size,), data.dtype, value), first, which, count)
        return (*found, often) if site.attrs.return_counts else found


def cast_elements(data: Elements, dtype: str) -> Elements:
    """Return elements in another type."""
    if data.dtype == dtype:
        return data
    return Elements(data.shape, dtype, lambda index: converted(data.at(index), dtype))


def _picked(data: Elements, places: Elements, axis: int) -> Elements:
    """Return what stands along an axis at places that vary along all."""
    return moved(
        data,
        places.shape,
        lambda index: (*index[:axis], places.at(index), *index[axis + 1 :]),
        plain=False,
    )


def _of_one_type(parts: Sequence[Elements]) -> list[Elements]:
    """Return tensors in the one element type in which numpy compares them."""
    kinds = [numpy_dtype(part.dtype) for part in parts]
    if len(set(kinds)) == 1:
        return list(parts)
    return [cast_elements(part, str(result_type(*kinds))) for part in parts]


def _accumulated(site: Site, combine: Callable[[Any, Any], Expr], neutral: int) -> Elements:
    """Return what all elements up to each make, rounded when it is done."""
    attrs, data, dtype = site.attrs, site.args[0], site.result.dtype
    source = regrouped(data, (prod(data.shape),)) if attrs.axis is None else data
    axis = normalise_axis(attrs.axis or 0, len(source.shape))
    size, work = source.shape[axis], str(compute_dtype(numpy_dtype(dtype)))
    whole = "int32" if work == "bool" else work

    def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
        with nest(build, (*source.shape[:axis], *source.shape[axis + 1 :])) as outer:
            total = build.let("total", literal(neutral, whole))
            with build.for_("k", size) as k:
                place = (*outer[:axis], k, *outer[axis:])
                element = converted(converted(given[0][place], dtype), whole)
                if attrs.exclusive:
                    build.store(made[0], converted(total, work), place)
                build.store(total, combine(total, element))
                if not attrs.exclusive:
                    build.store(made[0], converted(total, work), place)

    (found,) = site.context.perform(site.hint, [source], [(source.shape, work)], body)
    return cast_elements(found, dtype)


def _before(a: Expr, b: Expr) -> Expr:
    """Return whether a number comes before another; what is no number comes last."""
    if a.type.is_bool:
        return And(Not(a), b)
    if not a.type.is_float:
        return a < b
    return Or(a < b, And(NE(b, b), EQ(a, a)))


def ordered(site: Site, data: Elements, axis: int, *, largest: bool) -> Elements:
    """Return the places of elements along an axis in order; equal ones keep theirs.

    They are merged from runs that are in order, of 1, 2, 4, ... elements.
    """
    size, shape = data.shape[axis], data.shape
    last = const(size - 1)

    def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
        places, merged = made
        with nest(build, (*shape[:axis], *shape[axis + 1 :])) as outer:

            def at(place: Expr) -> Index:
                return (*outer[:axis], place, *outer[axis:])

            with build.for_("k", size) as k:
                build.store(places, k, at(k))
                build.store(merged, k, k)
            with build.for_("level", (size - 1).bit_length()) as level:
                width = build.let("width", extern("left_shift")(const(1), level))
                pairs = Div(const(size - 1), width * 2) + 1
                with build.for_("pair", pairs) as pair:
                    start = build.let("start", pair * width * 2)
                    middle = build.let("middle", Min(start + width, const(size)))
                    end = build.let("end", Min(middle + width, const(size)))
                    left = build.let("left", start)
                    right = build.let("right", middle)
                    with build.for_("k", end - start) as k:
                        one = build.let("one", places[at(Min(left, last))])
                        other = build.let("other", places[at(Min(right, last))])
                        a, b = given[0][at(one)], given[0][at(other)]
                        is_later = _before(a, b) if largest else _before(b, a)
                        is_left = Or(right >= end, And(left < middle, Not(is_later)))
                        step = build.let("step", Cast(INT32, is_left))
                        build.store(merged, select(EQ(step, const(1)), one, other), start + k)
                        build.store(left, left + step)
                        build.store(right, right + 1 - step)
                with build.for_("k", size) as k:
                    build.store(places, merged[k,], at(k))

    results = [(shape, "int32"), ((size,), "int32")]
    return site.context.perform(f"{site.hint}_order", [data], results, body)[0]
