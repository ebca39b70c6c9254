"""Operators that put elements where integers in memory say, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Final

import numpy as np

from relayish.ir.relay.expr import Constant
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import compute_dtype
from relayish.op.types.dimension import normalise_axis
from relayish.passes.relay.to_loops.context import Site, nest
from relayish.passes.relay.to_loops.elements import Elements, Index, converted, within
from relayish.passes.relay.to_loops.formulas import computes
from relayish.passes.relay.to_loops.lookup import counted
from relayish.passes.relay.to_loops.movement import set_between
from relayish.passes.relay.to_loops.ordering import Ordering, cast_elements
from relayish.passes.relay.to_loops.pointwise import greater_of, numbers, smaller_of
from relayish.tir.builders.expr import select
from relayish.tir.builders.ir_builder import IRBuilder
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import And, Cast, Expr, const
from relayish.tir.ir.tensor import Tensor
from relayish.tir.ir.type import INT64

_COMBINE: Final[dict[str, Callable[..., Expr]]] = {
    "update": lambda _, new: new,
    "add": numbers(ops.Add),
    "mul": numbers(ops.Mul),
    "max": numbers(greater_of),
    "min": numbers(smaller_of),
    "mean": lambda old, new: (old + new) / 2,
}
"""What becomes of an element and an update of it."""


class Scattering(Ordering, domain="relay"):
    """Writes what puts elements at places, in the order of these, as statements."""

    @computes
    def handle_scatter_elements(self, site: Site) -> Elements:
        data, places, updates = site.args
        axis = normalise_axis(int(site.attrs.axis), len(data.shape))

        def put(index: Index, row: Tensor) -> Index:
            return (*index[:axis], counted(row[index], data.shape[axis]), *index[axis + 1 :])

        return _scattered(
            site, (data, places, updates), str(site.attrs.reduction), places.shape, put
        )

    @computes
    def handle_scatter_nd(self, site: Site) -> Elements:
        data, places, updates = site.args
        count = places.shape[0]
        sizes, spread = data.shape[:count], (*places.shape[1:], *data.shape[count:])

        def put(index: Index, rows: Tensor) -> Index:
            at = index[: len(places.shape) - 1]
            found = [counted(rows[(row, *at)], size) for row, size in enumerate(sizes)]
            return (*found, *index[len(places.shape) - 1 :])

        return _scattered(site, (data, places, updates), str(site.attrs.mode), spread, put)

    @computes
    def handle_strided_set(self, site: Site) -> Elements:
        """Put a tensor in the place of a part of another: every so many elements from one on."""
        bounds = [np.asarray(arg.data) for arg in site.call.args[2:] if isinstance(arg, Constant)]
        if len(bounds) == 3:
            return set_between(site, bounds)
        data, value, begin, _, strides = site.args
        dtype, rank = site.result.dtype, len(data.shape)
        told = [min(each.shape[0], rank) for each in (begin, strides)]

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            source, part, first, steps = given
            with nest(build, data.shape) as index:
                build.store(made[0], source[index], index)
            starts, strides = [], []
            for axis, size in enumerate(data.shape):
                whole = const(size, "int64")
                step: Expr = const(1, "int64")
                start: Expr = const(0, "int64")
                if axis < told[1]:
                    step = Cast(INT64, steps[axis,])
                last = select(step < 0, whole - 1, whole)
                if axis < told[0]:
                    start = Cast(INT64, first[axis,])
                    start = select(start < 0, start + whole, start)
                within_range = ops.Max(ops.Min(start, last), const(0, "int64"))
                starts.append(build.let(f"start{axis}", within_range))
                strides.append(build.let(f"step{axis}", step))
            with nest(build, value.shape, "v") as index:
                place = [
                    start + Cast(INT64, at) * step
                    for start, at, step in zip(starts, index, strides, strict=True)
                ]
                build.store(made[0], part[index], tuple(place))

        reads = [data, value, begin, strides]
        return site.context.perform(site.hint, reads, [(data.shape, dtype)], body)[0]

    @computes
    def handle_sparse_to_dense(self, site: Site) -> Elements:
        """Put values at places, where the tensor has these."""
        places, values, _ = site.args
        shape, dtype = site.shape, site.result.dtype
        count = places.shape[0] if places.shape else 1

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            rows, source, default = given
            with nest(build, shape) as index:
                build.store(made[0], converted(default[()], dtype), index)
            with build.for_("k", count) as k:
                first = (k,) if places.shape else ()
                at = [
                    build.let(f"at{axis}", Cast(INT64, rows[(*first, axis)[: len(places.shape)]]))
                    for axis in range(len(shape))
                ]
                inside = [within(each, size) for each, size in zip(at, shape, strict=True)]
                with build.if_(reduce(And, inside)):
                    value = source[(k,) if values.shape else ()]
                    build.store(made[0], value, tuple(at))

        return site.context.perform(site.hint, site.args, [(shape, dtype)], body)[0]

    @computes
    def handle_invert_permutation(self, site: Site) -> Elements:
        data, dtype = site.args[0], site.result.dtype

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            for is_placed in (False, True):  # so that memory is filled whatever is given
                with build.for_("k", data.shape[0]) as k:
                    place = Cast(INT64, given[0][k,]) if is_placed else k
                    build.store(made[0], converted(k, dtype), (place,))

        return site.context.perform(site.hint, [data], [(data.shape, dtype)], body)[0]


def _scattered(
    site: Site,
    args: Sequence[Elements],
    how: str,
    spread: tuple[int, ...],
    put: Callable[[Index, Tensor], Index],
) -> Elements:
    """Return a copy of data, updated at one place after the other.

    Args:
        site: The call.
        args: Data, places, and updates.
        how: What is made of an element and an update.
        spread: The sizes of the updates that are put.
        put: Where in the data an update belongs that is at an index, given the tensor of places.
    """
    data = args[0]
    dtype = site.result.dtype
    work = dtype if how in ("update", "mean") else str(compute_dtype(numpy_dtype(dtype)))

    def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
        source, rows, updates = given
        with nest(build, data.shape) as index:
            build.store(made[0], converted(source[index], work), index)
        with nest(build, spread, "u") as index:
            place = put(index, rows)
            new = converted(updates[index], work)
            build.store(made[0], _COMBINE[how](made[0][place], new), place)

    (found,) = site.context.perform(site.hint, args, [(data.shape, work)], body)
    return cast_elements(found, dtype)
