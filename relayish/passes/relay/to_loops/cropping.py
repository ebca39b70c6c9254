"""Crops of images as loops: boxes, which memory holds, are resized to one size."""

from __future__ import annotations

from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import weighing_dtype
from relayish.numeric.resizing import Axis, in_order
from relayish.op.values.evaluation import number_of
from relayish.op.values.resampling import SLOPE, get_method
from relayish.passes.relay.to_loops.context import Site
from relayish.passes.relay.to_loops.elements import Elements, Index, converted, within
from relayish.passes.relay.to_loops.formulas import computes
from relayish.passes.relay.to_loops.pointwise import half_even
from relayish.passes.relay.to_loops.refusing import Unlowered
from relayish.passes.relay.to_loops.sampling import Taps, cubic_taps, in_layout, linear_taps
from relayish.tir import math
from relayish.tir.builders.expr import select
from relayish.tir.ir.operators import GE, LE, And, Cast, Expr, Max, Min, const
from relayish.tir.ir.type import FLOAT32, INT32, INT64

_PLACES = "float64"
"""The type in which it is computed between which elements one lies."""


class Cropping(Unlowered, domain="image"):
    """Writes crops that are resized."""

    @computes
    def handle_crop_and_resize(self, site: Site) -> Elements:
        """Weigh the elements around each place of a box; outside of images is one number."""
        attrs, layout, dtype = site.attrs, str(site.attrs.layout), site.result.dtype
        data = in_layout(site, site.kept(0), layout, "NCHW")
        boxes, images = site.kept(1), site.kept(2)
        method = get_method(attrs.method)
        kind = numpy_dtype(data.dtype)
        work = data.dtype if method == "nearest" else str(weighing_dtype(kind))
        shape = tuple([site.shape[layout.index(letter)] for letter in "NCHW"])
        around = const(number_of(attrs.extrapolation_value, numpy_dtype(work)), work)
        if 0 in data.shape[2:] and 0 not in shape:
            raise site.refuse("its images have no elements")
        lines = [Axis(data.shape[axis], shape[axis]) for axis in (2, 3)]
        first = in_order(list(enumerate(lines)))[0][0]

        def at(index: Index) -> Expr:
            box, channel, *where = index
            inside: list[Expr] = []
            axes: list[Taps] = []
            for axis, line in enumerate(lines):
                ends = [
                    converted(boxes.at((box, const(side + axis))), "float32") for side in (0, 2)
                ]
                place = _place(where[axis], line, *ends)
                last = const(float(line.size - 1), _PLACES)
                near = And(GE(place, const(0.0, _PLACES)), LE(place, last))
                inside.append(near)
                found = select(near, place, const(0.0, _PLACES))
                axes.append(_taps(found, line.size, method, work))
            number = images.at((box,))
            known = within(Cast(INT64, number), data.shape[0])  # else it is an error to look
            image = select(known, Cast(INT32, number), const(-1))
            total = _weighed(data, (image, channel), axes, first, work)
            return converted(select(And(*inside), total, around), dtype)

        found = Elements(shape, dtype, at)
        return in_layout(site, found, "NCHW", layout)


def _place(index: Expr, line: Axis, start: Expr, end: Expr) -> Expr:
    """Return where an element of a crop lies, in the precision in which boxes are given."""
    last = const(float(line.size - 1), FLOAT32)
    if line.output == 1:
        return converted(const(0.5, FLOAT32) * (start + end) * last, _PLACES)
    steps = Cast(FLOAT32, index) * (end - start) * last
    found = start * last + steps / const(float(line.output - 1), FLOAT32)
    return converted(found, _PLACES)


def _taps(place: Expr, size: int, method: str, work: str) -> Taps:
    """Return the elements along an axis from which one is made, as indices, and their weights."""
    if method == "nearest":  # of two the later one: places are not negative
        whole = math.floor(place + const(0.5, _PLACES))
        return [(_index(whole, size), const(1, work))]
    unit = const(2.0 ** (24 if work == "float32" else 53), _PLACES)
    near = half_even(place * unit) / unit
    taps = linear_taps(near) if method == "linear" else cubic_taps(near, SLOPE)
    return [(_index(each, size), converted(weight, work)) for each, weight in taps]


def _index(place: Expr, size: int) -> Expr:
    last = const(float(size - 1), _PLACES)
    return Cast(INT32, Max(Min(place, last), const(0.0, _PLACES)))


def _weighed(data: Elements, image: Index, axes: list[Taps], first: int, work: str) -> Expr:
    """Return weighed sums along one axis, and of these along the other."""
    total: Expr | None = None
    for other, outer in axes[1 - first]:
        line: Expr | None = None
        for at, inner in axes[first]:
            place = (at, other) if first == 0 else (other, at)
            found = converted(data.at((*image, *place)), work)
            if len(axes[first]) == 1:
                return found
            part = found * inner
            line = part if line is None else line + part
        assert line is not None
        part = line * outer
        total = part if total is None else total + part
    assert total is not None
    return total
