"""Pooling regions of interest: each becomes an image of one size."""

from __future__ import annotations

from typing import TypeAlias

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.precision import cast_to
from relayish.numeric.regions import align_regions, pool_regions
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_layout
from relayish.op.nn.window_types import per_axis
from relayish.op.types.dimension import compare, show_type
from relayish.op.types.fields import Dimension
from relayish.op.types.layout import convert_layout
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array, as_sizes, number_of


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


_PoolAttrs: TypeAlias = ROIAlignAttrs | ROIPoolAttrs


def _pooled_type(attrs: _PoolAttrs, data: Type, rois: Type) -> TensorType:
    if attrs.layout not in ("NCHW", "NHWC"):
        raise TypeInferenceError(f"layout must be NCHW or NHWC; found {attrs.layout!r}")
    image, regions = tensor(data, "data", rank=4), tensor(rois, "rois", rank=2)
    if compare(regions.shape[1], 5) is False:
        raise TypeInferenceError(
            f"rois must be of shape (n, 5), an image and two corners; found {show_type(regions)}"
        )
    size = per_axis(attrs.pooled_size, 2, "pooled_size")
    if attrs.layout == "NCHW":
        shape = regions.shape[0], image.shape[1], *size
    else:
        shape = regions.shape[0], *size, image.shape[3]
    return TensorType(shape, image.dtype)


def _roi_align(attrs: ROIAlignAttrs, data: Array, rois: Array) -> Array:
    """Pool samples of each bin; a roi is ``(image, left, top, right, bottom)``."""
    if attrs.mode not in ("avg", "max"):
        raise EvaluationError(f"no mode {attrs.mode!r}; expected avg or max")
    source = convert_layout(data, attrs.layout, "NCHW")
    edges = rois[:, 1:] * number_of(attrs.spatial_scale, rois.dtype)
    size, ratio = as_sizes(attrs.pooled_size), attrs.sample_ratio
    result = align_regions(source, rois[:, 0], edges, size, ratio=ratio, mode=attrs.mode, least=1.0)
    return convert_layout(cast_to(result, data.dtype), "NCHW", attrs.layout)


def _roi_pool(attrs: ROIPoolAttrs, data: Array, rois: Array) -> Array:
    """Take the greatest element of each bin, 0 of an empty one; see :func:`_roi_align` for rois."""
    source = convert_layout(data, attrs.layout, "NCHW")
    edges = rois[:, 1:] * number_of(attrs.spatial_scale, rois.dtype)
    result = pool_regions(source, rois[:, 0], edges, as_sizes(attrs.pooled_size))
    return convert_layout(result, "NCHW", attrs.layout)


register_op(
    "vision.roi_align",
    description="""
    Average the feature map over each bin of each region.
    data (n, c, h, w); rois (m, 5) as image, x1, y1, x2, y2; mode avg or max -> (m, c,
        *pooled_size)
    """,
    attrs_in_metadata=True,
    rule=_pooled_type,
    evaluate=_roi_align,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    infer_layout=of_layout(only=("NCHW", "NHWC")),
)
register_op(
    "vision.roi_pool",
    description="""
    Take the largest element in each bin of each region.
    data (n, c, h, w); rois (m, 5) as image, x1, y1, x2, y2 -> (m, c, *pooled_size)
    """,
    attrs_in_metadata=True,
    rule=_pooled_type,
    evaluate=_roi_pool,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    infer_layout=of_layout(only=("NCHW", "NHWC")),
)
