"""Operators that look for elements where integers in memory say."""

from __future__ import annotations

from math import prod

from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import is_whole
from relayish.op.types.dimension import normalise_axis
from relayish.op.values.evaluation import number_of
from relayish.passes.relay.to_loops.context import Site
from relayish.passes.relay.to_loops.elements import (
    Elements,
    Index,
    broadcast,
    clamped,
    converted,
    moved,
)
from relayish.passes.relay.to_loops.formulas import computes, literal, zero
from relayish.passes.relay.to_loops.movement import Movement, regrouped
from relayish.passes.relay.to_loops.pointwise import floor_quotient, floor_rest
from relayish.tir.builders.expr import select
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import EQ, Cast, Expr, Mod, const
from relayish.tir.ir.type import INT32, INT64, as_type


class Lookup(Movement, domain="relay"):
    """Writes what looks where its arguments say.

    An index that an axis does not have is an error where the operator makes it one, as a read
    outside a tensor; where no element is asked for, none is looked up, and nothing is an error.
    """

    @computes
    def handle_take(self, site: Site) -> Elements:
        """Take what stands at indices that memory holds: wrapped, cut off, or checked."""
        data, at, mode = site.kept(0), site.kept(1), str(site.attrs.mode)
        axis, source = site.attrs.axis, data
        if axis is None:
            source = regrouped(data, (prod(data.shape),))
        axis = normalise_axis(int(axis or 0), len(source.shape))
        batch = int(site.attrs.batch_dims)
        batch = batch + len(at.shape) if batch < 0 else batch
        rank, size = len(at.shape) - batch, source.shape[axis]

        def place(index: Index) -> Index:
            found = at.at((*index[:batch], *index[axis : axis + rank]))
            return (*index[:axis], _brought_in(found, size, mode), *index[axis + rank :])

        return moved(source, site.shape, place, plain=False)

    @computes
    def handle_gather(self, site: Site) -> Elements:
        """Take elements along an axis, where places say that vary along the others."""
        data, places = site.kept(0), site.kept(1)
        axis = normalise_axis(int(site.attrs.axis or 0), len(data.shape))
        size = data.shape[axis]

        def place(index: Index) -> Index:
            return (*index[:axis], counted(places.at(index), size), *index[axis + 1 :])

        return moved(data, site.shape, place, plain=False)

    @computes
    def handle_gather_nd(self, site: Site) -> Elements:
        """Take what stands at vectors of places, which are the first axis of their tensor."""
        data, rows = site.kept(0), site.kept(1)
        batch, count, rank = int(site.attrs.batch_dims), rows.shape[0], len(rows.shape) - 1
        sizes = data.shape[batch : batch + count]

        def place(index: Index) -> Index:
            at, rest = index[:rank], index[rank:]
            found = [counted(rows.at((const(row), *at)), size) for row, size in enumerate(sizes)]
            return (*at[:batch], *found, *rest)

        return moved(data, site.shape, place, plain=False)

    @computes
    def handle_adv_index(self, site: Site) -> Elements:
        """Take what stands at places of each of the first axes, broadcast to one another."""
        source, *indices = [site.context.keep_plain(each, site.hint) for each in site.args[0]]
        rank = len(site.shape) - (len(source.shape) - len(indices))
        spread = [broadcast(each, site.shape[:rank]) for each in indices]

        def place(index: Index) -> Index:
            found = [
                counted(each.at(index[:rank]), size)
                for each, size in zip(spread, source.shape, strict=False)
            ]
            return (*found, *index[rank:])

        return moved(source, site.shape, place, plain=False)

    @computes
    def handle_one_hot(self, site: Site) -> Elements:
        at, on, off = site.args
        axis = normalise_axis(int(site.attrs.axis), len(at.shape) + 1)
        dtype = site.result.dtype

        def element(index: Index) -> Expr:
            where = at.at((*index[:axis], *index[axis + 1 :]))
            hit = Cast(INT64, where), Cast(INT64, index[axis])
            return converted(select(EQ(*hit), on.at(()), off.at(())), dtype)

        return Elements(site.shape, dtype, element)

    @computes
    def handle_sequence_mask(self, site: Site) -> Elements:
        """Put a number behind the end of each sequence."""
        data, lengths = site.args
        axis = normalise_axis(int(site.attrs.axis), len(data.shape))
        dtype = site.result.dtype
        is_counted = is_whole(numpy_dtype(lengths.dtype)) and lengths.dtype != "uint64"
        wide = (
            INT64 if is_counted else as_type("uint64" if lengths.dtype == "uint64" else "float64")
        )
        filler = literal(number_of(site.attrs.mask_value, numpy_dtype(dtype)), dtype)

        def element(index: Index) -> Expr:
            length = Cast(wide, lengths.at((index[1 - axis],)))
            return select(Cast(wide, index[axis]) < length, data.at(index), filler)

        return Elements(site.shape, dtype, element)

    @computes
    def handle_reverse_sequence(self, site: Site) -> Elements:
        """Turn the beginning of each sequence around, an element of it or more."""
        data, lengths = site.kept(0), site.kept(1)
        rank = len(data.shape)
        batch = normalise_axis(int(site.attrs.batch_axis), rank)
        along = normalise_axis(int(site.attrs.seq_axis), rank)
        if batch == along:
            raise site.refuse(f"its batch_axis and seq_axis are both {batch}")
        most = const(data.shape[along], "int64")

        def place(index: Index) -> Index:
            asked = Cast(INT64, lengths.at((index[batch],)))
            length = Cast(INT32, ops.Max(ops.Min(asked, most), const(1, "int64")))
            at = index[along]
            turned = select(at < length, length - 1 - at, at)
            return (*index[:along], turned, *index[along + 1 :])

        return moved(data, site.shape, place, plain=False)

    @computes
    def handle_unravel_index(self, site: Site) -> Elements:
        """Take positions apart, row by row, into places along each axis."""
        places, sizes = site.args[0], site.kept(1)
        dtype = site.result.dtype
        work = dtype if dtype in ("int64", "uint64") else "int64"

        def element(index: Index) -> Expr:
            rest = converted(places.at(index[1:]), work)
            found: Expr = zero(work)
            for row in reversed(range(sizes.shape[0])):
                size = converted(sizes.at((const(row),)), work)
                found = select(EQ(index[0], const(row)), floor_rest(rest, size), found)
                rest = floor_quotient(rest, size)
            return converted(found, dtype)

        return Elements(site.shape, dtype, element)

    @computes
    def handle_matrix_set_diag(self, site: Site) -> Elements:
        """Put rows of elements on diagonals, at the beginning of each row or at its end."""
        data, diagonal, attrs = site.args[0], site.kept(1), site.attrs
        rows, columns = data.shape[-2:]
        longest = diagonal.shape[-1]
        several = attrs.k1 != attrs.k2

        def element(index: Index) -> Expr:
            down, across = index[-2:]
            number = across - down
            is_upper = number >= const(0)
            place: Expr = ops.Min(down, across)
            if several:
                length = ops.Min(
                    const(rows) + ops.Min(number, const(0)),
                    const(columns) - ops.Max(number, const(0)),
                )
                right = select(
                    is_upper,
                    const(bool(attrs.super_diag_right_align)),
                    const(bool(attrs.sub_diag_right_align)),
                )
                place = place + select(right, const(longest) - length, const(0))
            band = clamped(const(int(attrs.k2)) - number, int(attrs.k2) - int(attrs.k1) + 1)
            at = (*index[:-2], *([band] if several else []), clamped(place, longest))
            inside = ops.And(number >= const(int(attrs.k1)), number <= const(int(attrs.k2)))
            return select(inside, diagonal.at(at), data.at(index))

        return Elements(site.shape, site.result.dtype, element)

    @computes
    def handle_trilu(self, site: Site) -> Elements:
        """Keep what stands on one side of a diagonal of matrices."""
        data, diagonal = site.args
        dtype = site.result.dtype

        def element(index: Index) -> Expr:
            row, column = [Cast(INT64, at) for at in index[-2:]]
            found = Cast(INT64, diagonal.at(()))
            distance = column - row
            inside = distance >= found if site.attrs.upper else distance <= found
            return select(inside, data.at(index), zero(dtype))

        return Elements(site.shape, dtype, element)


def _brought_in(at: Expr, size: int, mode: str) -> Expr:
    """Return an index of an axis: the nearest, what is left of a division by its size, or it."""
    if mode not in ("clip", "wrap"):
        return counted(at, size)
    wide = Cast(INT64, at)
    limit = const(size, "int64")
    if mode == "clip":
        lowest = const(0, "int64")
        found = select(wide < lowest, lowest, select(wide < limit, wide, limit - 1))
    else:
        found = Mod(Mod(wide, limit) + limit, limit)
    return Cast(INT32, found)


def counted(at: Expr, size: int) -> Expr:
    """Return an index of an axis: one below 0 counts from the back."""
    wide = Cast(INT64, at)
    return Cast(INT32, select(wide < const(0, "int64"), wide + const(size, "int64"), wide))
