"""Suppressing what overlaps something better, among boxes of one image kept in one tensor."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, RelayishError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.numeric.arguments import get_count, get_scalar
from relayish.numeric.suppression import select_standing
from relayish.op.declaration.registry import register_op
from relayish.op.types.dimension import unify
from relayish.op.types.fields import Dimension
from relayish.op.types.type_checks import integers, unify_dimensions
from relayish.op.types.type_rules import require_number, tensor
from relayish.op.values.evaluation import Array, number_of


@attrs("relay.attrs.GetValidCountsAttrs")
class GetValidCountsAttrs(Attrs):
    """Attributes of ``vision.get_valid_counts``."""

    score_threshold: float | None
    id_index: int = 0
    score_index: int = 1


@attrs("relay.attrs.NonMaximumSuppressionAttrs")
class NonMaximumSuppressionAttrs(Attrs):
    """Attributes of ``vision.non_max_suppression``."""

    force_suppress: bool = False
    top_k: int = -1
    coord_start: int = 2
    score_index: int = 1
    id_index: int = 0
    return_indices: bool = True
    invalid_to_bottom: bool = False


def _get_valid_counts_type(
    attrs: GetValidCountsAttrs, data: Type, score_threshold: Type
) -> TupleType:
    boxes = tensor(data, "data", rank=3)
    require_number(score_threshold, "score_threshold")
    batch, count, width = boxes.shape
    _check_width(width, max(attrs.score_index, attrs.id_index) + 1, TypeInferenceError)
    if attrs.score_index < 0:
        raise TypeInferenceError(f"score_index is {attrs.score_index}; expected 0 or more")
    return TupleType((TensorType((batch,), "int32"), boxes, TensorType((batch, count), "int32")))


def _get_valid_counts(
    attrs: GetValidCountsAttrs, data: Array, score_threshold: Array
) -> tuple[Array, Array, Array]:
    """Return how many boxes are better than the threshold, these in front, and where they were."""
    _check_width(data.shape[2], max(attrs.score_index, attrs.id_index) + 1, EvaluationError)
    valid = data[..., attrs.score_index] > get_scalar(
        np.asarray(score_threshold), "score_threshold"
    )
    if attrs.id_index >= 0:
        valid &= data[..., attrs.id_index] >= 0
    order = np.argsort(~valid, axis=1, kind="stable")
    there = np.take_along_axis(valid, order, axis=1)
    rows = np.take_along_axis(data, order[..., None], axis=1)
    rows = np.where(there[..., None], rows, number_of(-1, data.dtype))
    indices = np.where(there, order, -1).astype(np.int32)
    return valid.sum(axis=1).astype(np.int32), rows, indices


def _check_width(width: Dimension, needed: int, raises: type[RelayishError]) -> None:
    if isinstance(width, int) and width < needed:
        raise raises(f"boxes are rows of {width} numbers; the attributes ask for {needed}")


def _columns(attrs: NonMaximumSuppressionAttrs) -> int:
    """Return how many numbers a box must have for the attributes to point at some of them."""
    return max(attrs.coord_start + 4, attrs.score_index + 1, attrs.id_index + 1)


def _non_max_suppression_type(
    attrs: NonMaximumSuppressionAttrs,
    data: Type,
    valid_count: Type,
    indices: Type,
    max_output_size: Type,
    iou_threshold: Type,
) -> Type:
    boxes, counts = tensor(data, "data", rank=3), integers(valid_count, "valid_count", rank=1)
    places = integers(indices, "indices", rank=2)
    for ty, what in ((max_output_size, "max_output_size"), (iou_threshold, "iou_threshold")):
        require_number(ty, what)
    _check_width(boxes.shape[2], _columns(attrs), TypeInferenceError)
    for place, axis in zip(places.shape, boxes.shape[:2], strict=True):
        unify_dimensions(axis, place, "boxes and indices have the sizes")
    if unify(boxes.shape[0], counts.shape[0]) is None:
        raise TypeInferenceError(
            f"data has a batch of {boxes.shape[0]}, valid_count of {counts.shape[0]}"
        )
    if not attrs.return_indices:
        return boxes
    batch, count, _ = boxes.shape
    return TupleType((TensorType((batch, count), "int32"), TensorType((batch, 1), "int32")))


def _non_max_suppression(
    attrs: NonMaximumSuppressionAttrs,
    data: Array,
    valid_count: Array,
    indices: Array,
    max_output_size: Array,
    iou_threshold: Array,
) -> Array | tuple[Array, Array]:
    """Return what stands: the boxes, or where they were (see ``get_valid_counts``) and how many.

    Rows of what fell are -1. A threshold that is not positive suppresses nothing. A box without a
    positive score neither falls nor makes another fall.
    """
    boxes: Array = np.full(data.shape, number_of(-1, data.dtype))
    places: Array = np.full(data.shape[:2], -1, np.int32)
    _check_width(data.shape[2], _columns(attrs), EvaluationError)
    if indices.shape != data.shape[:2]:
        raise EvaluationError(f"indices of shape {indices.shape} are not those of {data.shape[:2]}")
    limit = get_count(max_output_size, "max_output_size")
    threshold = float(get_scalar(iou_threshold, "iou_threshold"))
    for image, valid in enumerate(valid_count.tolist()):
        count = min(max(0, valid), data.shape[1])
        rows = data[image, :count]
        if threshold > 0:
            order = np.argsort(-rows[:, attrs.score_index].astype(np.float64), kind="stable")
            order = order[: attrs.top_k] if attrs.top_k > 0 else order
            kept = _select_rows(attrs, rows[order], limit, threshold)
            boxes[image, kept], places[image, kept] = rows[order[kept]], order[kept]
        else:
            boxes[image, :count], places[image, :count] = rows, np.arange(count)
    if not attrs.return_indices:
        return _move_to_front(boxes, boxes[..., 0] >= 0) if attrs.invalid_to_bottom else boxes
    there = places >= 0
    origins = np.take_along_axis(indices, np.where(there, places, 0).astype(np.intp), axis=1)
    result = _move_to_front(np.where(there, origins, -1).astype(np.int32), there)
    return result, there.sum(axis=1, keepdims=True).astype(np.int32)


def _select_rows(
    attrs: NonMaximumSuppressionAttrs, rows: Array, limit: int, threshold: float
) -> Array:
    """Return the numbers of the rows, the best first, that are left."""
    good = np.flatnonzero(rows[:, attrs.score_index] > 0)
    better = rows[good]
    corners = better[:, attrs.coord_start : attrs.coord_start + 4]
    known = attrs.id_index >= 0
    labels = better[:, attrs.id_index] if known else np.zeros(len(good))

    def related(standing: Array, others: Array) -> Array:
        alike = attrs.force_suppress | (labels[others] == labels[standing])
        return alike & (labels[standing] >= 0)

    stand = select_standing(corners, lambda found: found >= threshold, limit=limit, related=related)
    kept = good[stand]
    if len(stand) == limit:  # then nothing after the last of them is left
        return np.sort(kept)
    return np.sort(np.concatenate((kept, np.setdiff1d(np.arange(len(rows)), good))))


def _move_to_front(values: Array, there: Array) -> Array:
    """Return ``values: (batch, n, ...)`` with those that are there first, and -1 behind them."""
    order = np.argsort(~there, axis=1, kind="stable")
    behind = (1,) * (values.ndim - 2)
    moved = np.take_along_axis(values, order.reshape(*order.shape, *behind), axis=1)
    kept = np.take_along_axis(there, order, axis=1).reshape(*order.shape, *behind)
    return np.where(kept, moved, number_of(-1, values.dtype))


def _count_suppression(attrs: NonMaximumSuppressionAttrs, _args: object) -> int | None:
    return 2 if attrs.return_indices else None


register_op(
    "vision.get_valid_counts",
    arguments=("data", "score_threshold: float32"),
    description="""
    Move boxes with a score high enough to the front and count them.
    data (n, boxes, elements); score_threshold (), or a number -> a tuple: counts (n,) int32,
        boxes (n, boxes, elements), indices (n, boxes) int32
    """,
    attrs_in_metadata=True,
    rule=_get_valid_counts_type,
    evaluate=_get_valid_counts,
    outputs=3,
)
register_op(
    "vision.non_max_suppression",
    signature=(
        "data, valid_count, indices, max_output_size: int32 = -1, "
        "iou_threshold: float32 = 0.5, force_suppress=False, top_k=-1, coord_start=2, "
        "score_index=1, id_index=0, return_indices=True, invalid_to_bottom=False"
    ),
    description="""
    Drop boxes that overlap with better ones.
    data (n, boxes, elements); valid_count (n,) int32; indices (n, boxes) int32; max_output_size
        (), or a number; iou_threshold (), or a number -> a tuple: indices (n, boxes) int32,
        counts (n, 1) int32; or the boxes (n, boxes, elements)
    """,
    attrs_in_metadata=True,
    rule=_non_max_suppression_type,
    evaluate=_non_max_suppression,
    outputs=_count_suppression,
)
