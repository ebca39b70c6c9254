"""Proposals of regions as loops: anchors are moved, ordered, and those that stand are repeated."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.relay.expr import Constant
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import weighing_dtype
from relayish.op.vision.proposals import place_anchors
from relayish.passes.relay.to_loops.boxes import Boxes
from relayish.passes.relay.to_loops.context import Site, nest
from relayish.passes.relay.to_loops.elements import Elements, Index, converted, unflat
from relayish.passes.relay.to_loops.formulas import computes, zero
from relayish.passes.relay.to_loops.ordering import ordered
from relayish.passes.relay.to_loops.pointwise import greater_of, smaller_of
from relayish.passes.relay.to_loops.refusing import Unlowered
from relayish.tir import math
from relayish.tir.builders.expr import select
from relayish.tir.builders.ir_builder import IRBuilder
from relayish.tir.ir.operators import EQ, GE, Cast, Div, Expr, Mod, Or, const
from relayish.tir.ir.tensor import Tensor
from relayish.tir.ir.type import INT32

_REALS = ("float16", "float32", "float64")


class Proposals(Unlowered, domain="vision"):
    """Writes proposals of regions."""

    @computes
    def handle_proposal(self, site: Site) -> Elements:
        """Move anchors, and repeat in order those of the best that stand."""
        scores, attrs = site.args[0], site.attrs
        dtype = scores.dtype
        kinds = {each.dtype for each in site.args}
        if len(kinds) > 1 or dtype not in _REALS:
            raise site.refuse(f"its arguments are of {', '.join(sorted(kinds))}")
        wanted = int(attrs.rpn_post_nms_top_n)
        if 0 in scores.shape[2:]:
            return _nothing(site, wanted)
        boxes, rated = _candidates(site)
        batch, count = rated.shape
        keys = Elements((batch, count), "float64", lambda i: converted(-rated.at(i), "float64"))
        order = ordered(site, keys, 1, largest=False)
        asked, work = count, str(weighing_dtype(numpy_dtype(dtype)))
        if attrs.rpn_pre_nms_top_n > 0:
            asked = min(count, int(attrs.rpn_pre_nms_top_n))

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            corners, ranks = given
            rows, kept = made
            with nest(build, (wanted,)) as (place,):
                build.store(kept, 0, place)
            with build.for_("image", batch) as image:
                number = build.let("number", const(0))
                standing = Boxes(
                    lambda box, at: corners[image, box, const(at)],
                    work,
                    lambda share: share > const(float(attrs.threshold), work),
                    border=1,
                )
                with build.for_("rank", asked) as rank:
                    box = build.let("box", ranks[image, rank])
                    standing.decide(build, box, kept, number, number < const(wanted))
                with build.for_("place", wanted) as place:
                    row = image * wanted + place
                    build.store(rows, Cast(rows.dtype, image), (row, const(0)))
                    whole = select(number > const(0), number, const(1))
                    chosen = build.let("chosen", kept[Mod(place, whole),])
                    for at in range(4):
                        found = corners[image, chosen, const(at)]
                        value = select(number > const(0), found, zero(dtype))
                        build.store(rows, value, (row, const(at + 1)))

        results = [(site.shape, dtype), ((wanted,), "int32")]
        return site.context.perform(site.hint, [boxes, order], results, body)[0]


def _nothing(site: Site, wanted: int) -> Elements:
    """Return rows that say of which image they are, and no region, as there are no places."""
    dtype = site.result.dtype

    def at(index: Index) -> Expr:
        image = converted(Div(index[0], const(wanted)), dtype)
        return select(EQ(index[1], const(0)), image, zero(dtype))

    return Elements(site.shape, dtype, at)


def _candidates(site: Site) -> tuple[Elements, Elements]:
    """Return all boxes ``(batch, n, 4)``, and what each is rated: -1 where it does not count."""
    scores, moves, sizes = site.args[0], site.args[1], site.kept(2)
    attrs, dtype = site.attrs, scores.dtype
    batch, _, *places = scores.shape
    anchors = place_anchors(attrs).astype(dtype)
    held, each = Constant(anchors), len(anchors)
    count, stride = places[0] * places[1] * each, const(float(attrs.feature_stride), dtype)
    one, two = const(1.0, dtype), const(2.0, dtype)

    def taken_apart(at: Expr) -> Index:
        return unflat(at, (*places, each))

    def corner(index: Index) -> tuple[list[Expr], list[Expr]]:
        """Return the four numbers of an anchor where it is placed, and by how much it is moved."""
        image, at = index[:2]
        y, x, anchor = taken_apart(at)
        ends = [
            Cast(stride.type, place) * stride + site.context.constant(held)[anchor, const(n)]
            for n, place in enumerate((x, y, x, y))
        ]
        return ends, [moves.at((image, anchor * 4 + n, y, x)) for n in range(4)]

    def moved(index: Index) -> Expr:
        ends, deltas = corner(index)
        found = []
        for axis in (0, 1):
            low, high = ends[axis], ends[axis + 2]
            if attrs.iou_loss:
                found += [(low + deltas[axis], axis), (high + deltas[axis + 2], axis + 2)]
                continue
            size = high - low + one
            centre = low + (size - one) / two + deltas[axis] * size
            half = (math.exp(deltas[axis + 2]) * size - one) / two
            found += [(centre - half, axis), (centre + half, axis + 2)]
        chosen: Expr | None = None
        for value, at in found:
            last = sizes.at((index[0], const(1 - at % 2))) - one
            cut = smaller_of(greater_of(value, zero(dtype)), last)
            chosen = cut if chosen is None else select(EQ(index[2], const(at)), cut, chosen)
        assert chosen is not None
        return chosen

    whole = site.context.store((batch, count, 4), moved, f"{site.hint}_moved")

    def least(image: Expr) -> Expr:
        return sizes.at((image, const(2))) * const(float(attrs.rpn_min_size), dtype)

    def small(index: Index) -> Expr:
        sides = [
            whole.at((*index[:2], const(axis + 2))) - whole.at((*index[:2], const(axis))) + one
            for axis in (0, 1)
        ]
        return Or(*[side < least(index[0]) for side in sides])

    def grown(index: Index) -> Expr:
        half = least(index[0]) / two
        found = whole.at(index)
        change = select(index[2] < const(2), -half, half)
        return select(small(index), found + change, found)

    def rating(index: Index) -> Expr:
        image, at = index
        y, x, anchor = taken_apart(at)
        beyond = [
            GE(place, Cast(INT32, math.trunc(sizes.at((image, const(n))) / stride)))
            for n, place in enumerate((y, x))
        ]
        found = scores.at((image, anchor + each, y, x))
        hidden = Or(Or(*beyond), small(index))
        return select(hidden, const(-1.0, dtype), found)

    boxes = Elements((batch, count, 4), dtype, grown)
    return boxes, Elements((batch, count), dtype, rating)
