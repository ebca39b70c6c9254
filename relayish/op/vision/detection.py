"""Suppression among boxes that are scored for many classes at once."""

from __future__ import annotations

import numpy as np

from relayish.errors import TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.numeric.arguments import get_count, get_scalar
from relayish.numeric.suppression import select_best
from relayish.op.declaration.registry import register_op
from relayish.op.types.dimension import compare, multiply, show_type, unify
from relayish.op.types.fields import Dimension
from relayish.op.types.type_rules import require_number, tensor
from relayish.op.values.evaluation import Array


@attrs("relay.attrs.AllClassNonMaximumSuppressionAttrs")
class AllClassNonMaximumSuppressionAttrs(Attrs):
    """Attributes of ``vision.all_class_non_max_suppression``."""

    output_format: str = "onnx"


@attrs("relay.attrs.RegularNonMaximumSuppressionAttrs")
class RegularNonMaximumSuppressionAttrs(Attrs):
    """Attributes of ``vision.regular_non_max_suppression``."""

    max_detections_per_class: int
    max_detections: int
    num_classes: int
    iou_threshold: float
    score_threshold: float


def _all_class_type(
    attrs: AllClassNonMaximumSuppressionAttrs,
    boxes: Type,
    scores: Type,
    max_output_boxes_per_class: Type,
    iou_threshold: Type,
    score_threshold: Type,
) -> TupleType:
    limits = (
        (max_output_boxes_per_class, "max_output_boxes_per_class"),
        (iou_threshold, "iou_threshold"),
        (score_threshold, "score_threshold"),
    )
    for ty, what in limits:
        require_number(ty, what)
    corners, rated = tensor(boxes, "boxes", rank=3), tensor(scores, "scores", rank=3)
    batch = _unify_batch(corners, rated)
    count = unify(corners.shape[1], rated.shape[2])
    if count is None:
        raise TypeInferenceError(
            f"there are {corners.shape[1]} boxes, and scores of {rated.shape[2]}"
        )
    candidates = multiply(rated.shape[1], count)
    if attrs.output_format == "onnx":
        triples = TensorType((multiply(batch, candidates), 3), "int64")
        return TupleType((triples, TensorType((1,), "int64")))
    if attrs.output_format != "tensorflow":
        raise TypeInferenceError(
            f"output_format must be onnx or tensorflow; found {attrs.output_format!r}"
        )
    pairs = TensorType((batch, candidates, 2), "int64")
    best = TensorType((batch, candidates), "float32")
    return TupleType((pairs, best, TensorType((batch,), "int64")))


def _unify_batch(corners: TensorType, rated: TensorType) -> Dimension:
    if compare(corners.shape[2], 4) is False:
        raise TypeInferenceError(
            f"boxes must be of shape (batch, n, 4); found {show_type(corners)}"
        )
    batch = unify(corners.shape[0], rated.shape[0])
    if batch is None:
        raise TypeInferenceError(
            f"boxes has a batch of {corners.shape[0]}, scores of {rated.shape[0]}"
        )
    return batch


def _all_class(
    attrs: AllClassNonMaximumSuppressionAttrs,
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array,
    iou_threshold: Array,
    score_threshold: Array,
) -> tuple[Array, ...]:
    """Return what was found, and how much of that there is; the rest of the rows is 0.

    For ONNX, rows of image, class and box, the better boxes of a class first. For TensorFlow, for
    each image rows of class and box, and their scores, likewise.
    """
    limit = get_count(max_output_boxes_per_class, "max_output_boxes_per_class")
    threshold, least = (
        get_scalar(iou_threshold, "iou_threshold"),
        get_scalar(score_threshold, "score_threshold"),
    )
    batch, classes, count = scores.shape
    found = [
        [
            _select(boxes[image], scores[image, label], threshold, limit, least)
            for label in range(classes)
        ]
        for image in range(batch)
    ]
    if attrs.output_format == "onnx":
        rows = [
            (i, c, b) for i, image in enumerate(found) for c, kept in enumerate(image) for b in kept
        ]
        triples: Array = np.zeros((batch * classes * count, 3), np.int64)
        triples[: len(rows)] = np.array(rows, np.int64).reshape(-1, 3)
        return triples, np.array([len(rows)], np.int64)
    pairs: Array = np.zeros((batch, classes * count, 2), np.int64)
    best: Array = np.zeros((batch, classes * count), np.float32)
    counts: Array = np.zeros(batch, np.int64)
    for image, per_class in enumerate(found):
        flat = [(c, b) for c, kept in enumerate(per_class) for b in kept]
        chosen = np.array(flat, np.int64).reshape(-1, 2)
        counts[image] = count_found = len(flat)
        pairs[image, :count_found] = chosen
        best[image, :count_found] = scores[image, chosen[:, 0], chosen[:, 1]]
    return pairs, best, counts


def _select(boxes: Array, scores: Array, iou: float, limit: int, least: float) -> Array:
    """Return the numbers of the boxes of one class that are found, the best first."""
    good, most = np.flatnonzero(scores > least), max(limit, 0)
    return select_best(boxes, scores, lambda found: found >= iou, candidates=good, limit=most)


def _regular_type(attrs: RegularNonMaximumSuppressionAttrs, boxes: Type, scores: Type) -> TupleType:
    corners, rated = tensor(boxes, "boxes", rank=3), tensor(scores, "scores", rank=3)
    batch = _unify_batch(corners, rated)
    if unify(corners.shape[1], rated.shape[1]) is None:
        raise TypeInferenceError(
            f"there are {corners.shape[1]} boxes, and scores of {rated.shape[1]}"
        )
    classes = rated.shape[2]
    if isinstance(classes, int) and not 0 < attrs.num_classes <= classes:
        raise TypeInferenceError(
            f"num_classes is {attrs.num_classes}; scores has {classes} classes"
        )
    if attrs.max_detections < 0:
        raise TypeInferenceError(f"max_detections is {attrs.max_detections}; it must be positive")
    rows = batch, attrs.max_detections
    return TupleType(
        (
            TensorType((*rows, 4), corners.dtype),
            TensorType(rows, "float32"),
            TensorType(rows, rated.dtype),
            TensorType((batch,), "int32"),
        )
    )


def _prepare(
    attrs: RegularNonMaximumSuppressionAttrs, boxes: Array, scores: Array
) -> tuple[Array, Array, Array, Array]:
    """Return boxes, their classes, their scores, the best first, and how many there are.

    The classes are floating point, as in Relay. Those in front of the last ``num_classes`` are
    background. Rows of nothing are 0.
    """
    batch, rows = len(boxes), attrs.max_detections
    result: Array = np.zeros((batch, rows, 4), boxes.dtype)
    labels: Array = np.zeros((batch, rows), np.float32)
    best: Array = np.zeros((batch, rows), scores.dtype)
    counts: Array = np.zeros(batch, np.int32)
    background = scores.shape[2] - attrs.num_classes
    for image in range(batch):
        found = [
            (label, box)
            for label in range(attrs.num_classes)
            for box in _select_regular(attrs, boxes[image], scores[image, :, background + label])
        ]
        chosen = np.array(found, np.intp).reshape(-1, 2)
        rated = scores[image, chosen[:, 1], background + chosen[:, 0]]
        order = np.argsort(-rated, kind="stable")[:rows]
        kept, count = chosen[order], len(order)
        counts[image] = count
        result[image, :count] = boxes[image, kept[:, 1]]
        labels[image, :count], best[image, :count] = kept[:, 0], rated[order]
    return result, labels, best, counts


def _select_regular(attrs: RegularNonMaximumSuppressionAttrs, boxes: Array, scores: Array) -> Array:
    good = np.flatnonzero(scores >= attrs.score_threshold)
    limit, least = max(attrs.max_detections_per_class, 0), attrs.iou_threshold
    return select_best(boxes, scores, lambda found: found > least, candidates=good, limit=limit)


def _count_class_suppression(attrs: AllClassNonMaximumSuppressionAttrs, _args: object) -> int:
    return 2 if attrs.output_format == "onnx" else 3


register_op(
    "vision.all_class_non_max_suppression",
    signature=(
        "boxes, scores, max_output_boxes_per_class: int64 = -1, "
        "iou_threshold: float32 = -1.0, score_threshold: float32 = -1.0, "
        "output_format='onnx'"
    ),
    description="""
    Drop boxes that overlap with better ones of their class.
    boxes (n, boxes, 4); scores (n, classes, boxes); max_output_boxes_per_class (), or a number;
        iou_threshold (), or a number; score_threshold (), or a number -> a tuple: indices (m,
        3) int64 and their number (1,) int64; for tensorflow indices, scores and numbers
    """,
    attrs_in_metadata=True,
    rule=_all_class_type,
    evaluate=_all_class,
    outputs=_count_class_suppression,
)
register_op(
    "vision.regular_non_max_suppression",
    description="""
    Drop boxes that overlap with better ones of their class, as TFLite does.
    boxes (n, boxes, 4); scores (n, boxes, classes) -> a tuple: boxes, classes, scores and
        counts
    """,
    attrs_in_metadata=True,
    rule=_regular_type,
    evaluate=_prepare,
    outputs=4,
)
