"""Operators whose shapes come as arguments."""

from __future__ import annotations

import math
from typing import Unpack

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.numeric.axes import normalise_axis
from relayish.numeric.padding import tile
from relayish.op.declaration.properties import MixedPrecision, OpPattern, StaticForm
from relayish.op.declaration.record import Record
from relayish.op.declaration.registry import register_op
from relayish.op.dyn import result_size
from relayish.op.dyn import types as rules
from relayish.op.image.resizing import Resize2DAttrs, resize_tensor
from relayish.op.nn.space import PadAttrs, UpSampling3DAttrs, UpSamplingAttrs, pad_tensor, upsample
from relayish.op.tensor.broadcasting import broadcast_value
from relayish.op.tensor.creation import InitOpAttrs, fill_tensor
from relayish.op.tensor.masking import OneHotAttrs, one_hot
from relayish.op.tensor.rearrangement import TileAttrs
from relayish.op.tensor.shape import ReshapeAttrs, SqueezeAttrs
from relayish.op.tensor.slicing import StridedSliceAttrs, slice_tensor
from relayish.op.tensor.sorting import TopkAttrs, count_topk, topk
from relayish.op.tensor.sparse import to_dense
from relayish.op.types.reshape import reshape_shape
from relayish.op.types.result_size import bound_by_inputs
from relayish.op.values.evaluation import Array, Parameters, result_dtype


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
    return tile(data, _counts("repetitions", reps))


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
    (size,) = _counts("depth", depth)
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


def _declare(name: str, arguments: tuple[str, ...] | None = None, **told: Unpack[Record]) -> None:
    """Declare the form of the operator ``name`` that takes sizes as arguments."""
    record: Record = {"static_form": StaticForm(name), "shape_from_values": True, **told}
    register_op(f"dyn.{name}", arguments=arguments, **record)


for _name, _summary, _evaluate in (
    ("zeros", "Make zeros of a shape known when the program runs.", _zeros),
    ("ones", "Make ones of a shape known when the program runs.", _ones),
):
    _declare(
        _name,
        arguments=("shape",),
        description=f"{_summary}\nshape (k,) of integers -> (?, ..., ?)",
        rule=rules.dynamic_init_type,
        evaluate=_evaluate,
        result_size=result_size.bound_by_last_input,
        pattern=OpPattern.ELEMWISE,
        chosen_dtype="dtype",
    )
_declare(
    "full",
    description="""
    Fill a tensor of a shape known when the program runs with a number.
    fill_value (); shape (k,) of integers -> (?, ..., ?)
    """,
    rule=rules.dynamic_full_type,
    evaluate=_full,
    result_size=result_size.bound_by_last_input,
    pattern=OpPattern.ELEMWISE,
    mixed_precision=MixedPrecision.FOLLOW,
    chosen_dtype="dtype",
)
_declare(
    "reshape",
    description="""
    Give a tensor a shape known when the program runs.
    data (...); newshape (k,) of integers -> (?, ..., ?)
    """,
    rule=rules.dynamic_reshape_type,
    evaluate=_reshape,
    result_size=bound_by_inputs,
    pattern=OpPattern.INJECTIVE,
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare(
    "squeeze",
    description="""
    Take out axes of size 1 that are known when the program runs.
    data (...); axes (k,) of integers -> (?, ..., ?)
    """,
    static_form=StaticForm("squeeze", renamed={"axes": "axis"}),
    attrs_type=SqueezeAttrs,
    rule=rules.dynamic_squeeze_type,
    evaluate=_squeeze,
    result_size=bound_by_inputs,
    pattern=OpPattern.INJECTIVE,
)
_declare(
    "expand_dims",
    description="""
    Insert axes of size 1 at a place known when the program runs.
    data (...); axis () or (1,) of integers -> (..., 1, ...)
    """,
    attrs_in_metadata=True,
    rule=rules.dynamic_expand_dims_type,
    evaluate=_expand_dims,
    result_size=bound_by_inputs,
    pattern=OpPattern.INJECTIVE,
)
_declare(
    "broadcast_to",
    description="""
    Repeat a tensor to a shape known when the program runs.
    data (...); shape (k,) of integers -> (?, ..., ?)
    """,
    attrs_type=InitOpAttrs,
    rule=rules.dynamic_broadcast_to_type,
    evaluate=_broadcast_to,
    result_size=result_size.bound_by_last_input,
    pattern=OpPattern.BROADCAST,
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare(
    "tile",
    description="""
    Repeat a tensor as often as is known when the program runs.
    data (...); reps (k,) of integers -> (?, ..., ?)
    """,
    attrs_type=TileAttrs,
    rule=rules.dynamic_tile_type,
    evaluate=_tile,
    result_size=result_size.bound_tile,
    pattern=OpPattern.INJECTIVE,
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare(
    "topk",
    arguments=("data", "k: int32"),
    description="""
    Take as many first elements as is known when the program runs.
    data (..., n, ...); k () or (1,) of integers -> a tuple of values (..., ?, ...) and indices,
        or one of them
    """,
    rule=rules.dynamic_topk_type,
    evaluate=_topk,
    result_size=result_size.bound_topk,
    outputs=count_topk,
)
_declare(
    "one_hot",
    description="""
    Put one value where the class is, of a number of classes known when the program runs.
    indices (...) of integers; on_value (); off_value (); depth () -> (..., ?, ...)
    """,
    rule=rules.dynamic_one_hot_type,
    evaluate=_one_hot,
    result_size=result_size.bound_one_hot,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
_declare(
    "nn.pad",
    arguments=("data", "pad_width", "pad_val"),
    description="""
    Add as many elements at the sides of a tensor as is known when the program runs.
    data (d0, ..., dk); pad_width (k + 1, 2) of integers; pad_val () -> (?, ..., ?)
    """,
    rule=rules.dynamic_pad_type,
    evaluate=_pad,
    result_size=result_size.bound_pad,
    pattern=OpPattern.INJECTIVE,
)
_declare(
    "sparse_to_dense",
    arguments=("sparse_indices", "sparse_values", "default_value", "output_shape"),
    description="""
    Put values at their places in a tensor of a shape known when the program runs.
    sparse_indices (n, k); sparse_values (n,); default_value (); output_shape (k,) -> (?, ...,
        ?)
    """,
    rule=rules.dynamic_sparse_to_dense_type,
    evaluate=_sparse_to_dense,
    result_size=result_size.bound_by_last_input,
)
_declare(
    "image.resize2d",
    arguments=("data", "size", "roi: float32"),
    description="""
    Resize images to a size known when the program runs.
    data (n, c, h, w), axes as layout; size (2,) of integers; roi (4,) float32 -> (n, c, ?, ?)
    """,
    static_form=StaticForm("image.resize2d", defaults={"roi": [0.0, 0.0, 0.0, 0.0]}),
    rule=rules.dynamic_resize_type,
    evaluate=_resize,
    result_size=result_size.bound_resize,
    pattern=OpPattern.INJECTIVE,
)
_declare(
    "nn.upsampling",
    arguments=("data", "scale_h: float64", "scale_w: float64"),
    description="""
    Enlarge images by factors known when the program runs; halves are rounded to even sizes.
    data (n, c, h, w); scale_h (); scale_w () -> (n, c, ?, ?)
    """,
    rule=rules.dynamic_upsampling_type,
    evaluate=_upsampling,
    result_size=result_size.bound_scaling("HW"),
    pattern=OpPattern.INJECTIVE,
)
_declare(
    "nn.upsampling3d",
    arguments=("data", "scale_d: float64", "scale_h: float64", "scale_w: float64"),
    description="""
    Enlarge volumes by factors known when the program runs; halves are rounded to even sizes.
    data (n, c, d, h, w); scale_d (); scale_h (); scale_w () -> (n, c, ?, ?, ?)
    """,
    rule=rules.dynamic_upsampling_type,
    evaluate=_upsampling3d,
    result_size=result_size.bound_scaling("DHW"),
    pattern=OpPattern.INJECTIVE,
)
_declare(
    "strided_slice",  # in Relay a fifth argument is described, which calls do not have
    description="""
    Cut out a slice known when the program runs.
    data (...); begin (k,) of integers; end (k,); strides (k,) -> (?, ..., ?)
    """,
    static_form=StaticForm("strided_slice", defaults={"strides": [1]}, lost=("axes",)),
    rule=rules.dynamic_strided_slice_type,
    evaluate=_strided_slice,
    result_size=bound_by_inputs,
    pattern=OpPattern.INJECTIVE,
    mixed_precision=MixedPrecision.FOLLOW,
)
