"""Operators that move elements, as formulas of where each comes from."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from relayish.errors import UnlowerableError
from relayish.op.declaration.properties import evaluate
from relayish.op.tensor.layout_conversion import split_kernel_axes
from relayish.op.types.dimension import normalise_axis
from relayish.op.types.extent import Extent
from relayish.op.types.layout import places_of, read_layout
from relayish.passes.relay.to_loops.context import Site
from relayish.passes.relay.to_loops.elements import (
    Elements,
    Index,
    broadcast,
    clamped,
    flat,
    guarded,
    moved,
    same,
    unflat,
    within,
)
from relayish.passes.relay.to_loops.extents import Shape
from relayish.passes.relay.to_loops.formulas import computes, zero
from relayish.passes.relay.to_loops.pointwise import Pointwise
from relayish.tir.builders.expr import select
from relayish.tir.ir.operators import EQ, Div, Expr, Mod, const


class Movement(Pointwise, domain="relay"):
    """Writes what moves elements."""

    @computes
    def handle_transpose(self, site: Site) -> Elements:
        data = site.args[0]
        rank = len(data.shape)
        axes = site.attrs.axes
        order = [normalise_axis(axis, rank) for axis in axes] if axes else [*range(rank)][::-1]
        back = [order.index(axis) for axis in range(rank)]
        return moved(data, site.shape, lambda i: tuple([i[axis] for axis in back]))

    @computes
    def handle_reshape(self, site: Site) -> Elements:
        return regrouped(site.args[0], site.shape)

    handle_reshape_like = handle_squeeze = handle_expand_dims = handle_reshape
    handle_contrib_reverse_reshape = handle_reshape

    @computes
    def handle_strided_slice(self, site: Site) -> Elements:
        """Take elements at equal distances: which, is told by what numpy makes of positions."""
        data, shape = site.args[0], site.shape
        steps = _steps_of(site, data.shape)

        def place(index: Index) -> Index:
            return tuple(
                [
                    at * step + first if (first, step) != (0, 1) else at
                    for at, (first, step) in zip(index, steps, strict=True)
                ]
            )

        return moved(data, shape, place)

    @computes
    def handle_auto_scheduler_layout_transform(self, site: Site) -> Elements:
        """Split axes into parts, and bring these into another order."""
        sizes, order = split_kernel_axes(site.attrs, site.args[0].shape)
        parts = regrouped(site.args[0], tuple(sizes))
        back = [order.index(axis) for axis in range(len(order))]
        return moved(parts, site.shape, lambda i: tuple([i[axis] for axis in back]))

    @computes
    def handle_layout_transform(self, site: Site) -> Elements:
        """Arrange axes and their parts as another layout does; what parts lack is 0."""
        data, shape = site.args[0], site.shape
        before = read_layout(site.attrs.src_layout)
        after = read_layout(site.attrs.dst_layout)
        primal = [axis.letter for axis in before if axis.letter.isupper()]
        filler = zero(site.result.dtype)

        def element(index: Index) -> Expr:
            places: list[Expr] = [const(0)] * len(before)
            inside = []
            for letter in primal:
                mine, theirs = places_of(before, letter), places_of(after, letter)
                sizes = [data.shape[place] for place in mine]
                spans = [shape[place] for place in theirs]
                at = flat(tuple([index[place] for place in theirs]), spans)
                whole = prod(sizes)
                if prod(spans) > whole:
                    inside.append(at < whole)
                    at = clamped(at, whole)
                for place, found in zip(mine, unflat(at, sizes), strict=True):
                    places[place] = found
            return guarded(inside, data.at(tuple(places)), filler)

        return Elements(shape, site.result.dtype, element)

    @computes
    def handle_reverse(self, site: Site) -> Elements:
        data = site.args[0]
        every, axis = range(len(data.shape)), site.attrs.axis
        turned = every if axis is None else [normalise_axis(axis, len(every))]

        def place(i: Index) -> Index:
            return tuple([data.shape[a] - 1 - i[a] if a in turned else i[a] for a in every])

        return moved(data, site.shape, place)

    @computes
    def handle_tile(self, site: Site) -> Elements:
        data, shape = site.args[0], site.shape
        lead = len(shape) - len(data.shape)

        def place(index: Index) -> Index:
            return tuple(
                [
                    at if size == whole else Mod(at, const(size))
                    for at, size, whole in zip(index[lead:], data.shape, shape[lead:], strict=True)
                ]
            )

        return moved(data, shape, place, plain=False)

    @computes
    def handle_repeat(self, site: Site) -> Elements:
        data, times = site.args[0], int(site.attrs.repeats)
        if site.attrs.axis is None:
            whole = data.shape
            return moved(
                data, site.shape, lambda i: unflat(Div(i[0], const(times)), whole), plain=False
            )
        axis = normalise_axis(site.attrs.axis, len(data.shape))
        return moved(
            data,
            site.shape,
            lambda i: (*i[:axis], Div(i[axis], const(times)), *i[axis + 1 :]),
            plain=False,
        )

    @computes
    def handle_concatenate(self, site: Site) -> Elements:
        parts: tuple[Elements, ...] = site.args[0]
        axis = normalise_axis(site.attrs.axis, len(parts[0].shape))
        return _joined(site, parts, axis)

    @computes
    def handle_stack(self, site: Site) -> Elements:
        parts: tuple[Elements, ...] = site.args[0]
        axis = normalise_axis(int(site.attrs.axis), len(parts[0].shape) + 1)
        wide = [
            moved(
                part,
                (*part.shape[:axis], 1, *part.shape[axis:]),
                lambda i: (*i[:axis], *i[axis + 1 :]),
            )
            for part in parts
        ]
        return _joined(site, tuple(wide), axis)

    @computes
    def handle_split(self, site: Site) -> tuple[Elements, ...]:
        data = site.args[0]
        axis = normalise_axis(site.attrs.axis, len(data.shape))
        shapes = site.shapes()
        total = sum([shape[axis] for shape in shapes])
        found, first = [], 0
        for shape in shapes:
            found.append(_shifted(data, shape, axis, first, total))
            first += shape[axis]
        return tuple(found)

    @computes
    def handle_meshgrid(self, site: Site) -> tuple[Elements, ...]:
        """Spread each vector along an axis of its own; ``xy`` exchanges the first two."""
        parts: tuple[Elements, ...] = site.args[0]
        axes = [*range(len(parts))]
        if site.attrs.indexing == "xy":
            axes[:2] = axes[:2][::-1]
        found = []
        for part, shape, axis in zip(parts, site.shapes(), axes, strict=True):
            lengths = [1] * len(shape)
            lengths[axis] = shape[axis]
            found.append(broadcast(regrouped(part, tuple(lengths)), shape))
        return tuple(found)

    @computes
    def handle_sliding_window(self, site: Site) -> Elements:
        data = site.kept(0)
        first = normalise_axis(site.attrs.axis, len(data.shape))
        strides, count = site.attrs.strides, len(site.attrs.window_shape)

        def place(index: Index) -> Index:
            windows = index[first : first + count]
            inside = index[first + count :]
            return (
                *index[:first],
                *[
                    at * stride + within_it if stride != 1 else at + within_it
                    for at, stride, within_it in zip(windows, strides, inside, strict=True)
                ],
            )

        return moved(data, site.shape, place)

    @computes
    def handle_slice_like(self, site: Site) -> Elements:
        return moved(site.args[0], site.shape, lambda i: i)

    @computes
    def handle_shape_of(self, site: Site) -> Elements:
        sizes = site.args[0].shape
        dtype = site.result.dtype

        def at(index: Index) -> Expr:
            found = const(0, dtype)
            for axis, size in enumerate(sizes):
                found = select(EQ(index[0], const(axis)), const(size, dtype), found)
            return found

        return Elements(site.shape, dtype, at)

    @computes
    def handle_ndarray_size(self, site: Site) -> Elements:
        count = const(prod(site.args[0].shape), site.result.dtype)
        return Elements(site.shape, site.result.dtype, lambda _: count, is_plain=True)


def _cut(bounds: Sequence[np.ndarray[Any, Any]], axis: int, size: int) -> tuple[int, int, int]:
    """Return the first place of a part along an axis, the distance of the next, how many."""
    given = [int(each[axis]) if axis < each.size else None for each in bounds]
    places = range(size)[slice(*given)]
    if places.step < 0:
        raise UnlowerableError("a part that is put backwards cannot be written as loops")
    return places.start, places.step, len(places)


def regrouped(data: Elements, shape: tuple[int, ...]) -> Elements:
    """Return the same elements, row by row, in another shape; axes of size 1 cost nothing.

    Where it is known only when it runs whether there are as many of them, none is in range if not.
    """
    if data.shape == shape:
        return data
    wide = [size for size in data.shape if size != 1]
    if wide == [size for size in shape if size != 1]:

        def place(index: Index) -> Index:
            left = iter([at for at, size in zip(index, shape, strict=True) if size != 1])
            return tuple([const(0) if size == 1 else next(left) for size in data.shape])

        return moved(data, shape, place)
    before, after = prod(data.shape), prod(shape)

    def regroup(index: Index) -> Index:
        found = unflat(flat(index, shape), data.shape)
        return found if before == after else tuple([same(at, before, after) for at in found])

    return moved(data, shape, regroup, plain=False)


def _shifted(data: Elements, shape: tuple[int, ...], axis: int, first: int, total: int) -> Elements:
    """Return a part of elements, out of range if all of the parts are not as many as these."""

    def place(index: Index) -> Index:
        at = index[axis] if first == 0 else index[axis] + first
        return (*index[:axis], same(at, data.shape[axis], total), *index[axis + 1 :])

    return moved(data, shape, place)


def _joined(site: Site, parts: tuple[Elements, ...], axis: int) -> Elements:
    """Return parts behind one another: which one an element is of is chosen by its index."""

    def at(index: Index) -> Expr:
        first = sum([part.shape[axis] for part in parts])
        found: Expr | None = None
        for part in reversed(parts):
            size = part.shape[axis]
            first -= size
            if not size:
                continue
            own = index[axis] - first if first else index[axis]
            places = [same(place, part.shape[at], site.shape[at]) for at, place in enumerate(index)]
            places[axis] = clamped(own, size)
            value = part.at(tuple(places))
            found = value if found is None else select(index[axis] < first + size, value, found)
        return zero(site.result.dtype) if found is None else found  # of no elements, none is asked

    return Elements(site.shape, site.result.dtype, at)


def set_between(site: Site, bounds: Sequence[Any]) -> Elements:
    """Put a tensor in the place of a part of another, which begins and ends at constants."""
    data, value = site.args[:2]
    shape = site.shape
    cuts = [_cut(bounds, axis, size) for axis, size in enumerate(shape)]

    def at(index: Index) -> Expr:
        inside: list[Expr] = []
        places: list[Expr] = []
        for place, (first, step, count), size in zip(index, cuts, shape, strict=True):
            if (first, step, count) == (0, 1, size):
                places.append(place)
                continue
            own = place - first if first else place
            own = own if step == 1 else Div(own, const(step))
            inside.append(within(own, count))
            if step != 1:
                inside.append(EQ(Mod(place - first, const(step)), const(0)))
            places.append(clamped(own, count))
        return guarded(inside, value.at(tuple(places)), data.at(index))

    return Elements(shape, site.result.dtype, at)


def _steps_of(site: Site, sizes: Shape) -> list[tuple[int, int]]:
    """Return the first place, and the distance of the next, along each axis.

    Raises:
        UnlowerableError: If not all is taken along an axis whose size an argument tells.
    """
    found = []
    function = evaluate.get(site.call.op)
    assert function is not None
    shape = [1 if isinstance(size, Extent) else size for size in sizes]
    for axis, size in enumerate(sizes):
        if isinstance(size, Extent):
            if size != site.shape[axis]:
                raise site.refuse(f"it takes a part along axis {axis}, of unknown size")
            found.append((0, 1))
            continue
        lengths = [1] * len(shape)
        lengths[axis] = size
        places = np.broadcast_to(np.arange(size).reshape(lengths), shape)
        made = function(site.attrs, places)
        along = np.moveaxis(made, axis, 0).reshape(made.shape[axis], -1)[:, 0] if made.size else []
        first = int(along[0]) if len(along) else 0
        found.append((first, int(along[1]) - first if len(along) > 1 else 1))
    return found
