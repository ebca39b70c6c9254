"""Cutting boxes out of images, all resized to one size."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.precision import weighing_dtype
from relayish.numeric.resizing import Axis, Resampling, resize
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_layout
from relayish.op.nn.window_types import per_axis
from relayish.op.types.dimension import compare, show_type, unify
from relayish.op.types.fields import Dimension, OptionalDType
from relayish.op.types.layout import convert_layout
from relayish.op.types.layout_types import convert_shape
from relayish.op.types.type_checks import integers
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array, as_sizes, result_dtype
from relayish.op.values.resampling import SLOPE, get_method


@attrs("relay.attrs.CropAndResizeAttrs")
class CropAndResizeAttrs(Attrs):
    """Attributes of ``image.crop_and_resize``."""

    crop_size: tuple[Dimension, ...] | None = None
    layout: str = "NCHW"
    method: str = "bilinear"
    extrapolation_value: float = 0.0
    out_dtype: OptionalDType = None


def _crop_and_resize_type(
    attrs: CropAndResizeAttrs, data: Type, boxes: Type, box_indices: Type
) -> TensorType:
    given = tensor(data, "data")
    corners, indices = tensor(boxes, "boxes", rank=2), integers(box_indices, "box_indices", rank=1)
    if compare(corners.shape[1], 4) is False:
        raise TypeInferenceError(f"boxes must be of shape (n, 4); found {show_type(corners)}")
    count = unify(corners.shape[0], indices.shape[0])
    if count is None:
        raise TypeInferenceError(
            f"there are {corners.shape[0]} boxes and {indices.shape[0]} box_indices; "
            f"there must be one for each box"
        )
    size = per_axis(attrs.crop_size or (), 2, "crop_size")
    _, channels, *_ = convert_shape(given.shape, attrs.layout, "NCHW")
    shape = convert_shape((count, channels, *size), "NCHW", attrs.layout, "the result")
    return TensorType(shape, attrs.out_dtype or given.dtype)


def _crop_and_resize(
    attrs: CropAndResizeAttrs, data: Array, boxes: Array, box_indices: Array
) -> Array:
    """Crop and resize; a box is ``(top, left, bottom, right)``, of which 0 and 1 are the edges."""
    source = convert_layout(data, attrs.layout, "NCHW")
    if not np.all((box_indices >= 0) & (box_indices < len(source))):
        raise EvaluationError(f"box_indices must be from 0 to {len(source) - 1}: that many images")
    size = as_sizes(attrs.crop_size or ())
    axes = [
        (2 + n, Axis(source.shape[2 + n], size[n], None, boxes[:, n], boxes[:, 2 + n]))
        for n in range(2)
    ]
    how = Resampling(get_method(attrs.method), "tf_crop_and_resize", "round", slope=SLOPE)
    crops, work = source[box_indices], weighing_dtype(data.dtype)
    result = resize(crops, axes, how, work, attrs.extrapolation_value)
    result = result.astype(result_dtype(attrs.out_dtype, data.dtype))
    return convert_layout(result, "NCHW", attrs.layout)


register_op(
    "image.crop_and_resize",
    signature=(
        "data, boxes, box_indices, crop_size, layout, method='bilinear', "
        "extrapolation_value=0, out_dtype=None"
    ),
    description="""
    Cut boxes out of images and resize them.
    data (n, c, h, w), axes as layout; boxes (m, 4) as y1, x1, y2, x2 from 0 to 1; box_indices
        (m,) of integers -> (m, c, *crop_size)
    """,
    rule=_crop_and_resize_type,
    evaluate=_crop_and_resize,
    pattern=OpPattern.INJECTIVE,
    infer_layout=of_layout(),
)
