"""Correlation: how alike two images are at places some way apart."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import String
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.precision import widen
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.nn.arguments import unify_sizes
from relayish.op.nn.pooling import divide
from relayish.op.nn.window_types import sum_padding
from relayish.op.types.dimension import add, ceil_divide, show_type, subtract
from relayish.op.types.fields import Dimension
from relayish.op.types.type_rules import tensor, unify_dtype
from relayish.op.values.evaluation import Array, as_sizes


@attrs("relay.attrs.CorrelationAttrs")
class CorrelationAttrs(Attrs):
    """Attributes of ``nn.correlation``."""

    kernel_size: int = 1
    max_displacement: int = 1
    stride1: int = 1
    stride2: int = 1
    padding: tuple[Dimension, ...] = (0, 0)
    is_multiply: bool = True
    layout: String = "NCHW"


def _correlation_type(attrs: CorrelationAttrs, data1: Type, data2: Type) -> TensorType:
    """Return a channel for each displacement, for two images of one shape ``(n, c, h, w)``."""
    left, right = tensor(data1, "data1", 4), tensor(data2, "data2", 4)
    dtype = unify_dtype(left, right)
    shape = [
        unify_sizes(one, other, f"in axis {axis} data1 has size {{}}, data2 {{}}")
        for axis, (one, other) in enumerate(zip(left.shape, right.shape, strict=True))
    ]
    if attrs.layout != "NCHW":
        raise TypeInferenceError(f"layout {attrs.layout!r} is not NCHW")
    if any(isinstance(width, int) and width < 0 for width in attrs.padding):
        raise TypeInferenceError(f"padding must not be negative; found {attrs.padding}")
    if min(attrs.kernel_size, attrs.stride1, attrs.stride2) < 1 or attrs.max_displacement < 0:
        raise TypeInferenceError(f"kernel_size and strides must be positive; found {attrs}")
    border = attrs.max_displacement + (attrs.kernel_size - 1) // 2
    sizes = []
    for size, padding in zip(shape[2:], sum_padding(attrs.padding, 2), strict=True):
        inner = subtract(add(size, padding), 2 * border)
        if isinstance(inner, int) and inner < 1:
            raise TypeInferenceError(
                f"a border of {border} leaves nothing of {show_type(left)} padded by {padding}"
            )
        sizes.append(ceil_divide(inner, attrs.stride1))
    return TensorType((shape[0], len(_displacements(attrs)) ** 2, *sizes), dtype)


def _displacements(attrs: CorrelationAttrs) -> range:
    """Return how far apart the places are along an axis."""
    reach = attrs.max_displacement // attrs.stride2 * attrs.stride2
    return range(-reach, reach + 1, attrs.stride2)


def _correlation(attrs: CorrelationAttrs, data1: Array, data2: Array) -> Array:
    """Compare a window of the first image with windows of the second around the same place.

    Complexity:
        Linear in the elements of the result, the channels and the elements of a window; numpy
        works on whole images, once for each displacement.
    """
    if attrs.kernel_size % 2 == 0:
        raise EvaluationError(f"a window of {attrs.kernel_size} elements has no middle")
    left, right = (_pad(attrs, widen(data)) for data in (data1, data2))
    steps, kernel = _displacements(attrs), attrs.kernel_size
    border = attrs.max_displacement + (kernel - 1) // 2
    height, width = (n - 2 * border for n in left.shape[2:])
    start = attrs.max_displacement
    rows, columns = height + kernel - 1, width + kernel - 1
    here = left[:, :, start : start + rows, start : start + columns]
    channels = []
    for down in steps:
        for across in steps:
            y, x = start + down, start + across
            there = right[:, :, y : y + rows, x : x + columns]
            match = here * there if attrs.is_multiply else np.abs(here - there)
            windows = np.lib.stride_tricks.sliding_window_view(
                match.sum(axis=1, dtype=match.dtype), (kernel, kernel), (1, 2)
            )
            every = windows[:, :: attrs.stride1, :: attrs.stride1]
            channels.append(every.sum(axis=(-1, -2), dtype=match.dtype))
    total = np.stack(channels, axis=1)
    return divide(total, np.array(kernel * kernel * data1.shape[1]), data1.dtype)


def _pad(attrs: CorrelationAttrs, data: Array) -> Array:
    sizes = as_sizes(attrs.padding)
    pairs = (sizes[:2], sizes[2:]) if len(sizes) > 2 else ((sizes[0], sizes[-1]),) * 2
    return np.pad(data, ((0, 0), (0, 0), *zip(*pairs, strict=True)))


register_op(
    "nn.correlation",
    description="""
    Compare windows of two images that are moved against each other.
    data1 (n, c, h, w); data2 (n, c, h, w) -> (n, displacements ** 2, h', w')
    """,
    rule=_correlation_type,
    evaluate=_correlation,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
