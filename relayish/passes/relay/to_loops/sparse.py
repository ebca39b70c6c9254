"""Sparse matrices as loops: entries are gone through row by row, and no others are multiplied.

A matrix is held as compressed rows, of numbers or of blocks; see :mod:`relayish.op.nn.sparse`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import compute_dtype
from relayish.passes.relay.to_loops.context import Memory, Site, nest
from relayish.passes.relay.to_loops.elements import Elements, Index, converted, guarded, within
from relayish.passes.relay.to_loops.formulas import computes, zero
from relayish.passes.relay.to_loops.movement import regrouped
from relayish.passes.relay.to_loops.ordering import cast_elements
from relayish.passes.relay.to_loops.padding import PaddingToLoops
from relayish.passes.relay.to_loops.pointwise import numbers
from relayish.tir.builders.expr import select
from relayish.tir.builders.ir_builder import IRBuilder
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import EQ, GE, LE, And, Cast, Expr, const
from relayish.tir.ir.tensor import Tensor
from relayish.tir.ir.type import INT32, INT64

_plus, _times = numbers(ops.Add), numbers(ops.Mul)


class Entry(NamedTuple):
    """An entry of a sparse matrix.

    Attributes:
        row: In which row of numbers or of blocks it stands.
        column: In which column, of 64 bits; memory says so, and may be wrong.
        place: Where it is held.
    """

    row: Expr
    column: Expr
    place: Expr


@contextmanager
def entries(
    build: IRBuilder, indices: Tensor, starts: Tensor, sizes: tuple[int, int], *, full: bool = False
) -> Iterator[Entry]:
    """Build loops through the entries of compressed rows.

    Where the starts of rows do not ascend from 0 to at most as many entries as there are, what is
    read is none, which is an error.

    Args:
        build: Where statements are added.
        indices: The column of each entry.
        starts: Where each row starts, and the last one ends.
        sizes: How many rows and entries there are.
        full: Whether rows have to hold all entries.
    """
    rows, count = sizes
    last, most = Cast(INT64, starts[rows,]), const(count, "int64")
    none = const(0, "int64")
    with build.for_("row", rows) as row:
        begin = build.let("begin", Cast(INT64, starts[row,]))
        end = build.let("end", Cast(INT64, starts[row + 1,]))
        ascends = And(And(GE(begin, none), GE(end, begin)), LE(end, most))
        ascends = And(ascends, EQ(Cast(INT64, starts[0,]), none))
        if full:
            ascends = And(ascends, EQ(last, most))
        sound = build.let("sound", ascends)
        length = build.let("length", Cast(INT32, select(sound, end - begin, const(1, "int64"))))
        first = build.let("first", Cast(INT32, select(sound, begin, const(-1, "int64"))))
        with build.for_("k", length) as k:
            place = build.let("place", first + k)
            column = build.let("column", Cast(INT64, indices[place,]))
            yield Entry(row, column, place)


class SparseToLoops(PaddingToLoops, domain="nn"):
    """Writes products and sums with sparse matrices, as statements.

    What is not held weighs nothing, not even of what is infinite.
    """

    @computes
    def handle_sparse_dense(self, site: Site) -> Elements:
        """Multiply a dense matrix by the transpose of a sparse one, or the other way round."""
        dense, data, *where = site.args
        blocks = _as_blocks(data)
        _, height, width = blocks.shape
        _check_width(site, width, dense.shape[1])
        work, shape = _work(site), site.shape

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            matrix, held, indices, starts = given
            with nest(build, shape) as index:
                build.store(made[0], zero(work), index)
            with (
                entries(build, indices, starts, _sizes(where)) as entry,
                nest(build, (dense.shape[0], height, width)) as (line, down, across),
            ):
                at: Index = (line, entry.row * height + down)
                at = (at[1], at[0]) if site.attrs.sparse_lhs else at
                column = entry.column * const(width, "int64") + Cast(INT64, across)
                product = _times(
                    converted(matrix[line, column], work),
                    converted(held[entry.place, down, across], work),
                )
                build.store(made[0], _plus(made[0][at], product), at)

        return _performed(site, [dense, blocks, *where], (shape, work), body)

    handle_internal_sparse_dense_padded = handle_sparse_dense

    @computes
    def handle_sparse_add(self, site: Site) -> Elements:
        dense, data, *where = site.args
        work, shape = _work(site), site.shape

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            matrix, held, indices, starts = given
            with nest(build, shape) as index:
                build.store(made[0], converted(matrix[index], work), index)
            with entries(build, indices, starts, _sizes(where)) as entry:
                at = (entry.row, entry.column)
                number = converted(held[entry.place,], work)
                build.store(made[0], _plus(made[0][at], number), at)

        return _performed(site, [dense, data, *where], (shape, work), body)

    @computes
    def handle_sparse_transpose(self, site: Site) -> tuple[Elements, ...]:
        """Count the entries of each column, and put each behind those of its column so far."""
        data, indices, starts = site.args
        count, ends = indices.shape[0], starts.shape[0]

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            held, columns, rows = given
            moved, placed, begun, after = made
            with build.for_("k", count) as k:
                build.store(moved, zero(data.dtype), k)
                build.store(placed, zero(indices.dtype), k)
            with build.for_("k", ends) as k:
                build.store(after, 0, k)
            with build.for_("k", count) as k:
                behind = Cast(INT64, columns[k,]) + 1
                build.store(after, after[behind,] + 1, behind)
            with build.for_("k", ends - 1) as k:
                build.store(after, after[k + 1,] + after[k,], k + 1)
            with build.for_("k", ends) as k:
                build.store(begun, converted(after[k,], starts.dtype), k)
            with entries(build, columns, rows, (ends - 1, count), full=True) as entry:
                at = build.let("at", after[entry.column,])
                build.store(moved, held[entry.place,], at)
                build.store(placed, converted(entry.row, indices.dtype), at)
                build.store(after, at + 1, entry.column)

        results = [
            ((count,), data.dtype),
            ((count,), indices.dtype),
            ((ends,), starts.dtype),
            ((ends,), "int32"),
        ]
        made = site.context.perform(site.hint, site.args, results, body)
        return tuple(made[:3])

    @computes
    def handle_sparse_conv2d(self, site: Site) -> Elements:
        """Add, for each entry, what it makes of the part of the data that it sees."""
        dense, data, *where = site.args
        layout = str(site.attrs.layout)
        window = [int(size) for size in site.attrs.kernel_size]
        if any(size % 2 == 0 for size in window):
            raise site.refuse(f"a kernel of {window} has no place in its middle")
        blocks = _as_blocks(data)
        _, height, width = blocks.shape
        taps = window[0] * window[1]
        batch, channels, rows, columns = (dense.shape[layout.index(letter)] for letter in "NCHW")
        _check_width(site, width, taps * channels)
        work, shape = _work(site), site.shape

        def placed(image: Expr, channel: Expr, y: Expr, x: Expr) -> Index:
            named = dict(zip("NCHW", (image, channel, y, x), strict=True))
            return tuple([named[letter] for letter in layout])

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            images, held, indices, starts = given
            with nest(build, shape) as index:
                build.store(made[0], zero(work), index)
            with (
                entries(build, indices, starts, _sizes(where)) as entry,
                nest(build, (height, width)) as (down, across),
            ):
                wide = entry.column * const(width, "int64") + Cast(INT64, across)
                is_one = within(wide, taps * channels)
                seen = build.let("seen", Cast(INT32, select(is_one, wide, const(-1, "int64"))))
                weight = build.let("weight", converted(held[entry.place, down, across], work))
                inner = taps if layout == "NCHW" else channels
                parts = ops.Div(seen, const(inner)), ops.Mod(seen, const(inner))
                inner_channel, tap = parts if layout == "NCHW" else parts[::-1]
                known = select(seen >= const(0), inner_channel, const(channels))
                channel = build.let("channel", known)
                top = build.let("top", ops.Div(tap, const(window[1])) - window[0] // 2)
                left = build.let("left", ops.Mod(tap, const(window[1])) - window[1] // 2)
                with nest(build, (batch, rows, columns), "p") as (image, y, x):
                    near = within(y + top, rows), within(x + left, columns)
                    with build.if_(guarded(near, const(True), const(False))):
                        at = placed(image, entry.row * height + down, y, x)
                        found = converted(images[placed(image, channel, y + top, x + left)], work)
                        build.store(made[0], _plus(made[0][at], _times(found, weight)), at)

        return _performed(site, [dense, blocks, *where], (shape, work), body)


def _performed(
    site: Site,
    reads: Sequence[Elements],
    result: Memory,
    body: Callable[[IRBuilder, Sequence[Tensor], Sequence[Tensor]], None],
) -> Elements:
    """Return what statements make, in the element type of the result."""
    (found,) = site.context.perform(site.hint, reads, [result], body)
    return cast_elements(found, site.result.dtype)


def _sizes(where: Sequence[Elements]) -> tuple[int, int]:
    """Return how many rows and entries there are, by columns of entries and starts of rows."""
    indices, starts = where
    return starts.shape[0] - 1, indices.shape[0]


def _work(site: Site) -> str:
    """Return the type to sum in."""
    return str(compute_dtype(numpy_dtype(site.result.dtype)))


def _as_blocks(data: Elements) -> Elements:
    """Return entries as blocks, which numbers are of one element."""
    shape = (*data.shape, *(1,) * (3 - len(data.shape)))
    return regrouped(data, shape) if shape != data.shape else data


def _check_width(site: Site, width: int, columns: int) -> None:
    if not width or columns % width:
        raise site.refuse(f"blocks of {width} columns fill no {columns} columns")
