"""Operators on images and boxes."""

from __future__ import annotations

from typing import Final

TEXT: Final = """
image.resize1d: Resize sequences.
  data (n, c, w), axes as layout -> (n, c, size)
image.resize2d: Resize images.
  data (n, c, h, w), axes as layout -> (n, c, *size)
image.resize3d: Resize volumes.
  data (n, c, d, h, w), axes as layout -> (n, c, *size)
dyn.image.resize2d: Resize images to a size known when the program runs.
  data (n, c, h, w), axes as layout; size (2,) of integers; roi (4,) float32 -> (n, c, ?, ?)
image.crop_and_resize: Cut boxes out of images and resize them.
  data (n, c, h, w), axes as layout; boxes (m, 4) as y1, x1, y2, x2 from 0 to 1; box_indices
      (m,) of integers -> (m, c, *crop_size)
image.dilation2d: Take the largest sum of image and kernel in each window.
  data (n, c, h, w); weight (c, kh, kw) -> (n, c, h', w')
image.affine_grid: Make the grid of an affine map.
  data (n, 2, 3), the maps -> (n, 2, *target_shape)
image.grid_sample: Take pixels at the places of a grid.
  data (n, c, h, w) or with depth; grid (n, 2, h', w') from -1 to 1, or 3 with depth -> (n, c,
      h', w')
vision.multibox_prior: Make boxes around every cell of a feature map.
  data (n, c, h, w) -> (1, h * w * boxes, 4)
vision.multibox_transform_loc: Turn predicted offsets into boxes and count those that are kept.
  cls_prob (n, classes, boxes); loc_pred (n, 4 * boxes); anchor (1, boxes, 4) -> a tuple: boxes
      (n, boxes, 6), counts (n,) int32
vision.get_valid_counts: Move boxes with a score high enough to the front and count them.
  data (n, boxes, elements); score_threshold (), or a number -> a tuple: counts (n,) int32,
      boxes (n, boxes, elements), indices (n, boxes) int32
vision.non_max_suppression: Drop boxes that overlap with better ones.
  data (n, boxes, elements); valid_count (n,) int32; indices (n, boxes) int32; max_output_size
      (), or a number; iou_threshold (), or a number -> a tuple: indices (n, boxes) int32, counts
      (n, 1) int32; or the boxes (n, boxes, elements)
vision.all_class_non_max_suppression: Drop boxes that overlap with better ones of their class.
  boxes (n, boxes, 4); scores (n, classes, boxes); max_output_boxes_per_class (), or a number;
      iou_threshold (), or a number; score_threshold (), or a number -> a tuple: indices (m, 3)
      int64 and their number (1,) int64; for tensorflow indices, scores and numbers
vision.regular_non_max_suppression: Drop boxes that overlap with better ones of their class, as
      TFLite does.
  boxes (n, boxes, 4); scores (n, boxes, classes) -> a tuple: boxes, classes, scores and counts
vision.proposal: Propose boxes that may hold an object.
  cls_prob (n, 2 * anchors, h, w); bbox_pred (n, 4 * anchors, h, w); im_info (n, 3) -> (n *
      rpn_post_nms_top_n, 5)
vision.roi_align: Average the feature map over each bin of each region.
  data (n, c, h, w); rois (m, 5) as image, x1, y1, x2, y2; mode avg or max -> (m, c, *pooled_size)
vision.roi_pool: Take the largest element in each bin of each region.
  data (n, c, h, w); rois (m, 5) as image, x1, y1, x2, y2 -> (m, c, *pooled_size)
vision.yolo_reorg: Move pixels into channels as YOLO does.
  data (n, c, h, w) -> (n, c * stride ** 2, h / stride, w / stride)
"""
