"""Boxes at every place of a feature map, and what a network says of them."""

from __future__ import annotations

import numpy as np

from relayish.errors import TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import Integer
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.types.dimension import compare, floor_divide, multiply, show_type, unify
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array, number_of


@attrs("relay.attrs.MultiBoxPriorAttrs")
class MultiBoxPriorAttrs(Attrs):
    """Attributes of ``vision.multibox_prior``."""

    sizes: tuple[float, ...] = (1.0,)
    ratios: tuple[float, ...] = (1.0,)
    steps: tuple[float, ...] = (-1.0, -1.0)
    offsets: tuple[float, ...] = (0.5, 0.5)
    clip: bool = False


@attrs("relay.attrs.MultiBoxTransformLocAttrs")
class MultiBoxTransformLocAttrs(Attrs):
    """Attributes of ``vision.multibox_transform_loc``."""

    clip: bool = True
    threshold: float = 0.01
    variances: tuple[float, ...] = (0.1, 0.1, 0.2, 0.2)
    keep_background: bool = False


@attrs("relay.attrs.YoloReorgAttrs")
class YoloReorgAttrs(Attrs):
    """Attributes of ``vision.yolo_reorg``."""

    stride: Integer = 1


def _multibox_prior_type(attrs: MultiBoxPriorAttrs, data: Type) -> TensorType:
    image = tensor(data, "data", rank=4)
    if not attrs.sizes or not attrs.ratios:
        raise TypeInferenceError("the attributes sizes and ratios must have at least one number")
    if len(attrs.steps) != 2 or len(attrs.offsets) != 2:
        raise TypeInferenceError(
            f"the attributes steps and offsets must be pairs of numbers, down and across; "
            f"found {attrs.steps} and {attrs.offsets}"
        )
    each = len(attrs.sizes) + len(attrs.ratios) - 1
    count = multiply(multiply(image.shape[2], image.shape[3]), each)
    return TensorType((1, count, 4), image.dtype)


def _multibox_prior(attrs: MultiBoxPriorAttrs, data: Array) -> Array:
    """Return boxes ``(1, places * each, (left, top, right, bottom))``; the image is 1 by 1."""
    height, width = data.shape[2:]
    if not height * width:
        return np.zeros((1, 0, 4), data.dtype)
    down, across = (
        step if step > 0 else 1 / size
        for step, size in zip(attrs.steps, (height, width), strict=True)
    )
    y = (np.arange(height) + attrs.offsets[0]) * down
    x = (np.arange(width) + attrs.offsets[1]) * across
    sizes = np.array([*attrs.sizes, *[attrs.sizes[0]] * (len(attrs.ratios) - 1)])
    slopes = np.sqrt(np.array([*[1.0] * len(attrs.sizes), *attrs.ratios[1:]]))
    halves = sizes * height / width * slopes / 2, sizes / slopes / 2
    centres = np.broadcast_arrays(x[:, None], y[:, None, None], halves[0])[:2]
    centre, half = np.stack(centres, axis=-1), np.stack(halves, axis=-1)
    boxes = np.concatenate((centre - half, centre + half), axis=-1)
    if attrs.clip:
        boxes = np.clip(boxes, 0, 1)
    return boxes.reshape(1, -1, 4).astype(data.dtype)


def _multibox_transform_loc_type(
    attrs: MultiBoxTransformLocAttrs, cls_prob: Type, loc_pred: Type, anchor: Type
) -> TupleType:
    scores, moves = tensor(cls_prob, "cls_prob", rank=3), tensor(loc_pred, "loc_pred", rank=2)
    boxes = tensor(anchor, "anchor", rank=3)
    count = unify(scores.shape[2], boxes.shape[1])
    if count is None:
        raise TypeInferenceError(
            f"cls_prob is of {scores.shape[2]} anchors, anchor has {boxes.shape[1]}"
        )
    if compare(multiply(count, 4), moves.shape[1]) is False:
        raise TypeInferenceError(
            f"loc_pred has {moves.shape[1]} numbers for {count} anchors; expected 4 for each"
        )
    if compare(boxes.shape[0], 1) is False or compare(boxes.shape[2], 4) is False:
        raise TypeInferenceError(f"anchor must be of shape (1, n, 4); found {show_type(boxes)}")
    if len(attrs.variances) != 4:
        raise TypeInferenceError(f"variances must be 4 numbers; found {attrs.variances}")
    batch = unify(scores.shape[0], moves.shape[0])
    if batch is None:
        raise TypeInferenceError(
            f"cls_prob has a batch of {scores.shape[0]}, loc_pred of {moves.shape[0]}"
        )
    found = TensorType((batch, count, 6), scores.dtype)
    return TupleType((found, TensorType((batch,), "int32")))


def _multibox_transform_loc(
    attrs: MultiBoxTransformLocAttrs, cls_prob: Array, loc_pred: Array, anchor: Array
) -> tuple[Array, Array]:
    """Return ``(class, score, left, top, right, bottom)`` of what was found, and how many.

    The class is counted without the background, which is the first; rows of nothing are -1.
    """
    first = 0 if attrs.keep_background else 1
    batch, _, count = cls_prob.shape
    result: Array = np.full((batch, count, 6), number_of(-1, cls_prob.dtype))
    if cls_prob.shape[1] <= first:
        return result, np.zeros(batch, np.int32)
    label = np.argmax(cls_prob[:, first:], axis=1)
    score = np.max(cls_prob[:, first:], axis=1)
    found = score >= attrs.threshold
    if attrs.keep_background:  # what is of the background, or too unsure, counts as background
        label = np.where(found, label, 0)
        found = np.ones(found.shape, np.bool_)
    moved = _move(attrs, loc_pred.reshape(batch, count, 4), anchor)
    rows = np.concatenate((label[..., None].astype(score.dtype), score[..., None], moved), axis=-1)
    counts = found.sum(axis=1)
    for image, kept in enumerate(counts.tolist()):
        result[image, :kept] = rows[image, found[image]]
    return result, counts.astype(np.int32)


def _move(attrs: MultiBoxTransformLocAttrs, moves: Array, anchor: Array) -> Array:
    """Return the anchors moved and stretched by ``moves: (batch, n, 4)``."""
    low, high = anchor[..., :2], anchor[..., 2:]
    size, centre = high - low, (low + high) / 2
    scaled = moves * np.array(attrs.variances, moves.dtype)
    middle = scaled[..., :2] * size + centre
    half = np.exp(scaled[..., 2:]) * size / 2
    boxes = np.concatenate((middle - half, middle + half), axis=-1)
    return np.clip(boxes, 0, 1) if attrs.clip else boxes


def _yolo_reorg_type(attrs: YoloReorgAttrs, data: Type) -> TensorType:
    image, stride = tensor(data, "data", rank=4), attrs.stride
    if stride < 1:
        raise TypeInferenceError(f"stride must be positive; found {stride}")
    batch, channels, height, width = image.shape
    for size, part in ((channels, stride * stride), (height, stride), (width, stride)):
        if isinstance(size, int) and size % part:
            raise TypeInferenceError(
                f"with stride {stride} the channels must be a multiple of {stride * stride}, "
                f"height and width of {stride}; found {show_type(image)}"
            )
    sides = floor_divide(height, stride), floor_divide(width, stride)
    return TensorType((batch, multiply(channels, stride * stride), *sides), image.dtype)


def _yolo_reorg(attrs: YoloReorgAttrs, data: Array) -> Array:
    """Move pixels into channels as Darknet does: the data is seen as that of a larger image."""
    s = attrs.stride
    batch, channels, height, width = data.shape
    large = data.reshape(batch, channels // (s * s), height, s, width, s)
    moved = large.transpose(0, 3, 5, 1, 2, 4)
    return moved.reshape(batch, channels * s * s, height // s, width // s)


register_op(
    "vision.multibox_prior",
    description="""
    Make boxes around every cell of a feature map.
    data (n, c, h, w) -> (1, h * w * boxes, 4)
    """,
    rule=_multibox_prior_type,
    evaluate=_multibox_prior,
)
register_op(
    "vision.multibox_transform_loc",
    description="""
    Turn predicted offsets into boxes and count those that are kept.
    cls_prob (n, classes, boxes); loc_pred (n, 4 * boxes); anchor (1, boxes, 4) -> a tuple:
        boxes (n, boxes, 6), counts (n,) int32
    """,
    rule=_multibox_transform_loc_type,
    evaluate=_multibox_transform_loc,
    outputs=2,
)
register_op(
    "vision.yolo_reorg",
    description="""
    Move pixels into channels as YOLO does.
    data (n, c, h, w) -> (n, c * stride ** 2, h / stride, w / stride)
    """,
    rule=_yolo_reorg_type,
    evaluate=_yolo_reorg,
    pattern=OpPattern.INJECTIVE,
)
