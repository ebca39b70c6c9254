"""Lowering of what is said of boxes: anchors, boxes that are moved, and those that count."""

from __future__ import annotations

import numpy as np

from relayish.interpreter.call import evaluate_call
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Constant, Expr, Op, Tuple
from relayish.ir.values.dtype import numpy_dtype
from relayish.op.builders.builder import op
from relayish.passes.relay.lowering.call import LoweringHandler, Site, lowers, refuse_unless
from relayish.passes.relay.lowering.tensors import number, pick


class Boxes(LoweringHandler):
    """Rules for boxes that are found without comparing one with another."""

    @lowers
    def handle_yolo_reorg(self, site: Site) -> Expr:
        """Move pixels into channels."""
        s = site.attrs.stride
        batch, channels, height, width = site.shape()
        large = (batch, channels // (s * s), height, s, width, s)
        moved = op.transpose(op.reshape(site.args[0], newshape=large), axes=(0, 3, 5, 1, 2, 4))
        whole = (batch, channels * s * s, height // s, width // s)
        found: Expr = op.reshape(moved, newshape=whole)
        return found

    @lowers
    def handle_multibox_prior(self, site: Site) -> Expr:
        """Return the boxes as a constant: they depend on the shape of the data only."""
        blank = np.zeros(site.shape(), numpy_dtype(site.dtype()))
        called = site.call.op
        assert isinstance(called, Op)
        with np.errstate(all="ignore"):
            return Constant(evaluate_call(called, site.attrs, [blank]))

    @lowers
    def handle_multibox_transform_loc(self, site: Site) -> Expr:
        """Move the anchors, and put those of which enough is thought in front."""
        attrs, dtype = site.attrs, site.real_dtype()
        refuse_unless(
            site.dtype(1) == site.dtype(2) == dtype, "its arguments have different element types"
        )
        scores, moves, anchor = site.args
        first = 0 if attrs.keep_background else 1
        batch, classes, count = site.shape(0)
        refuse_unless(classes > first, "there are no classes but the background")
        used = op.strided_slice(scores, begin=(first,), end=(classes,), strides=(1,), axes=(1,))
        label = op.cast(op.argmax(used, axis=(1,)), dtype)
        score = op.max(used, axis=(1,))
        found = op.greater_equal(score, number(attrs.threshold, dtype))
        if attrs.keep_background:
            label = op.where(found, label, number(0, dtype))
            found = const(np.ones((batch, count), np.bool_), "bool")
        boxes = op.reshape(moves, newshape=(batch, count, 4))
        moved = _move(site, boxes, anchor)
        heads = [op.expand_dims(part, axis=2) for part in (label, score)]
        rows = op.concatenate((*heads, moved), axis=2)
        kept, _, counts = _move_to_front(rows, found, count, dtype)
        return Tuple((kept, counts))

    @lowers
    def handle_get_valid_counts(self, site: Site) -> Expr:
        """Put the boxes that are better than the threshold in front."""
        attrs, dtype = site.attrs, site.dtype()
        data, threshold = site.args
        _, count, _ = site.shape(0)
        exact = "float64"
        best = op.reshape(op.cast(threshold, exact), newshape=())
        valid = op.greater(op.cast(pick(data, attrs.score_index, 2), exact), best)
        if attrs.id_index >= 0:
            known = op.greater_equal(pick(data, attrs.id_index, 2), number(0, dtype))
            valid = op.logical_and(valid, known)
        rows, order, counts = _move_to_front(data, valid, count, dtype)
        return Tuple((counts, rows, op.cast(order, "int32")))


def _move(site: Site, moves: Expr, anchor: Expr) -> Expr:
    """Return the anchors moved and stretched by ``moves: (batch, n, 4)``."""
    attrs, dtype = site.attrs, site.dtype()

    def half(of: Expr, begin: int) -> Expr:
        found: Expr = op.strided_slice(
            of, begin=(begin,), end=(begin + 2,), strides=(1,), axes=(2,)
        )
        return found

    low, high, two = half(anchor, 0), half(anchor, 2), number(2, dtype)
    size, centre = op.subtract(high, low), op.divide(op.add(low, high), two)
    variances = np.array(attrs.variances, numpy_dtype(dtype))
    scaled = op.multiply(moves, const(variances, dtype))
    middle = op.add(op.multiply(half(scaled, 0), size), centre)
    reach = op.divide(op.multiply(op.exp(half(scaled, 2)), size), two)
    boxes: Expr = op.concatenate((op.subtract(middle, reach), op.add(middle, reach)), axis=2)
    return op.clip(boxes, a_min=0.0, a_max=1.0) if attrs.clip else boxes


def _move_to_front(rows: Expr, there: Expr, count: int, dtype: str) -> tuple[Expr, Expr, Expr]:
    """Return ``rows: (batch, n, k)`` with those that are there first, -1 behind them.

    Returns:
        The rows, ``(batch, n)`` int64 where they were, or -1, and ``(batch,)`` int32 how many.
    """
    places = np.arange(count)
    behind = const(places + count, "int64")
    key = op.where(there, const(places, "int64"), behind)
    order = op.argsort(key, axis=1, dtype="int64")
    counts = op.sum(op.cast(there, "int32"), axis=(1,))
    kept = op.less(const(places, "int32"), op.expand_dims(counts, axis=1))
    moved = op.take(rows, order, axis=1, batch_dims=1)
    moved = op.where(op.expand_dims(kept, axis=2), moved, number(-1, dtype))
    return moved, op.where(kept, order, number(-1, "int64")), counts
