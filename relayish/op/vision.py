"""The operators of computer vision; ``op.vision.yolo_reorg(x, stride=2)`` builds a call."""

from __future__ import annotations

from relayish.ir.attrs import Attrs, attrs
from relayish.op.builders import namespace
from relayish.op.fields import Dimension
from relayish.op.registry import OpPattern, register_op

__getattr__, __dir__ = namespace("vision")


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


@attrs("relay.attrs.ROIAlignAttrs")
class ROIAlignAttrs(Attrs):
    """Attributes of ``vision.roi_align``."""

    pooled_size: tuple[Dimension, ...]
    spatial_scale: float
    sample_ratio: int = -1
    layout: str = "NCHW"
    mode: str = "avg"


@attrs("relay.attrs.ROIPoolAttrs")
class ROIPoolAttrs(Attrs):
    """Attributes of ``vision.roi_pool``."""

    pooled_size: tuple[Dimension, ...]
    spatial_scale: float
    layout: str = "NCHW"


@attrs("relay.attrs.YoloReorgAttrs")
class YoloReorgAttrs(Attrs):
    """Attributes of ``vision.yolo_reorg``."""

    stride: int = 1


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


register_op("vision.multibox_prior", arguments_=("data",), attrs=MultiBoxPriorAttrs)
register_op(
    "vision.multibox_transform_loc",
    arguments_=("cls_prob", "loc_pred", "anchor"),
    attrs=MultiBoxTransformLocAttrs,
)
register_op(
    "vision.get_valid_counts",
    arguments_=("data", "score_threshold"),
    attrs=GetValidCountsAttrs,
    in_metadata=True,
)
register_op(
    "vision.non_max_suppression",
    arguments_=("data", "valid_count", "indices", "max_output_size", "iou_threshold"),
    attrs=NonMaximumSuppressionAttrs,
    in_metadata=True,
)
register_op(
    "vision.all_class_non_max_suppression",
    arguments_=(
        "boxes",
        "scores",
        "max_output_boxes_per_class",
        "iou_threshold",
        "score_threshold",
    ),
    attrs=AllClassNonMaximumSuppressionAttrs,
    in_metadata=True,
)
register_op(
    "vision.regular_non_max_suppression",
    arguments_=("boxes", "scores"),
    attrs=RegularNonMaximumSuppressionAttrs,
    in_metadata=True,
)
register_op(
    "vision.roi_align",
    arguments_=("data", "rois"),
    attrs=ROIAlignAttrs,
    in_metadata=True,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "vision.roi_pool",
    arguments_=("data", "rois"),
    attrs=ROIPoolAttrs,
    in_metadata=True,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "vision.yolo_reorg", arguments_=("data",), attrs=YoloReorgAttrs, fuses=OpPattern.INJECTIVE
)
register_op(
    "vision.proposal",
    arguments_=("cls_prob", "bbox_pred", "im_info"),
    attrs=ProposalAttrs,
    in_metadata=True,
)
