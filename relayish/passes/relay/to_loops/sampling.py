"""Sampling as formulas: places between elements are told by data, those around are weighed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, TypeAlias

from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import compute_dtype, is_fractional, weighing_dtype
from relayish.passes.relay.to_loops.context import Site
from relayish.passes.relay.to_loops.elements import Elements, Index, converted, moved
from relayish.passes.relay.to_loops.pointwise import half_even
from relayish.tir import math
from relayish.tir.builders.expr import select
from relayish.tir.ir import operators as ops
from relayish.tir.ir.expr import Call
from relayish.tir.ir.operators import EQ, Cast, Expr, Max, Min, const
from relayish.tir.ir.type import INT32

Taps: TypeAlias = list[tuple[Expr, Expr]]
"""Whole numbers along one axis, as floats, and their weights."""

SLOPE = -0.75
"""That of cubic curves."""


def weighed(data: Elements, image: Index, axes: Sequence[Taps], work: str) -> Expr:
    """Return the sum of weighed elements; 0 where one lies outside, or weighs nothing.

    Args:
        data: What they are of: elements that are read repeatedly.
        image: The index of the axes before those along which it is looked.
        axes: Which elements along each of these, and what they weigh.
        work: The type to compute in.
    """
    sizes = data.shape[len(image) :]
    settled = [
        [_settled(place, weight, size, work) for place, weight in taps]
        for taps, size in zip(axes, sizes, strict=True)
    ]
    none, total = const(0, work), None
    for corner in product(*settled):
        weight = corner[0][1]
        for _, share in corner[1:]:
            weight = weight * share
        found = converted(data.at((*image, *[at for at, _ in corner])), work)
        part = select(EQ(weight, none), none, found * weight)  # not even of what is infinite
        total = part if total is None else total + part
    assert total is not None
    return total


def _settled(place: Expr, weight: Expr, size: int, work: str) -> tuple[Expr, Expr]:
    """Return a place as an index, and its weight, 0 where it lies outside."""
    near = _clamped(place, size)
    inside = EQ(near, place)
    return Cast(INT32, near), converted(select(inside, weight, const(0, weight.type)), work)


def _clamped(place: Expr, size: int) -> Expr:
    """Return the nearest place that an axis has: of what is no number, some."""
    return Max(Min(place, const(float(size - 1), place.type)), const(0.0, place.type))


def linear_taps(place: Expr) -> Taps:
    """Return the two elements around a place."""
    first = math.floor(place)
    after = place - first
    one = const(1.0, place.type)
    return [(first, one - after), (first + one, after)]


def _nearest_taps(place: Expr) -> Taps:
    return [(half_even(place), const(1.0, place.type))]


def cubic_taps(place: Expr, slope: float = SLOPE) -> Taps:
    """Return the four elements around a place."""
    first = math.floor(place)
    after = place - first
    found = []
    for step in range(-1, 3):
        number = const(float(step), place.type)
        distance = Call(place.type, "abs", (after - number,))
        found.append((first + number, _cubic_weight(distance, slope)))
    return found


def _cubic_weight(distance: Expr, slope: float) -> Expr:
    """Return the weight of cubic convolution at a distance from an element."""
    kind = distance.type

    def number(value: float) -> Expr:
        return const(value, kind)

    square = distance * distance
    near = (number(slope + 2) * distance - number(slope + 3)) * square + number(1.0)
    far = (number(slope) * distance - number(5 * slope)) * distance + number(8 * slope)
    far = far * distance - number(4 * slope)
    return select(distance <= number(1.0), near, select(distance < number(2.0), far, number(0.0)))


def _brought_inside(place: Expr, low: float, high: float, size: int, around: str) -> Expr:
    """Return where a place outside is taken to lie; with zeros around it stays where it is."""
    kind = place.type
    if around == "zeros":
        return place
    if around == "reflection":
        span = high - low
        if span <= 0:
            return const(0.0, kind)
        whole = const(2 * span, kind)
        folded = ops.Mod(Call(kind, "abs", (place - const(low, kind),)), whole)
        place = const(low, kind) + Min(folded, whole - folded)
    return select(ops.NE(place, place), place, _clamped(place, size))


_TAPS = {"nearest": _nearest_taps, "bilinear": linear_taps, "bicubic": cubic_taps}


def grid_sample(site: Site) -> Elements:
    """Return what an image is at the points of a grid."""
    attrs, (_, grid) = site.attrs, site.args
    rank = len(grid.shape)
    plain = "NCHW" if rank == 4 else "NCDHW"
    data = in_layout(site, site.kept(0), attrs.layout, plain)
    method, around = str(attrs.method), str(attrs.padding_mode)
    if method not in _TAPS or around not in ("zeros", "border", "reflection"):
        raise site.refuse(f"its method is {method!r}, its padding {around!r}")
    if method == "bicubic" and rank != 4:
        raise site.refuse("it samples cubically with 3 spatial axes")
    dtype, spatial = site.result.dtype, data.shape[2:]
    kind = numpy_dtype(data.dtype)
    work = str(compute_dtype(kind) if method == "nearest" else weighing_dtype(kind))
    if not is_fractional(numpy_dtype(grid.dtype)):
        raise site.refuse(f"its grid is of {grid.dtype}")
    wide = str(compute_dtype(numpy_dtype(grid.dtype)))
    points = site.context.keep_plain(grid, f"{site.hint}_grid")

    def at(index: Index) -> Expr:
        batch, channel, *where = index
        axes = []
        for axis, size in enumerate(spatial):
            number = converted(points.at((batch, const(rank - 3 - axis), *where)), wide)
            low, high = (0.0, size - 1.0) if attrs.align_corners else (-0.5, size - 0.5)
            one, half = const(1.0, wide), const((high - low) / 2, wide)
            place = const(low, wide) + (number + one) * half
            if method == "bicubic":  # it is the neighbours that are brought inside
                taps = [
                    (_brought_inside(near, low, high, size, around), weight)
                    for near, weight in cubic_taps(place)
                ]
            else:
                taps = _TAPS[method](_brought_inside(place, low, high, size, around))
            axes.append(taps)
        return converted(weighed(data, (batch, channel), axes, work), dtype)

    shape = (grid.shape[0], data.shape[1], *grid.shape[2:])
    return in_layout(site, Elements(shape, dtype, at), plain, attrs.layout)


def in_layout(site: Site, data: Elements, source: Any, target: Any) -> Elements:  # Any: of texts
    """Return elements with their axes in another order.

    Raises:
        UnlowerableError: If one of the layouts splits axes.
    """
    before, after = str(source), str(target)
    if before == after:
        return data
    if sorted(before) != sorted(after) or not before.isalpha():
        raise site.refuse(f"it is in the layout {before}; convert it to {after} first")
    order = [after.index(letter) for letter in before]
    shape = tuple([data.shape[before.index(letter)] for letter in after])
    return moved(data, shape, lambda index: tuple([index[axis] for axis in order]))
