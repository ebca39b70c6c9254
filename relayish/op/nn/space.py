"""Operators of neural networks that make tensors larger: padding, dilation, upsampling."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import String
from relayish.ir.relay.type import Any, PrimOp, TensorType, Type
from relayish.numeric.arguments import get_scalar
from relayish.numeric.padding import pad
from relayish.numeric.precision import cast_to, compute_dtype, is_whole
from relayish.numeric.resizing import Axis, resize
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_layout
from relayish.op.layouts.shape_rules import pad_layouts
from relayish.op.nn.arguments import unify_sizes
from relayish.op.types.dimension import add, multiply, normalise_axis, show_type, subtract
from relayish.op.types.fields import Dimension
from relayish.op.types.layout import convert_layout
from relayish.op.types.layout_types import convert_shape
from relayish.op.types.type_rules import require_number, tensor, unify_dtype
from relayish.op.values.evaluation import Array, as_sizes
from relayish.op.values.resampling import upsampling


@attrs("relay.attrs.PadAttrs")
class PadAttrs(Attrs):
    """Attributes of ``nn.pad``, ``dyn.nn.pad``."""

    pad_width: tuple[tuple[int, ...], ...]
    pad_mode: String = "constant"


@attrs("relay.attrs.MirrorPadAttrs")
class MirrorPadAttrs(Attrs):
    """Attributes of ``nn.mirror_pad``."""

    mode: str = "SYMMETRIC"
    pad_width: tuple[tuple[Dimension, ...], ...]  # type: ignore[misc]  # required, given by name


@attrs("relay.attrs.DilateAttrs")
class DilateAttrs(Attrs):
    """Attributes of ``nn.dilate``."""

    strides: tuple[Dimension, ...] = (1, 1)
    dilation_value: float = 0.0


@attrs("relay.attrs.FIFOBufferAttrs")
class FIFOBufferAttrs(Attrs):
    """Attributes of ``nn.fifo_buffer``."""

    axis: int = 0


@attrs("relay.attrs.UpSamplingAttrs")
class UpSamplingAttrs(Attrs):
    """Attributes of ``nn.upsampling``, ``dyn.nn.upsampling``."""

    scale_h: float
    scale_w: float
    layout: String = "NCHW"
    method: String = "nearest_neighbor"
    align_corners: bool = False


@attrs("relay.attrs.UpSampling3DAttrs")
class UpSampling3DAttrs(Attrs):
    """Attributes of ``nn.upsampling3d``, ``dyn.nn.upsampling3d``."""

    scale_d: float
    scale_h: float
    scale_w: float
    layout: str = "NCDHW"
    method: str = "nearest_neighbor"
    coordinate_transformation_mode: str = "half_pixel"


def _pad_type(attrs: PadAttrs, data: Type, pad_val: Type) -> TensorType:
    """Return the type of ``data`` with every axis longer by its two widths, which may be negative.

    The padding value is cast to the element type of ``data``.
    """
    require_number(pad_val, "pad_val")
    return _padded_type(tensor(data, "data"), attrs.pad_width)


def _mirror_pad_type(attrs: MirrorPadAttrs, data: Type) -> TensorType:
    """Return the type of ``data`` with every axis longer by its two widths."""
    found = tensor(data, "data")
    if any(isinstance(width, int) and width < 0 for pair in attrs.pad_width for width in pair):
        raise TypeInferenceError(f"pad_width must not be negative; found {attrs.pad_width}")
    return _padded_type(found, attrs.pad_width)


def _padded_type(data: TensorType, pad_width: Sequence[Sequence[Dimension]]) -> TensorType:
    if len(pad_width) != len(data.shape) or any(len(pair) != 2 for pair in pad_width):
        raise TypeInferenceError(
            f"pad_width must be a pair for each of {len(data.shape)} axes of {show_type(data)}; "
            f"found {pad_width}"
        )
    sizes = []
    for axis, (size, (before, after)) in enumerate(zip(data.shape, pad_width, strict=True)):
        padded_size = add(size, add(before, after))
        if isinstance(padded_size, int) and padded_size < 0:
            raise TypeInferenceError(
                f"axis {axis} of size {size} padded by {before} and {after} has a negative size"
            )
        sizes.append(padded_size)
    return TensorType(tuple(sizes), data.dtype)


def _dilate_type(attrs: DilateAttrs, x: Type) -> TensorType:
    """Return the type of ``x`` with elements put between its own, ``stride - 1`` at each place."""
    found = tensor(x, "x")
    if len(attrs.strides) != len(found.shape):
        raise TypeInferenceError(
            f"strides must be one for each axis of {show_type(found)}; found {attrs.strides}"
        )
    if any(isinstance(stride, int) and stride < 1 for stride in attrs.strides):
        raise TypeInferenceError(f"strides must be positive; found {attrs.strides}")
    return TensorType(tuple(map(_dilate_size, found.shape, attrs.strides)), found.dtype)


def _dilate_size(size: Dimension, stride: Dimension) -> Dimension:
    return 0 if size == 0 else add(multiply(subtract(size, 1), stride), 1)


def _fifo_buffer_type(attrs: FIFOBufferAttrs, data: Type, buffer: Type) -> TensorType:
    """Return the type of ``buffer``, which ``data`` fits into along every axis."""
    new, kept = tensor(data, "data"), tensor(buffer, "buffer")
    if len(new.shape) != len(kept.shape):
        raise TypeInferenceError(
            f"data and buffer must have as many axes; found {show_type(new)} and {show_type(kept)}"
        )
    along = normalise_axis(attrs.axis, len(kept.shape))
    shape = []
    for axis, (size, room) in enumerate(zip(new.shape, kept.shape, strict=True)):
        if axis != along:
            unify_sizes(size, room, f"in axis {axis} data has size {{}}, buffer {{}}")
        elif isinstance(size, int) and isinstance(room, int) and size >= room:
            raise TypeInferenceError(
                f"in axis {axis} data has size {size}, buffer {room}; it must be longer"
            )
        shape.append(room)
    return TensorType(tuple(shape), unify_dtype(new, kept))


def _upsampling_type(attrs: UpSamplingAttrs, data: Type) -> TensorType:
    """Return the type of ``data`` with its height and width times the scales, rounded."""
    return _scaled_type(tensor(data, "data"), attrs.layout, "NCHW", (attrs.scale_h, attrs.scale_w))


def _upsampling3d_type(attrs: UpSampling3DAttrs, data: Type) -> TensorType:
    """Return the type of ``data`` with its depth, height and width times the scales, rounded."""
    scales = attrs.scale_d, attrs.scale_h, attrs.scale_w
    return _scaled_type(tensor(data, "data"), attrs.layout, "NCDHW", scales)


def _scaled_type(
    data: TensorType, layout: str, plain: str, scales: tuple[float, ...]
) -> TensorType:
    if not all(0 < scale < inf for scale in scales):
        raise TypeInferenceError(f"scales must be positive; found {scales}")
    batch, channels, *sizes = convert_shape(data.shape, layout, plain)
    scaled = (batch, channels, *map(_scale_size, sizes, scales))
    return TensorType(convert_shape(scaled, plain, layout), data.dtype)


def _scale_size(size: Dimension, scale: float) -> Dimension:
    """Return ``size`` times ``scale``, rounded; halves to even, as Relay does."""
    if isinstance(size, int):
        return round(size * scale)
    if isinstance(size, Any):
        return size
    real, whole = "float64", str(getattr(size, "dtype", "int32"))
    factor = PrimOp(f"tir.FloatImm({scale!r})", (), real)
    times = PrimOp("tir.Mul", (PrimOp("tir.Cast", (size,), real), factor), real)
    return PrimOp("tir.Cast", (PrimOp("tir.round", (times,), real),), whole)


def _upsampling(attrs: UpSamplingAttrs, data: Array) -> Array:
    coordinates = "align_corners" if attrs.align_corners else "asymmetric"
    scales = attrs.scale_h, attrs.scale_w
    return upsample(data, attrs.layout, "NCHW", scales, attrs.method, coordinates)


def _upsampling3d(attrs: UpSampling3DAttrs, data: Array) -> Array:
    scales = attrs.scale_d, attrs.scale_h, attrs.scale_w
    mode = attrs.coordinate_transformation_mode
    return upsample(data, attrs.layout, "NCDHW", scales, attrs.method, mode)


def upsample(
    data: Array,
    layout: str,
    plain: str,
    scales: Sequence[float],
    method: str,
    coordinates: str,
) -> Array:
    """Return ``data``, held as ``layout``, with its spatial axes larger by ``scales``.

    Args:
        data: Any tensor.
        layout: How it is held.
        plain: The layout of batch, channels and then the axes to scale.
        scales: A factor for each of these.
        method: ``nearest_neighbor``, or ``linear`` or ``cubic`` behind ``bi`` or ``tri``.
        coordinates: See :func:`.resampling.upsampling`.
    """
    source = convert_layout(data, layout, plain)
    sizes = zip(source.shape[2:], scales, strict=True)
    axes = [Axis(size, round(size * scale)) for size, scale in sizes]
    work = np.dtype(np.float64) if is_whole(data.dtype) else compute_dtype(data.dtype)
    result = resize(source, list(enumerate(axes, 2)), upsampling(method, coordinates), work)
    return convert_layout(result.astype(data.dtype, copy=False), plain, layout)


def pad_tensor(data: Array, pad_width: object, pad_value: Array, pad_mode: str) -> Array:
    """Return ``data`` with ``pad_width: (rank, 2)`` elements more before and after each axis.

    Negative widths take elements away.
    """
    if pad_mode not in ("constant", "edge", "reflect"):
        raise EvaluationError(f"pad_mode {pad_mode!r} is not constant, edge or reflect")
    given = np.asarray(pad_value)
    get_scalar(given, "pad_value")
    widths = np.asarray(pad_width, np.int64).reshape((data.ndim, 2)).tolist()
    return pad(data, widths, pad_mode, cast_to(given, data.dtype).reshape(()))


def _pad(attrs: PadAttrs, data: Array, pad_val: Array) -> Array:
    return pad_tensor(data, attrs.pad_width, pad_val, attrs.pad_mode)


def _mirror_pad(attrs: MirrorPadAttrs, data: Array) -> Array:
    if attrs.mode not in ("SYMMETRIC", "REFLECT"):
        raise EvaluationError(f"mode {attrs.mode!r} of mirror_pad is not SYMMETRIC or REFLECT")
    widths = [(before, after) for before, after in map(as_sizes, attrs.pad_width)]
    return pad(data, widths, attrs.mode.lower())


def _dilate(attrs: DilateAttrs, data: Array) -> Array:
    strides = as_sizes(attrs.strides)
    shape = tuple((n - 1) * s + 1 if n else 0 for n, s in zip(data.shape, strides, strict=True))
    result = np.full(shape, attrs.dilation_value, data.dtype)
    result[tuple(slice(None, None, s) for s in strides)] = data
    return result


def _fifo_buffer(attrs: FIFOBufferAttrs, data: Array, buffer: Array) -> Array:
    """Put ``data`` at the end of ``buffer`` and push out as much at its beginning."""
    fresh = data.shape[attrs.axis]
    kept = [slice(None)] * buffer.ndim
    kept[attrs.axis] = slice(fresh, None)
    return np.concatenate((buffer[tuple(kept)], data), axis=attrs.axis)


register_op(
    "nn.pad",
    description="""
    Add elements at the sides of a tensor.
    data (...); pad_value (), or a number -> (...), larger
    """,
    rule=_pad_type,
    evaluate=_pad,
    pattern=OpPattern.INJECTIVE,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=pad_layouts,
)
register_op(
    "nn.mirror_pad",
    signature="data, pad_width, mode='SYMMETRIC'",
    description="""
    Add mirror images at the sides of a tensor.
    data (...); mode SYMMETRIC with the edge or REFLECT without it -> (...), larger
    """,
    rule=_mirror_pad_type,
    evaluate=_mirror_pad,
    pattern=OpPattern.INJECTIVE,
    infer_layout=pad_layouts,
)
register_op(
    "nn.dilate",
    arguments=("x",),
    signature="data, strides, dilation_value=0.0",
    description="""
    Put values between the elements of a tensor.
    data (...) -> (...), larger
    """,
    attrs_in_metadata=True,
    rule=_dilate_type,
    evaluate=_dilate,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "nn.fifo_buffer",
    signature="data, buffer, axis",
    description="""
    Append to a buffer of fixed length and drop what is oldest.
    data (..., n, ...); buffer (..., m, ...) -> (..., m, ...)
    """,
    rule=_fifo_buffer_type,
    evaluate=_fifo_buffer,
)
register_op(
    "nn.upsampling",
    signature=(
        "data, scale_h=1, scale_w=1, layout='NCHW', method='nearest_neighbor', align_corners=False"
    ),
    description="""
    Enlarge images.
    data (n, c, h, w), axes as layout -> (n, c, h * scale_h, w * scale_w)
    """,
    rule=_upsampling_type,
    evaluate=_upsampling,
    pattern=OpPattern.INJECTIVE,
    infer_layout=of_layout(),
)
register_op(
    "nn.upsampling3d",
    signature=(
        "data, scale_d=1, scale_h=1, scale_w=1, layout='NCDHW', method='nearest_neighbor', "
        "coordinate_transformation_mode='half_pixel'"
    ),
    description="""
    Enlarge volumes.
    data (n, c, d, h, w), axes as layout -> (n, c, d * scale_d, h * scale_h, w * scale_w)
    """,
    rule=_upsampling3d_type,
    evaluate=_upsampling3d,
    pattern=OpPattern.INJECTIVE,
    infer_layout=of_layout(),
)
