"""Regions of interest: parts of images, pooled to one size; and which boxes to keep."""

from __future__ import annotations

from functools import partial
from math import inf

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import narrow, widen
from relayish.numeric.regions import align_regions, pool_regions
from relayish.numeric.suppression import select_best
from relayish.onnx.kernels.registry import Array, kernel


@kernel("RoiAlign", since=(16, 22))
def roi_align(
    x: Array,
    rois: Array,
    batch_indices: Array,
    *,
    coordinate_transformation_mode: str = "half_pixel",
    mode: str = "avg",
    output_height: int = 1,
    output_width: int = 1,
    sampling_ratio: int = 0,
    spatial_scale: float = 1.0,
) -> Array:
    """Return regions (n, 4) of images, interpolated and pooled to (n, c, rows, columns).

    ``rois`` are left, top, right and bottom, ``batch_indices`` (n,) the images they lie in.
    """
    if x.ndim != 4 or rois.ndim != 2 or rois.shape[1] != 4 or batch_indices.shape != rois.shape[:1]:
        raise EvaluationError(
            f"images have shape {x.shape}, regions {rois.shape}, their images "
            f"{batch_indices.shape}; expected (n, c, h, w), (regions, 4) and (regions,)"
        )
    if mode not in ("avg", "max"):
        raise EvaluationError(f"mode is {mode!r}; expected avg or max")
    shifted = coordinate_transformation_mode == "half_pixel"
    y = align_regions(
        x,
        batch_indices,
        widen(rois) * spatial_scale - (0.5 if shifted else 0.0),
        (output_height, output_width),
        ratio=sampling_ratio,
        mode="max_part" if mode == "max" else mode,
        least=-inf if shifted else 1.0,
    )
    return narrow(y, x)


kernel("RoiAlign", since=(10,), removed={"coordinate_transformation_mode": 10})(
    partial(roi_align, coordinate_transformation_mode="output_half_pixel")
)


@kernel("MaxRoiPool", since=(1, 22))
def max_roi_pool(
    x: Array, rois: Array, *, pooled_shape: tuple[int, ...], spatial_scale: float = 1.0
) -> Array:
    """Return the greatest elements of the bins of regions; ``rois`` (n, 5) begin with an image."""
    if x.ndim != 4 or rois.ndim != 2 or rois.shape[1] != 5 or len(pooled_shape) != 2:
        raise EvaluationError(
            f"images have shape {x.shape}, regions {rois.shape}, pooled_shape is {pooled_shape}; "
            "expected (n, c, h, w), (regions, 5) and two sizes"
        )
    regions = widen(rois)
    return pool_regions(x, regions[:, 0], regions[:, 1:] * spatial_scale, pooled_shape)


@kernel("NonMaxSuppression", since=(10, 11))
def non_max_suppression(
    boxes: Array,
    scores: Array,
    max_output_boxes_per_class: Array | None = None,
    iou_threshold: Array | None = None,
    score_threshold: Array | None = None,
    *,
    center_point_box: int = 0,
) -> Array:
    """Return which boxes to keep, (kept, 3): the batch, the class, the box, by falling scores.

    Of boxes (n, boxes, 4) that overlap more than ``iou_threshold`` that with the higher score of
    ``scores`` (n, classes, boxes) is kept.
    """
    if boxes.ndim != 3 or boxes.shape[2] != 4 or scores.ndim != 3:
        raise EvaluationError(
            f"boxes have shape {boxes.shape}, scores {scores.shape}; expected (n, boxes, 4) and "
            "(n, classes, boxes)"
        )
    if boxes.shape[0] != scores.shape[0] or boxes.shape[1] != scores.shape[2]:
        raise EvaluationError(
            f"boxes have shape {boxes.shape}, scores {scores.shape}; expected as many batches and "
            "boxes of both"
        )
    most = int(_read_number(max_output_boxes_per_class, 0))
    overlap = _read_number(iou_threshold, 0)
    everything = score_threshold is None or not score_threshold.size
    least = _read_number(score_threshold, 0)
    kept = []
    for batch, label in np.ndindex(*scores.shape[:2]) if most > 0 else ():
        given = scores[batch, label]
        chosen = select_best(
            _find_corners(boxes[batch], bool(center_point_box)),
            given,
            lambda found: found > overlap,
            candidates=np.flatnonzero((given > least) | everything),
            limit=most,
        )
        kept += [(batch, label, box) for box in chosen.tolist()]
    return np.array(kept, np.int64).reshape(-1, 3)


def _read_number(value: Array | None, default: float) -> float:
    return default if value is None or not value.size else float(value.reshape(-1)[0])


def _find_corners(boxes: Array, centred: bool) -> Array:
    """Return boxes as (boxes, 4): opposite corners. One of a size below 0 has no area."""
    if not centred:
        return boxes
    half = np.maximum(boxes[:, 2:] / 2, 0)
    return np.concatenate([boxes[:, :2] - half, boxes[:, :2] + half], axis=1)
