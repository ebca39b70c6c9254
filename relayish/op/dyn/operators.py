"""Operators whose shapes come as arguments."""

from __future__ import annotations

import math

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.attrs import Attrs, attrs
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.dyn.types import (
    dynamic_broadcast_to_type,
    dynamic_expand_dims_type,
    dynamic_full_type,
    dynamic_init_type,
    dynamic_one_hot_type,
    dynamic_pad_type,
    dynamic_reshape_type,
    dynamic_resize_type,
    dynamic_sparse_to_dense_type,
    dynamic_squeeze_type,
    dynamic_strided_slice_type,
    dynamic_tile_type,
    dynamic_topk_type,
    dynamic_upsampling_type,
)
from relayish.op.image import Resize2DAttrs, resize_tensor
from relayish.op.nn.space import (
    PadAttrs,
    UpSampling3DAttrs,
    UpSamplingAttrs,
    pad_tensor,
    upsample,
)
from relayish.op.tensor.creation import InitOpAttrs, fill_tensor
from relayish.op.tensor.indexing import OneHotAttrs, one_hot
from relayish.op.tensor.rearrangement import TileAttrs, tile_tensor
from relayish.op.tensor.shape import ReshapeAttrs, SqueezeAttrs, broadcast_value
from relayish.op.tensor.slicing import StridedSliceAttrs, slice_tensor
from relayish.op.tensor.sorting import TopkAttrs, topk
from relayish.op.tensor.sparse import to_dense
from relayish.op.types.reshape import reshape_shape
from relayish.op.values.evaluation import Array, Parameters, normalise_axis, result_dtype


@attrs("relay.attrs.DynExpandDimsAttrs")
class DynExpandDimsAttrs(Attrs):
    """Attributes of ``dyn.expand_dims``."""

    num_newaxis: int = 1


_DEFAULT = np.dtype(np.float32)


def _sizes(shape: Array) -> tuple[int, ...]:
    numbers = shape.ravel().tolist()
    if not all(map(math.isfinite, numbers)):  # they may come as floats
        raise EvaluationError(f"sizes and places must be numbers; found {numbers}")
    return tuple(int(size) for size in numbers)


def _counts(what: str, numbers: Array, least: int = 0) -> tuple[int, ...]:
    """Return sizes or repetitions that come as an argument; none is less than ``least``."""
    counts = _sizes(numbers)
    if any(count < least for count in counts):
        raise EvaluationError(f"{what} must be {least} or more; found {counts}")
    return counts


def _scales(scales: tuple[Array, ...]) -> list[float]:
    found = [float(scale.item()) for scale in scales]
    if not all(0 < scale < math.inf for scale in found):
        raise EvaluationError(f"the scales of upsampling must be positive numbers; found {found}")
    return found


def _zeros(attrs: InitOpAttrs, shape: Array) -> Array:
    return np.zeros(_counts("sizes", shape), result_dtype(attrs.dtype, _DEFAULT))


def _ones(attrs: InitOpAttrs, shape: Array) -> Array:
    return np.ones(_counts("sizes", shape), result_dtype(attrs.dtype, _DEFAULT))


def _full(attrs: InitOpAttrs, fill_value: Array, shape: Array) -> Array:
    dtype = result_dtype(attrs.dtype, fill_value.dtype)
    return fill_tensor(_counts("sizes", shape), fill_value, dtype)


def _reshape(attrs: ReshapeAttrs, data: Array, newshape: Array) -> Array:
    sizes = _sizes(newshape)
    if any(size in (-2, -4) for size in sizes):
        raise EvaluationError(
            f"dyn.reshape cannot take {sizes}: -2 and -4 stand for several sizes, "
            f"and the result has {len(sizes)} dimensions"
        )
    return data.reshape(reshape_shape(data.shape, sizes, allowzero=attrs.allowzero))


def _squeeze(_: Parameters, data: Array, axes: Array) -> Array:
    named = {normalise_axis(axis, data.ndim) for axis in _sizes(axes)}
    if len(named) != axes.size or any(data.shape[axis] != 1 for axis in named):
        raise EvaluationError(
            f"axes {_sizes(axes)} of {tuple(data.shape)} cannot be squeezed; "
            f"they must be different ones, of size 1"
        )
    return np.squeeze(data, tuple(named))


def _expand_dims(attrs: DynExpandDimsAttrs, data: Array, axis: Array) -> Array:
    at = normalise_axis(_sizes(axis)[0], data.ndim + 1)
    return data.reshape(data.shape[:at] + (1,) * attrs.num_newaxis + data.shape[at:])


def _broadcast_to(_: Parameters, data: Array, shape: Array) -> Array:
    return broadcast_value(data, _counts("sizes", shape))


def _tile(_: Parameters, data: Array, reps: Array) -> Array:
    return tile_tensor(data, _counts("repetitions", reps))


def _strided_slice(
    attrs: StridedSliceAttrs, data: Array, begin: Array, end: Array, strides: Array
) -> Array:
    bounds = _sizes(begin), _sizes(end), _sizes(strides)
    return slice_tensor(data, *bounds, axes=attrs.axes, slice_mode=attrs.slice_mode)


def _topk(attrs: TopkAttrs, data: Array, k: Array) -> Array | tuple[Array, ...]:
    count = _sizes(k)[0]
    return topk(
        data, count, attrs.axis, attrs.ret_type, is_ascend=attrs.is_ascend, dtype=attrs.dtype
    )


def _one_hot(
    attrs: OneHotAttrs, indices: Array, on_value: Array, off_value: Array, depth: Array
) -> Array:
    size = _sizes(depth)[0]
    return one_hot(indices, on_value, off_value, depth=size, axis=attrs.axis, dtype=attrs.dtype)


def _pad(attrs: PadAttrs, data: Array, pad_width: Array, pad_value: Array) -> Array:
    _counts("widths of padding", pad_width)
    return pad_tensor(data, pad_width, pad_value, attrs.pad_mode)


def _upsampling(attrs: UpSamplingAttrs, data: Array, *scales: Array) -> Array:
    coordinates = "align_corners" if attrs.align_corners else "asymmetric"
    return upsample(data, attrs.layout, "NCHW", _scales(scales), attrs.method, coordinates)


def _upsampling3d(attrs: UpSampling3DAttrs, data: Array, *scales: Array) -> Array:
    mode = attrs.coordinate_transformation_mode
    return upsample(data, attrs.layout, "NCDHW", _scales(scales), attrs.method, mode)


def _sparse_to_dense(
    _: Parameters, places: Array, values: Array, default: Array, shape: Array
) -> Array:
    return to_dense(places, values, default, _counts("sizes", shape))


def _resize(attrs: Resize2DAttrs, data: Array, size: Array, roi: Array) -> Array:
    sizes = _counts("sizes", size, least=1)
    if len(sizes) != len("HW"):
        raise EvaluationError(f"size must be a height and a width; found {sizes}")
    return resize_tensor(attrs, data, sizes, tuple(roi.tolist()))


register_op(
    "dyn.zeros",
    arguments=("shape",),
    rule=dynamic_init_type,
    attrs_type=InitOpAttrs,
    pattern=OpPattern.ELEMWISE,
    evaluate=_zeros,
)
register_op(
    "dyn.ones",
    arguments=("shape",),
    rule=dynamic_init_type,
    attrs_type=InitOpAttrs,
    pattern=OpPattern.ELEMWISE,
    evaluate=_ones,
)
register_op(
    "dyn.full",
    arguments=("fill_value", "shape"),
    rule=dynamic_full_type,
    attrs_type=InitOpAttrs,
    pattern=OpPattern.ELEMWISE,
    evaluate=_full,
)
register_op(
    "dyn.reshape",
    arguments=("data", "newshape"),
    rule=dynamic_reshape_type,
    attrs_type=ReshapeAttrs,
    pattern=OpPattern.INJECTIVE,
    evaluate=_reshape,
)
register_op(
    "dyn.squeeze",
    arguments=("data", "axes"),
    rule=dynamic_squeeze_type,
    attrs_type=SqueezeAttrs,
    pattern=OpPattern.INJECTIVE,
    evaluate=_squeeze,
)
register_op(
    "dyn.expand_dims",
    arguments=("data", "axis"),
    rule=dynamic_expand_dims_type,
    attrs_type=DynExpandDimsAttrs,
    attrs_in_metadata=True,
    pattern=OpPattern.INJECTIVE,
    evaluate=_expand_dims,
)
register_op(
    "dyn.broadcast_to",
    arguments=("data", "shape"),
    rule=dynamic_broadcast_to_type,
    attrs_type=InitOpAttrs,
    pattern=OpPattern.BROADCAST,
    evaluate=_broadcast_to,
)
register_op(
    "dyn.tile",
    arguments=("data", "reps"),
    rule=dynamic_tile_type,
    attrs_type=TileAttrs,
    pattern=OpPattern.INJECTIVE,
    evaluate=_tile,
)
register_op(
    "dyn.topk",
    arguments=("data", "k"),
    rule=dynamic_topk_type,
    attrs_type=TopkAttrs,
    evaluate=_topk,
)
register_op(
    "dyn.one_hot",
    arguments=("indices", "on_value", "off_value", "depth"),
    rule=dynamic_one_hot_type,
    attrs_type=OneHotAttrs,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    evaluate=_one_hot,
)
register_op(
    "dyn.nn.pad",
    arguments=("data", "pad_width", "pad_val"),
    rule=dynamic_pad_type,
    attrs_type=PadAttrs,
    pattern=OpPattern.INJECTIVE,
    evaluate=_pad,
)
register_op(
    "dyn.sparse_to_dense",
    arguments=("sparse_indices", "sparse_values", "default_value", "output_shape"),
    rule=dynamic_sparse_to_dense_type,
    evaluate=_sparse_to_dense,
)
register_op(
    "dyn.image.resize2d",
    arguments=("data", "size", "roi"),
    rule=dynamic_resize_type,
    attrs_type=Resize2DAttrs,
    pattern=OpPattern.INJECTIVE,
    evaluate=_resize,
)
register_op(
    "dyn.nn.upsampling",
    arguments=("data", "scale_h", "scale_w"),
    rule=dynamic_upsampling_type,
    attrs_type=UpSamplingAttrs,
    pattern=OpPattern.INJECTIVE,
    evaluate=_upsampling,
)
register_op(
    "dyn.nn.upsampling3d",
    arguments=("data", "scale_d", "scale_h", "scale_w"),
    rule=dynamic_upsampling_type,
    attrs_type=UpSampling3DAttrs,
    pattern=OpPattern.INJECTIVE,
    evaluate=_upsampling3d,
)
register_op(
    "dyn.strided_slice",  # in Relay a fifth argument is described, which calls do not have
    arguments=("data", "begin", "end", "strides"),
    rule=dynamic_strided_slice_type,
    attrs_type=StridedSliceAttrs,
    pattern=OpPattern.INJECTIVE,
    evaluate=_strided_slice,
)
