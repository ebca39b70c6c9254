"""Grayscale dilation: the greatest sum of a window and a structuring element."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.nn.window_types import window_counts
from relayish.op.types.dimension import show_shape, unify
from relayish.op.types.fields import Dimension, OptionalDType
from relayish.op.types.layout import convert_layout
from relayish.op.types.layout_types import convert_shape
from relayish.op.types.type_rules import tensor, unify_dtype
from relayish.op.values.evaluation import Array, as_sizes, result_dtype


@attrs("relay.attrs.Dilation2DAttrs")
class Dilation2DAttrs(Attrs):
    """Attributes of ``image.dilation2d``."""

    strides: tuple[Dimension, ...] = (1, 1)
    padding: tuple[Dimension, ...] = (0, 0)
    dilations: tuple[Dimension, ...] = (1, 1)
    data_layout: str = "NCHW"
    kernel_layout: str = "IHW"
    out_dtype: OptionalDType = None


def _dilation2d_type(attrs: Dilation2DAttrs, data: Type, weight: Type) -> TensorType:
    image, element = tensor(data, "data"), tensor(weight, "weight")
    unify_dtype(image, element)
    batch, channels, *sizes = convert_shape(image.shape, attrs.data_layout, "NCHW")
    depth, *kernel = convert_shape(element.shape, attrs.kernel_layout, "IHW", "weight")
    agreed = unify(depth, channels)
    if agreed is None:
        raise TypeInferenceError(f"weight has {depth} channels, data has {channels}")
    strides, dilations = _two(attrs.strides, "strides"), _two(attrs.dilations, "dilations")
    counts = window_counts(sizes, attrs.padding, kernel, strides, dilations)
    shape = convert_shape((batch, agreed, *counts), "NCHW", attrs.data_layout, "the result")
    return TensorType(shape, attrs.out_dtype or image.dtype)


def _two(values: Sequence[Dimension], name: str) -> tuple[Dimension, ...]:
    """Return the first two of ``values``, down and across; Relay lets more of them stand there."""
    if len(values) < len("HW"):
        raise TypeInferenceError(
            f"{name} must have a number for each of 2 spatial axes; found {show_shape(values)}"
        )
    return tuple(values[:2])


def _dilation2d(attrs: Dilation2DAttrs, data: Array, weight: Array) -> Array:
    """Dilate; what is padded counts as 0, as in Relay."""
    image = convert_layout(data, attrs.data_layout, "NCHW")
    element = convert_layout(weight, attrs.kernel_layout, "IHW")
    given = as_sizes(attrs.padding)
    top, left, bottom, right = given * (4 // len(given))
    padded = np.pad(image, ((0, 0), (0, 0), (top, bottom), (left, right)))
    (down, across), (apart, aside) = as_sizes(attrs.strides)[:2], as_sizes(attrs.dilations)[:2]
    height, width = element.shape[1:]
    if not height * width:
        raise EvaluationError(f"a weight of shape {weight.shape} has no element to add and compare")
    reach = (height - 1) * apart + 1, (width - 1) * aside + 1
    view = np.lib.stride_tricks.sliding_window_view(padded, reach, axis=(2, 3))
    windows = view[:, :, ::down, ::across, ::apart, ::aside]
    result = (windows + element[:, None, None]).max(axis=(-2, -1))
    result = result.astype(result_dtype(attrs.out_dtype, data.dtype))
    return convert_layout(result, "NCHW", attrs.data_layout)


register_op(
    "image.dilation2d",
    description="""
    Take the largest sum of image and kernel in each window.
    data (n, c, h, w); weight (c, kh, kw) -> (n, c, h', w')
    """,
    rule=_dilation2d_type,
    evaluate=_dilation2d,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
