"""Proposing regions: anchors at every place, moved as the network says, the best that stand."""

from __future__ import annotations

import math

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.suppression import select_standing
from relayish.op.declaration.registry import register_op
from relayish.op.types.dimension import compare, multiply, show_type, unify
from relayish.op.types.type_checks import unify_dimensions
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array, number_of


@attrs("relay.attrs.ProposalAttrs")
class ProposalAttrs(Attrs):
    """Attributes of ``vision.proposal``."""

    scales: tuple[float, ...] = (4.0, 8.0, 16.0, 32.0)
    ratios: tuple[float, ...] = (0.5, 1.0, 2.0)
    feature_stride: int = 16
    threshold: float = 0.7
    rpn_pre_nms_top_n: int = 6000
    rpn_post_nms_top_n: int = 300
    rpn_min_size: int = 16
    iou_loss: bool = False


def _proposal_type(
    attrs: ProposalAttrs, cls_prob: Type, bbox_pred: Type, im_info: Type
) -> TensorType:
    scores, moves = tensor(cls_prob, "cls_prob", rank=4), tensor(bbox_pred, "bbox_pred", rank=4)
    sizes = tensor(im_info, "im_info", rank=2)
    if compare(sizes.shape[1], 3) is False:
        raise TypeInferenceError(
            f"im_info must be of shape (batch, 3), a height, a width and a scale; "
            f"found {show_type(sizes)}"
        )
    if attrs.rpn_post_nms_top_n < 0 or attrs.feature_stride < 1:
        raise TypeInferenceError(
            f"rpn_post_nms_top_n must not be negative and feature_stride must be positive; "
            f"found {attrs.rpn_post_nms_top_n} and {attrs.feature_stride}"
        )
    if not all(0 < each < math.inf for each in (*attrs.scales, *attrs.ratios)):
        raise TypeInferenceError(
            f"scales and ratios must be positive numbers; found {attrs.scales} and {attrs.ratios}"
        )
    anchors = len(attrs.scales) * len(attrs.ratios)
    for ty, what, each in ((scores, "cls_prob", 2), (moves, "bbox_pred", 4)):
        if compare(ty.shape[1], each * anchors) is False:
            raise TypeInferenceError(
                f"{what} must have {each * anchors} channels, {each} for each of {anchors} "
                f"anchors; found {show_type(ty)}"
            )
    if any(
        unify(one, other) is None
        for one, other in zip(scores.shape[2:], moves.shape[2:], strict=True)
    ):
        raise TypeInferenceError(
            f"cls_prob and bbox_pred must be of the same places; "
            f"found {show_type(scores)} and {show_type(moves)}"
        )
    batch = unify_dimensions(
        unify_dimensions(scores.shape[0], moves.shape[0], "cls_prob and bbox_pred have batches of"),
        sizes.shape[0],
        "cls_prob and im_info have batches of",
    )
    return TensorType((multiply(batch, attrs.rpn_post_nms_top_n), 5), scores.dtype)


def _proposal(attrs: ProposalAttrs, cls_prob: Array, bbox_pred: Array, im_info: Array) -> Array:
    """Return rows ``(image, left, top, right, bottom)``, as many for each image.

    Where fewer regions stand than are asked for, they are repeated in order.
    """
    wanted = attrs.rpn_post_nms_top_n
    result: Array = np.zeros((len(cls_prob), wanted, 5), cls_prob.dtype)
    for image, (scores, moves, info) in enumerate(zip(cls_prob, bbox_pred, im_info, strict=True)):
        boxes, rated = _candidates(attrs, scores, moves, info)
        order = np.argsort(-rated.astype(np.float64), kind="stable")
        if attrs.rpn_pre_nms_top_n > 0:
            order = order[: attrs.rpn_pre_nms_top_n]
        best = boxes[order]
        stand = select_standing(best, lambda found: found > attrs.threshold, limit=wanted, border=1)
        result[image, :, 0] = image
        if stand:
            result[image, :, 1:] = best[np.array(stand)[np.arange(wanted) % len(stand)]]
    return result.reshape(-1, 5)


def _candidates(
    attrs: ProposalAttrs, scores: Array, moves: Array, info: Array
) -> tuple[Array, Array]:
    """Return all boxes ``(n, 4)`` of one image and their scores, -1 for those that do not count."""
    kind = scores.dtype.type
    rows, columns = scores.shape[1:]
    anchors = place_anchors(attrs).astype(kind)
    count, stride = len(anchors), kind(attrs.feature_stride)
    y, x = (np.arange(n).astype(kind) * stride for n in (rows, columns))
    corner = np.stack(np.broadcast_arrays(x, y[:, None], x, y[:, None]), axis=-1)
    placed = corner[:, :, None] + anchors  # (rows, columns, anchors, 4)
    delta = moves.reshape(count, 4, rows, columns).transpose(2, 3, 0, 1)
    moved = placed + delta if attrs.iou_loss else _regress(placed, delta)
    height, width, scale = info.astype(kind)
    last = np.array([height / stride, width / stride], np.float64)
    if not np.all(np.isfinite(last)):
        raise EvaluationError(f"an image of {height} by {width} has no size in steps of {stride}")
    boxes = np.clip(moved, 0, np.array([width, height, width, height], kind) - 1)
    rated = scores.reshape(2, count, rows, columns)[1].transpose(1, 2, 0)
    beyond = (np.arange(rows) >= int(last[0]))[:, None] | (np.arange(columns) >= int(last[1]))
    rated = np.where(beyond[..., None], number_of(-1, scores.dtype), rated)
    least = scale * kind(attrs.rpn_min_size)
    small = (boxes[..., 2:] - boxes[..., :2] + 1 < least).any(axis=-1)
    half = least / kind(2)
    grown = boxes + np.array([-half, -half, half, half], kind)
    boxes = np.where(small[..., None], grown, boxes)
    return boxes.reshape(-1, 4), np.where(small, number_of(-1, scores.dtype), rated).ravel()


def place_anchors(attrs: ProposalAttrs) -> Array:
    """Return ``(ratios * scales, 4)``: the anchors of the first place, in pixels."""
    base = float(attrs.feature_stride)
    centre = (base - 1) / 2
    boxes = []
    for ratio in attrs.ratios:
        across = math.floor(math.sqrt(math.floor(base * base / ratio)) + 0.5)
        down = math.floor(across * ratio + 0.5)
        for scale in attrs.scales:
            reach = (across * scale - 1) / 2, (down * scale - 1) / 2
            boxes.append([centre - r for r in reach] + [centre + r for r in reach])
    return np.array(boxes)


def _regress(boxes: Array, delta: Array) -> Array:
    """Return boxes moved by parts of their size and stretched by exponentials."""
    size = boxes[..., 2:] - boxes[..., :2] + 1
    centre = boxes[..., :2] + (size - 1) / 2 + delta[..., :2] * size
    half = (np.exp(delta[..., 2:]) * size - 1) / 2
    return np.concatenate((centre - half, centre + half), axis=-1)


register_op(
    "vision.proposal",
    description="""
    Propose boxes that may hold an object.
    cls_prob (n, 2 * anchors, h, w); bbox_pred (n, 4 * anchors, h, w); im_info (n, 3) -> (n *
        rpn_post_nms_top_n, 5)
    """,
    attrs_in_metadata=True,
    rule=_proposal_type,
    evaluate=_proposal,
)
