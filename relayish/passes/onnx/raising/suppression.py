"""Suppression of boxes that better ones overlap."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr, Tuple
from relayish.op.builders.builder import op
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, ints, number, raises
from relayish.passes.relay.lowering.tensors import pick

_BELOW_ONE: Final = np.nextafter(np.float32(1), np.float32(0))
"""A positive number of 32 bits times this is the next smaller one."""


@raises("vision.all_class_non_max_suppression")
def all_class_suppression(call: RelayCall) -> Expr:
    """Boxes that stand for each class, in as many rows as there may be, which zeros fill up."""
    boxes, scores = call.args[:2]
    batch, classes, count = call.sizes(1)
    limit, least = call.reshape(call.places(2), [1]), call.reshape(call.args[4], [1])
    least = call.cast_from(least, call.type(4).dtype, "float32")
    found = _standing(call, boxes, scores, (limit, _threshold(call, 3), least))
    if call.attrs.output_format == "onnx":
        behind = call.node("ConstantOfShape", ints([batch * classes * count, 3]), value=_ZERO)
        whole = call.node("Concat", found, behind, axis=0)
        rows = call.node("Slice", whole, ints([0]), ints([batch * classes * count]), ints([0]))
        return Tuple([rows, _count(call, found)])
    images = call.node("Gather", found, number(0, "int64"), axis=1)
    is_of = call.node("Equal", images, Constant(np.arange(batch)[:, None]))
    counts = call.sum(call.cast(is_of, "int64"), [1], keep=False)
    before = call.node("CumSum", counts, number(0, "int64"), exclusive=1)
    last = call.reshape(_count(call, found), [])
    every = call.node("Range", number(0, "int64"), last, number(1, "int64"))
    place = call.node("Sub", every, call.node("Gather", before, images, axis=0))
    places = [call.unit_axes("Unsqueeze", each, [1]) for each in (images, place)]
    row = call.node("Concat", *places, axis=1)
    pairs = call.node("Slice", found, ints([1]), ints([3]), ints([1]))
    shape = [batch, classes * count]
    rooms = [
        call.node("ConstantOfShape", ints([*shape, 2]), value=_ZERO),
        call.node("ConstantOfShape", ints(shape), value=_ZERO.astype("float32")),
    ]
    best = call.node("GatherND", scores, found)
    fields = [
        call.node("ScatterND", room, row, part)
        for room, part in zip(rooms, (pairs, best), strict=True)
    ]
    return Tuple([*fields, counts])


@raises("vision.regular_non_max_suppression")
def regular_suppression(call: RelayCall) -> Expr:
    """The best of the boxes that stand for any class, the background left out."""
    attrs, (boxes, scores) = call.attrs, call.args
    batch, count, classes = call.sizes(1)
    first, rows = classes - attrs.num_classes, int(attrs.max_detections)
    used = op.strided_slice(scores, begin=[first], end=[classes], strides=[1], axes=[2])
    turned = call.write(op.transpose(used, axes=(0, 2, 1)))
    least = np.nextafter(np.float32(attrs.score_threshold), np.float32(-np.inf))
    limit = ints([max(int(attrs.max_detections_per_class), 0)])
    overlap = np.float32(attrs.iou_threshold)
    if not 0 <= overlap <= 1:
        raise Unraised("ONNX has thresholds from 0 to 1")
    limits = (limit, Constant(overlap.reshape(1)), Constant(least.reshape(1)))
    found = _standing(call, boxes, turned, limits)
    lowest = np.array([-np.inf], "float32")
    room = call.node("ConstantOfShape", ints([batch, attrs.num_classes, count]), value=lowest)
    rated = call.node("ScatterND", room, found, call.node("GatherND", turned, found))
    flat = call.reshape(rated, [batch, attrs.num_classes * count])
    shown = min(rows, attrs.num_classes * count)
    if not shown:
        raise Unraised("it has no rows")
    best, order = op.topk(flat, k=shown, axis=1, ret_type="both", dtype="int64")
    stands = op.greater(best, number(-math.inf, "float32"))
    label = op.cast(op.floor_divide(order, number(count, "int64")), "float32")
    box = op.take(boxes, op.floor_mod(order, number(count, "int64")), axis=1, batch_dims=1)
    zero = number(0, "float32")
    behind = ((0, 0), (0, rows - shown))
    fields = [
        op.nn.pad(op.where(op.expand_dims(stands, axis=2), box, zero), (*behind, (0, 0)), zero),
        op.nn.pad(op.where(stands, label, zero), behind, zero),
        op.nn.pad(op.where(stands, best, zero), behind, zero),
        op.sum(op.cast(stands, "int32"), axis=(1,)),
    ]
    return Tuple([call.write(each) for each in fields])


_ZERO: Final = np.zeros(1, "int64")


def _standing(call: RelayCall, boxes: Expr, scores: Expr, limits: tuple[Expr, Expr, Expr]) -> Expr:
    """Return image, class and number of each box that stands, the better ones of a class first."""
    return call.node("NonMaxSuppression", boxes, scores, *limits)


def _count(call: RelayCall, rows: Expr) -> Expr:
    return call.node("Gather", call.node("Shape", rows), ints([0]), axis=0)


def _threshold(call: RelayCall, place: int) -> Expr:
    """Return a threshold that boxes fall beyond, where Relay's fall at it.

    That of a box that falls in any case is negative, which onnxruntime refuses.
    """
    given = call.args[place]
    if isinstance(given, Constant) and not 0 < float(np.asarray(given.data).item()) <= 1:
        raise Unraised("ONNX has thresholds from 0 to 1, at which no box falls")
    found = call.reshape(call.cast_from(given, call.type(place).dtype, "float32"), [1])
    is_some = call.node("Greater", found, number(0, "float32"))
    smaller = call.node("Mul", found, number(_BELOW_ONE, "float32"))
    return call.node("Where", is_some, smaller, number(-1, "float32"))


@raises("vision.non_max_suppression")
def suppression(call: RelayCall) -> Expr:
    """Boxes of each image that stand, or where they were; those without a score stay, too."""
    attrs, (data, valid, indices, told, _) = call.attrs, call.args
    if attrs.id_index >= 0:
        raise Unraised("which of its boxes fall depends on labels among their numbers")
    batch, count, _ = call.sizes(0)
    places, none = Constant(np.arange(count)), number(-1, "int64")
    score = pick(data, attrs.score_index, 2)
    is_valid = op.less(places, op.expand_dims(op.cast(valid, "int64"), axis=1))
    rated = op.where(is_valid, score, number(-math.inf, "float32"))
    first = op.topk(rated, k=count, axis=1, ret_type="indices", dtype="int64")
    order = call.reshape(call.write(first), [batch, count])
    rows = op.take(data, order, axis=1, batch_dims=1)
    is_taken = op.take(is_valid, order, axis=1, batch_dims=1)
    if attrs.top_k > 0:
        is_taken = op.logical_and(is_taken, op.less(places, number(attrs.top_k, "int64")))
    sorted_score = pick(rows, attrs.score_index, 2)
    is_good = op.logical_and(is_taken, op.greater(sorted_score, number(0, "float32")))
    corners = op.strided_slice(
        rows, begin=[attrs.coord_start], end=[attrs.coord_start + 4], strides=[1], axes=[2]
    )
    limit = op.reshape(op.cast(told, "int64"), newshape=(1,))
    is_bound = op.greater_equal(limit, number(0, "int64"))
    most = op.where(is_bound, limit, number(count, "int64"))
    counted = op.expand_dims(op.where(is_good, sorted_score, number(-1, "float32")), axis=1)
    least = Constant(np.zeros(1, "float32"))
    limits = (call.write(most), _threshold(call, 4), least)
    found = _standing(call, call.write(corners), call.write(counted), limits)
    at = call.node("Gather", found, ints([0, 2]), axis=1)
    ones = call.node("Expand", number(1, "int64"), _count(call, found))
    stands = op.equal(
        call.node("ScatterND", Constant(np.zeros((batch, count), "int64")), at, ones),
        number(1, "int64"),
    )
    total = op.sum(op.cast(stands, "int64"), axis=(1,), keepdims=True)
    others = op.logical_and(is_taken, op.not_equal(total, limit))
    kept = op.logical_or(stands, op.logical_and(others, op.logical_not(is_good)))
    if not attrs.return_indices:
        shown = op.where(op.expand_dims(kept, axis=2), rows, number(-1, "float32"))
        if attrs.invalid_to_bottom:
            is_there = op.greater_equal(pick(shown, 0, 2), number(0, "float32"))
            shown = _in_front(shown, is_there, count, number(-1, "float32"), 1)
        return call.write(shown)
    origins = op.take(op.cast(indices, "int64"), order, axis=1, batch_dims=1)
    moved = _in_front(op.where(kept, origins, none), kept, count, none)
    counts = op.sum(op.cast(kept, "int32"), axis=(1,), keepdims=True)
    return Tuple([call.write(op.cast(moved, "int32")), call.write(counts)])


def _in_front(values: Expr, there: Expr, count: int, behind: Expr, more: int = 0) -> Expr:
    """Return values of a batch, perhaps in rows, those that are there first, and then a number."""
    places = Constant(np.arange(count))
    key = op.where(there, places, Constant(np.arange(count) + count))
    order = op.argsort(key, axis=1, dtype="int64")
    total = op.sum(op.cast(there, "int64"), axis=(1,), keepdims=True)
    is_kept = op.less(places, total)
    moved = op.take(values, order, axis=1, batch_dims=1)
    wide = op.expand_dims(is_kept, axis=2, num_newaxis=more)
    found: Expr = op.where(wide, moved, behind)
    return found
