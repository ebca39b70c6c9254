"""Operators that combine many elements into one: reductions, products, positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from relayish.ir.values.dtype import get_lowest_number, numpy_dtype
from relayish.numeric.precision import compute_dtype, is_whole
from relayish.op.tensor.reduction import normalise_axes
from relayish.passes.relay.to_loops.context import Site
from relayish.passes.relay.to_loops.elements import (
    Elements,
    Index,
    broadcast,
    converted,
    flat,
    repeated,
)
from relayish.passes.relay.to_loops.formulas import computes, reduced, zero
from relayish.passes.relay.to_loops.lookup import Lookup
from relayish.tir.builders.expr import select
from relayish.tir.ir import operators as ops
from relayish.tir.ir.flags import ReduceType
from relayish.tir.ir.operators import EQ, NE, And, Expr, const
from relayish.tir.ir.type import as_type


class Combining(Lookup, domain="relay"):
    """Writes what combines many elements into one."""

    @computes
    def handle_sum(self, site: Site) -> Elements:
        return _along(site, ReduceType.SUM, zero)

    @computes
    def handle_prod(self, site: Site) -> Elements:
        return _along(site, ReduceType.MUL, lambda dtype: const(1, dtype))

    @computes
    def handle_max(self, site: Site) -> Elements:
        return _extreme(site, ReduceType.MAX, _lowest)

    @computes
    def handle_min(self, site: Site) -> Elements:
        return _extreme(site, ReduceType.MIN, _greatest)

    @computes
    def handle_all(self, site: Site) -> Elements:
        return _asked(site, ReduceType.ALL, const(True))

    @computes
    def handle_any(self, site: Site) -> Elements:
        return _asked(site, ReduceType.ANY, const(False))

    @computes
    def handle_mean(self, site: Site) -> Elements:
        data, dtype = site.args[0], site.result.dtype
        work = str(compute_dtype(numpy_dtype(dtype)))
        count = prod([data.shape[axis] for axis in _axes(site)])
        if is_whole(numpy_dtype(dtype)):
            return _whole_mean(site, count)
        total = _along(site, ReduceType.SUM, lambda _: zero(work), work)
        divisor = const(count, work)
        return Elements(site.shape, dtype, lambda i: converted(total.at(i) / divisor, dtype))

    @computes
    def handle_variance(self, site: Site) -> Elements:
        """Take the mean of squares of distances from a mean that is given."""
        data, mean = site.args
        dtype = site.result.dtype
        work = str(compute_dtype(numpy_dtype(dtype)))
        if is_whole(numpy_dtype(dtype)):
            raise site.refuse(f"it is the variance of {dtype}")
        near = broadcast(mean, data.shape)

        def square(index: Index) -> Expr:
            distance = converted(data.at(index), work) - converted(near.at(index), work)
            return distance * distance

        squares = Elements(data.shape, work, square)
        count = prod([data.shape[axis] for axis in _axes(site)]) - int(site.attrs.unbiased)
        total = _along(site, ReduceType.SUM, zero, work, squares)
        divisor = const(count, work)
        return Elements(site.shape, dtype, lambda i: converted(total.at(i) / divisor, dtype))

    @computes
    def handle_argmax(self, site: Site) -> Elements:
        return _position(site, ReduceType.MAX, _lowest)

    @computes
    def handle_argmin(self, site: Site) -> Elements:
        return _position(site, ReduceType.MIN, _greatest)

    @computes
    def handle_collapse_sum_to(self, site: Site) -> Elements:
        """Sum what broadcasting to the shape of the data would repeat."""
        data, shape = site.args[0], site.shape
        lead, dtype = len(data.shape) - len(shape), site.result.dtype
        repeated = [
            axis
            for axis, size in enumerate(data.shape)
            if axis < lead or (size != 1 and shape[axis - lead] == 1)
        ]
        work = str(compute_dtype(numpy_dtype(dtype)))
        kind, start = ReduceType.SUM, zero(work)
        if work == "bool":
            kind, start = ReduceType.ANY, const(False)

        def body(index: Index, inner: Index) -> Expr:
            places: list[Expr] = [const(0)] * lead + list(index)
            for axis, at in zip(repeated, inner, strict=True):
                places[axis] = at
            return converted(data.at(tuple(places)), work)

        sizes = [data.shape[axis] for axis in repeated]
        total = reduced(site, kind, start, shape, sizes, body)
        return Elements(shape, dtype, lambda i: converted(total.at(i), dtype))

    handle_collapse_sum_like = handle_collapse_sum_to

    @computes
    def handle_einsum(self, site: Site) -> Elements:
        """Sum products, as an equation says: sizes of axes that the result has not are summed."""
        parts: tuple[Elements, ...] = site.args[0]
        terms, result = _parse(site, len(parts))
        sizes: dict[str, int] = {}
        for term, part in zip(terms, parts, strict=True):
            for letter, size in zip(term, part.shape, strict=True):
                sizes[letter] = size if size != 1 else sizes.get(letter, 1)
        summed = [letter for letter in sizes if letter not in result]
        dtype = site.result.dtype
        work = str(compute_dtype(numpy_dtype(dtype)))
        held = [site.context.keep_plain(part, site.hint) for part in parts]

        def body(index: Index, inner: Index) -> Expr:
            known = dict(zip([*result, *summed], [*index, *inner], strict=True))
            factors = [
                converted(
                    part.at(
                        tuple(
                            [
                                repeated(known[letter], size, sizes[letter])
                                for letter, size in zip(term, part.shape, strict=True)
                            ]
                        )
                    ),
                    work,
                )
                for term, part in zip(terms, held, strict=True)
            ]
            product = factors[0]
            for factor in factors[1:]:
                product = And(product, factor) if work == "bool" else product * factor
            return product

        shape = tuple([sizes[letter] for letter in result])
        extents = [sizes[letter] for letter in summed]
        kind = ReduceType.ANY if work == "bool" else ReduceType.SUM
        total = reduced(site, kind, zero(work), shape, extents, body)
        return (
            total
            if work == dtype
            else Elements(shape, dtype, lambda i: converted(total.at(i), dtype))
        )


def _axes(site: Site) -> tuple[int, ...]:
    return normalise_axes(site.attrs.axis, len(site.args[0].shape), exclude=site.attrs.exclude)


def _places(site: Site, axes: Sequence[int]) -> Callable[[Index, Index], Index]:
    """Return what tells where an element stands that is gone through for one of the result."""
    rank = len(site.args[0].shape)
    left = [axis for axis in range(rank) if axis not in axes]

    def place(index: Index, inner: Index) -> Index:
        outer = [index[axis] for axis in left] if site.attrs.keepdims else index
        found = dict(zip([*axes, *left], [*inner, *outer], strict=True))
        return tuple([found[axis] for axis in range(rank)])

    return place


def _along(
    site: Site,
    kind: ReduceType,
    init: Callable[[str], Expr],
    work: str | None = None,
    given: Elements | None = None,
) -> Elements:
    """Return what is combined along the axes that the attributes name."""
    data: Elements = site.args[0] if given is None else given
    axes = _axes(site)
    dtype = site.result.dtype
    wide = str(compute_dtype(numpy_dtype(dtype))) if work is None else work
    if data.dtype == wide == "bool":  # sums and greatest are whether any holds
        is_any = kind in (ReduceType.SUM, ReduceType.MAX, ReduceType.ANY)
        kind = ReduceType.ANY if is_any else ReduceType.ALL
        init = lambda _: const(not is_any)  # noqa: E731 - in the place of what is given
    place, shape = _places(site, axes), site.shape
    if kind in (ReduceType.MAX, ReduceType.MIN) and any(data.shape[axis] == 0 for axis in axes):
        raise site.refuse("nothing is there of which one could be the greatest")

    def body(index: Index, inner: Index) -> Expr:
        return converted(data.at(place(index, inner)), wide)

    total = reduced(site, kind, init(wide), shape, [data.shape[axis] for axis in axes], body)
    if wide == dtype or work is not None:
        return total
    return Elements(shape, dtype, lambda i: converted(total.at(i), dtype))


def _whole_mean(site: Site, count: int) -> Elements:
    """Return the mean of integers, whose sum wraps around, rounded towards zero."""
    dtype = site.result.dtype
    if dtype == "bool" or not count:
        raise site.refuse(f"it is the mean of {count} elements of {dtype}")
    total = _along(site, ReduceType.SUM, zero, str(compute_dtype(numpy_dtype(dtype))))
    wide = "uint64" if dtype.startswith("uint") else "int64"
    divisor = const(count, wide)

    def at(index: Index) -> Expr:
        return converted(ops.Div(converted(total.at(index), wide), divisor), dtype)

    return Elements(site.shape, dtype, at)


def _asked(site: Site, kind: ReduceType, init: Expr) -> Elements:
    """Return whether all elements hold, or any; of numbers, those that are not 0."""
    found, dtype = _along(site, kind, lambda _: init, "bool"), site.result.dtype
    if dtype == "bool":
        return found
    return Elements(found.shape, dtype, lambda i: converted(found.at(i), dtype))


def _extreme(
    site: Site, kind: ReduceType, init: Callable[[str], Expr], given: Elements | None = None
) -> Elements:
    """Return the greatest or least of elements; of floats, none is where one is no number."""
    data: Elements = site.args[0] if given is None else given
    found = _along(site, kind, init, data.dtype, data)
    if is_whole(numpy_dtype(found.dtype)):
        return found
    wide = "int32"  # as wide as most floats, so that vectors hold as many of both
    missing = data._replace(dtype=wide, at=lambda i: converted(NE(data.at(i), data.at(i)), wide))
    lost = _along(site, ReduceType.MAX, zero, wide, missing)
    nan = const(float("nan"), found.dtype)
    return found._replace(
        at=lambda i: select(NE(lost.at(i), const(0)), nan, found.at(i)),
        is_plain=False,
        tensor=None,
    )


def _position(site: Site, kind: ReduceType, init: Callable[[str], Expr]) -> Elements:
    """Return where the greatest or least of elements stands: the first, or the last if asked."""
    data = site.kept(0)
    axes = _axes(site)
    if any(data.shape[axis] == 0 for axis in axes):
        raise site.refuse("nothing is there of which one could be the greatest")
    if data.dtype == "bool":
        numbers = data
        data = Elements(data.shape, "int32", lambda i: converted(numbers.at(i), "int32"), True)
    best = _extreme(site, kind, init, data)
    best = site.context.keep_plain(best, site.hint)
    place = _places(site, axes)
    sizes = [data.shape[axis] for axis in axes]
    is_last = bool(site.attrs.select_last_index)

    def body(index: Index, inner: Index) -> Expr:
        here = data.at(place(index, inner))
        is_best = ops.Or(EQ(here, best.at(index)), NE(here, here))
        otherwise = const(-1 if is_last else prod(sizes))
        return select(is_best, flat(inner, sizes), otherwise)

    chosen = ReduceType.MAX if is_last else ReduceType.MIN
    start = const(-1 if is_last else prod(sizes))
    found = reduced(site, chosen, start, site.shape, sizes, body)
    dtype = site.result.dtype
    return Elements(site.shape, dtype, lambda i: converted(found.at(i), dtype))


def _lowest(dtype: str) -> Expr:
    kind = numpy_dtype(dtype)
    return const(get_lowest_number(kind) if is_whole(kind) else float("-inf"), dtype)


def _greatest(dtype: str) -> Expr:
    kind = numpy_dtype(dtype)
    if not is_whole(kind):
        return const(float("inf"), dtype)
    return const(ops.integer_range(as_type(dtype))[1], dtype)


def _parse(site: Site, count: int) -> tuple[list[str], str]:
    """Return the letters of each operand, and those of the result."""
    equation = str(site.attrs.equation).replace(" ", "")
    if "..." in equation:
        raise site.refuse("its equation leaves axes unnamed")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if len(terms) != count:
        raise site.refuse("its equation names another number of operands")
    letters = "".join(terms)
    if any(len(set(term)) != len(term) for term in terms):
        raise site.refuse("its equation names an axis of one operand twice")
    if not arrow:
        right = "".join(sorted({each for each in letters if letters.count(each) == 1}))
    return terms, right
