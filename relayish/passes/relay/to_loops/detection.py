"""Suppression of boxes as loops: which stand is decided by those that stand already."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.domain import register_handler
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import is_whole, weighing_dtype
from relayish.op.values.evaluation import number_of
from relayish.passes.relay.to_loops.boxes import Boxes
from relayish.passes.relay.to_loops.context import Site, nest
from relayish.passes.relay.to_loops.elements import Elements, Index, clamped, converted
from relayish.passes.relay.to_loops.formulas import computes, literal, zero
from relayish.passes.relay.to_loops.ordering import ordered
from relayish.passes.relay.to_loops.proposals import Proposals
from relayish.passes.relay.to_loops.regions import Regions
from relayish.tir.builders.expr import select
from relayish.tir.builders.ir_builder import IRBuilder
from relayish.tir.ir.operators import EQ, GE, And, Cast, Expr, Max, Min, Not, Or, const
from relayish.tir.ir.tensor import Tensor
from relayish.tir.ir.type import INT32, INT64


@register_handler("loops")
class VisionToLoops(Proposals, Regions, domain="vision"):
    """Writes suppression of boxes."""

    @computes
    def handle_all_class_non_max_suppression(self, site: Site) -> tuple[Elements, ...]:
        """Number the boxes of each class that stand, the best first."""
        boxes, scores, limits = site.kept(0), site.kept(1), site.args[2:]
        batch, classes, count = scores.shape
        is_onnx = str(site.attrs.output_format) == "onnx"
        order = ordered(site, _negated(scores), 2, largest=False)
        work = str(weighing_dtype(numpy_dtype(boxes.dtype)))
        given = [boxes, scores, order, *limits]
        most = classes * count
        rows = (batch * most, 3) if is_onnx else (batch, most, 2)
        results = [
            (rows, "int64"),
            ((1,) if is_onnx else (batch,), "int64"),
            ((count,), "int32"),
            *([] if is_onnx else [((batch, most), "float32")]),
        ]

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            corners, rated, ranks, limit, iou, least = given
            found, totals, kept, *best = made
            for each, (shape, dtype) in zip(made, results, strict=True):
                with nest(build, shape) as index:
                    build.store(each, literal(0, dtype), index)
            total = build.let("total", const(0))
            with build.for_("image", batch) as image, build.for_("label", classes) as label:
                if not is_onnx:
                    with build.if_(EQ(label, const(0))):
                        build.store(total, 0)
                number = build.let("number", const(0))
                threshold = converted(_scalar(iou), work)
                standing = Boxes(
                    lambda box, at: corners[image, box, const(at)],
                    work,
                    lambda share: GE(share, threshold),
                )
                with build.for_("rank", count) as rank:
                    box = build.let("box", ranks[image, label, rank])
                    score = rated[image, label, box]
                    wide = str(rated.dtype)
                    is_good = score > converted(_scalar(least), wide)
                    is_room = Cast(INT64, number) < _counted(_scalar(limit))
                    standing.decide(build, box, kept, number, And(is_good, is_room))
                with build.for_("rank", number) as rank:
                    box = build.let("chosen", kept[rank,])
                    row = [*([image] if is_onnx else []), label, box]
                    first: Index = (total,) if is_onnx else (image, total)
                    for at, field in enumerate(row):
                        build.store(found, Cast(INT64, field), (*first, const(at)))
                    for each in best:
                        value = converted(rated[image, label, box], "float32")
                        build.store(each, value, (image, total))
                    build.store(total, total + 1)
                build.store(totals, Cast(INT64, total), 0 if is_onnx else image)

        found, totals, _, *best = site.context.perform("suppression", given, results, body)
        return (found, *best, totals)

    @computes
    def handle_regular_non_max_suppression(self, site: Site) -> tuple[Elements, ...]:
        """Choose the best of the boxes of all classes that stand."""
        boxes, scores, attrs = site.kept(0), site.kept(1), site.attrs
        batch, count, columns = scores.shape
        classes, rows = int(attrs.num_classes), int(attrs.max_detections)
        background = columns - classes
        work = str(weighing_dtype(numpy_dtype(boxes.dtype)))
        order = ordered(site, _negated(scores), 1, largest=False)
        shapes = site.shapes()
        kinds = (boxes.dtype, "float32", scores.dtype, "int32")
        results = [
            *zip(shapes, kinds, strict=True),
            ((classes * count,), "int32"),
            ((classes * count,), "int32"),
            ((count,), "int32"),
        ]
        most = max(int(attrs.max_detections_per_class), 0)

        def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
            corners, rated, ranks = given
            where, labels, best, counts, found, classed, kept = made
            for each, (shape, _) in zip(made, results, strict=True):
                with nest(build, shape) as index:
                    build.store(each, literal(0, str(each.dtype)), index)
            with build.for_("image", batch) as image:
                total = build.let("total", const(0))
                with build.for_("label", classes) as label:
                    number = build.let("number", const(0))
                    standing = Boxes(
                        lambda box, at: corners[image, box, const(at)],
                        work,
                        lambda share: share > const(float(attrs.iou_threshold), work),
                    )
                    column = label + background
                    with build.for_("rank", count) as rank:
                        box = build.let("box", ranks[image, rank, column])
                        score = rated[image, box, column]
                        may = And(_reaches(score, attrs.score_threshold), number < const(most))
                        standing.decide(build, box, kept, number, may)
                    with build.for_("rank", number) as rank:
                        build.store(found, kept[rank,], total)
                        build.store(classed, label, total)
                        build.store(total, total + 1)
                with build.for_("row", Min(total, const(rows))) as row:
                    chosen = build.let("chosen", const(-1))
                    with build.for_("k", total) as k:
                        is_left = GE(found[k,], const(0))
                        near = Max(chosen, const(0))
                        score = rated[image, Max(found[k,], const(0)), classed[k,] + background]
                        so_far = rated[
                            image, Max(found[near,], const(0)), classed[near,] + background
                        ]
                        is_better = Or(chosen < const(0), score > so_far)
                        build.store(chosen, select(And(is_left, is_better), k, chosen))
                    box = build.let("box", found[chosen,])
                    label = build.let("label", classed[chosen,])
                    for at in range(4):
                        place = (image, row, const(at))
                        build.store(where, corners[image, box, const(at)], place)
                    build.store(labels, converted(label, "float32"), (image, row))
                    build.store(best, rated[image, box, label + background], (image, row))
                    build.store(found, -1, chosen)
                    build.store(counts, row + 1, image)

        made = site.context.perform("suppression", [boxes, scores, order], results, body)
        return tuple(made[:4])

    @computes
    def handle_non_max_suppression(self, site: Site) -> Elements | tuple[Elements, ...]:
        """Keep the boxes of each image that stand, in order, or say where they were."""
        attrs, data, origins = site.attrs, site.kept(0), site.args[2]
        places = _standing_rows(site, data)
        batch, count, _ = data.shape
        none = literal(number_of(-1, numpy_dtype(data.dtype)), data.dtype)

        def row(index: Index) -> Expr:
            box = places.at(index[:2])
            found = data.at((index[0], clamped(box, count), index[2]))
            return select(box >= const(0), found, none)

        left = Elements(data.shape, data.dtype, row)
        if attrs.return_indices:
            there = Elements((batch, count), "bool", lambda i: places.at(i) >= const(0))
        elif attrs.invalid_to_bottom:
            there = Elements(
                (batch, count),
                "bool",
                lambda i: GE(left.at((*i, const(0))), zero(data.dtype)),
            )
        else:
            return left
        front, totals = _to_front(site, there)

        def moved(index: Index) -> Expr:
            place = front.at(index[:2])
            found = left.at((index[0], clamped(place, count), index[2]))
            return select(place >= const(0), found, none)

        if not attrs.return_indices:
            return Elements(data.shape, data.dtype, moved)

        def origin(index: Index) -> Expr:
            place = front.at(index)
            box = clamped(places.at((index[0], clamped(place, count))), count)
            found = converted(origins.at((index[0], box)), "int32")
            return select(place >= const(0), found, const(-1))

        sums = Elements((batch, 1), "int32", lambda i: totals.at(i[:1]))
        return Elements((batch, count), "int32", origin), sums


def _standing_rows(site: Site, data: Elements) -> Elements:
    """Return, of each image, the numbers of the boxes in order, -1 for one that does not stand.

    A box without a positive score neither falls nor makes another fall; a threshold that is not
    positive suppresses nothing.
    """
    attrs = site.attrs
    valid, _, limit, iou = site.args[1:]
    batch, count, columns = data.shape
    work = str(weighing_dtype(numpy_dtype(data.dtype)))
    scored, known = int(attrs.score_index) % columns, int(attrs.id_index)
    corner = int(attrs.coord_start) % columns
    keys = Elements(
        (batch, count),
        "float64",
        lambda i: select(  # what is no number comes behind all
            Cast(INT64, i[1]) < _counted(valid.at(i[:1])),
            -converted(data.at((*i, const(scored))), "float64"),
            const(float("nan"), "float64"),
        ),
    )
    order = ordered(site, keys, 1, largest=False)

    def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
        rows, counts, ranks, most, threshold = given
        places, kept = made
        share_of, bound = converted(_scalar(threshold), work), _counted(_scalar(most))

        def related(standing: Expr, other: Expr) -> Expr:
            mine, its = (rows[image, box, const(max(known, 0))] for box in (standing, other))
            is_known = GE(mine, zero(data.dtype))
            return is_known if attrs.force_suppress else And(EQ(mine, its), is_known)

        def good(box: Expr) -> Expr:
            return rows[image, box, const(scored)] > zero(data.dtype)

        with nest(build, (batch, count)) as index:
            build.store(places, -1, index)
            build.store(kept, 0, index)
        with build.for_("image", batch) as image:
            here = Min(_counted(counts[image,]), const(count, "int64"))
            there = build.let("there", Cast(INT32, Max(here, const(0, "int64"))))
            asked = Min(there, const(int(attrs.top_k))) if attrs.top_k > 0 else there
            number = build.let("number", const(0))
            boxes = Boxes(
                lambda box, at: rows[image, box, const(corner + at)],
                work,
                lambda share: GE(share, share_of),
                related if known >= 0 else None,
            )
            with build.if_(_scalar(threshold) > literal(0, str(threshold.dtype))):
                with build.for_("rank", asked) as rank:
                    box = build.let("box", ranks[image, rank])
                    before = build.let("before", number)
                    is_room = Or(bound < const(0, "int64"), Cast(INT64, number) < bound)
                    boxes.decide(build, box, kept, number, And(good(box), is_room), (image,))
                    with build.if_(Or(before < number, Not(good(box)))):
                        build.store(places, box, (image, rank))
                with build.for_("rank", asked) as rank:
                    box = build.let("box", ranks[image, rank])
                    is_full = EQ(Cast(INT64, number), bound)  # then nothing else is left
                    with build.if_(And(is_full, Not(good(box)))):
                        build.store(places, -1, (image, rank))
            with build.else_(), build.for_("rank", there) as rank:
                build.store(places, rank, (image, rank))

    vector = ((batch, count), "int32")
    given = [data, valid, order, limit, iou]
    return site.context.perform("suppression", given, [vector, vector], body)[0]


def _negated(scores: Elements) -> Elements:
    """Return what is in order as scores are from the best on."""
    dtype = scores.dtype
    if dtype.startswith("uint"):
        most = literal(2 ** int(dtype[4:]) - 1, dtype)
        return scores._replace(at=lambda i: most - scores.at(i), is_plain=False, tensor=None)
    return scores._replace(at=lambda i: -scores.at(i), is_plain=False, tensor=None)


def _scalar(tensor: Tensor) -> Expr:
    return tensor[tuple([const(0) for _ in tensor.shape])]


def _reaches(score: Expr, least: float) -> Expr:
    """Return whether a score is as good as a number that an attribute gives."""
    kind = "float64" if is_whole(score.type.numpy) else str(score.type)
    return GE(converted(score, kind), const(float(least), kind))


def _counted(number: Expr) -> Expr:
    """Return an integer in 64 bits, one that is too great for them as the greatest."""
    if number.type.is_uint and number.type.bits == 64:
        number = Min(number, const(2**63 - 1, number.type))
    return Cast(INT64, number)


def _to_front(site: Site, flags: Elements) -> tuple[Elements, Elements]:
    """Return where in each row those stand that hold, in order, -1 behind, and how many do."""
    batch, count = flags.shape

    def body(build: IRBuilder, given: Sequence[Tensor], made: Sequence[Tensor]) -> None:
        front, totals = made
        with nest(build, (batch, count)) as index:
            build.store(front, -1, index)
        with build.for_("image", batch) as image:
            number = build.let("number", const(0))
            with build.for_("k", count) as k, build.if_(given[0][image, k]):
                build.store(front, k, (image, number))
                build.store(number, number + 1)
            build.store(totals, number, image)

    results = [((batch, count), "int32"), ((batch,), "int32")]
    front, totals = site.context.perform("front", [flags], results, body)
    return front, totals
