"""Operators of neural networks that lay data out in space: padding, flattening, resampling."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.attrs import Attrs, attrs
from relayish.op.evaluation import Array, as_sizes
from relayish.op.fields import Dimension
from relayish.op.layout import convert_layout
from relayish.op.registry import OpPattern, register_op


@attrs("relay.attrs.PadAttrs")
class PadAttrs(Attrs):
    """Attributes of ``nn.pad``, ``dyn.nn.pad``."""

    pad_width: tuple[tuple[int, ...], ...]
    pad_mode: str = "constant"


@attrs("relay.attrs.MirrorPadAttrs")
class MirrorPadAttrs(Attrs):
    """Attributes of ``nn.mirror_pad``."""

    mode: str = "SYMMETRIC"
    pad_width: tuple[tuple[Dimension, ...], ...]  # type: ignore[misc]  # required, given by name


@attrs("relay.attrs.UpSamplingAttrs")
class UpSamplingAttrs(Attrs):
    """Attributes of ``nn.upsampling``, ``dyn.nn.upsampling``."""

    scale_h: float
    scale_w: float
    layout: str = "NCHW"
    method: str = "nearest_neighbor"
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


@attrs("relay.attrs.SubPixelAttrs")
class SubPixelAttrs(Attrs):
    """Attributes of ``nn.depth_to_space``, ``nn.space_to_depth``."""

    block_size: int = 1
    layout: str = "NCHW"
    mode: str = "DCR"


@attrs("relay.attrs.SpaceToBatchNDAttrs")
class SpaceToBatchNDAttrs(Attrs):
    """Attributes of ``nn.space_to_batch_nd``."""

    block_shape: tuple[int, ...] = (1, 1)
    paddings: tuple[tuple[Dimension, ...], ...]  # type: ignore[misc]  # required, given by name
    pad_value: float = 0.0


@attrs("relay.attrs.BatchToSpaceNDAttrs")
class BatchToSpaceNDAttrs(Attrs):
    """Attributes of ``nn.batch_to_space_nd``."""

    block_shape: tuple[int, ...] = (1, 1)
    crops: tuple[tuple[Dimension, ...], ...]  # type: ignore[misc]  # required, given by name


@attrs("relay.attrs.DilateAttrs")
class DilateAttrs(Attrs):
    """Attributes of ``nn.dilate``."""

    strides: tuple[Dimension, ...] = (1, 1)
    dilation_value: float = 0.0


@attrs("relay.attrs.FIFOBufferAttrs")
class FIFOBufferAttrs(Attrs):
    """Attributes of ``nn.fifo_buffer``."""

    axis: int = 0


def padded(data: Array, pad_width: object, pad_value: Array, pad_mode: str) -> Array:
    """Return ``data`` with ``pad_width: (rank, 2)`` elements more before and after each axis."""
    widths = np.asarray(pad_width, np.int64).reshape((data.ndim, 2))
    match pad_mode:
        case "constant":
            return np.pad(
                data, widths, constant_values=np.asarray(pad_value).astype(data.dtype).item()
            )
        case "edge":
            return np.pad(data, widths, "edge")
        case "reflect":
            return np.pad(data, widths, "reflect")
    raise EvaluationError(f"pad_mode {pad_mode!r} is not constant, edge or reflect")


def _pad(attrs: PadAttrs, data: Array, pad_value: Array) -> Array:
    return padded(data, attrs.pad_width, pad_value, attrs.pad_mode)


def _mirror_pad(attrs: MirrorPadAttrs, data: Array) -> Array:
    widths = [as_sizes(pair) for pair in attrs.pad_width]
    match attrs.mode:
        case "SYMMETRIC":
            return np.pad(data, widths, "symmetric")
        case "REFLECT":
            return np.pad(data, widths, "reflect")
    raise EvaluationError(f"mode {attrs.mode!r} of mirror_pad is not SYMMETRIC or REFLECT")


def _space_to_depth(attrs: SubPixelAttrs, data: Array) -> Array:
    source = convert_layout(data, attrs.layout, "NCHW")
    block = attrs.block_size
    n, c, h, w = source.shape
    if h % block or w % block:
        raise EvaluationError(f"{h} by {w} cannot be divided into blocks of {block}")
    blocks = source.reshape((n, c, h // block, block, w // block, block))
    deep = blocks.transpose(0, 3, 5, 1, 2, 4).reshape((n, -1, h // block, w // block))
    return convert_layout(deep, "NCHW", attrs.layout)


def _depth_to_space(attrs: SubPixelAttrs, data: Array) -> Array:
    source = convert_layout(data, attrs.layout, "NCHW")
    block = attrs.block_size
    n, c, h, w = source.shape
    if c % (block * block):
        raise EvaluationError(f"{c} channels cannot be spread over blocks of {block}")
    channels = c // (block * block)
    match attrs.mode:
        case "DCR":
            parts = source.reshape((n, block, block, channels, h, w)).transpose(0, 3, 4, 1, 5, 2)
        case "CDR":
            parts = source.reshape((n, channels, block, block, h, w)).transpose(0, 1, 4, 2, 5, 3)
        case _:
            raise EvaluationError(f"mode {attrs.mode!r} of depth_to_space is not DCR or CDR")
    return convert_layout(parts.reshape((n, channels, h * block, w * block)), "NCHW", attrs.layout)


def _dilate(attrs: DilateAttrs, data: Array) -> Array:
    strides = as_sizes(attrs.strides)
    shape = tuple((n - 1) * s + 1 for n, s in zip(data.shape, strides, strict=True))
    result = np.full(shape, attrs.dilation_value, data.dtype)
    result[tuple(slice(None, None, s) for s in strides)] = data
    return result


register_op(
    "nn.pad",
    arguments_=("data", "pad_val"),
    attrs=PadAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_pad,
)
register_op(
    "nn.mirror_pad",
    arguments_=("data",),
    attrs=MirrorPadAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_mirror_pad,
)
register_op(
    "nn.dilate",
    arguments_=("x",),
    attrs=DilateAttrs,
    in_metadata=True,
    fuses=OpPattern.INJECTIVE,
    evaluates=_dilate,
)
register_op("nn.upsampling", arguments_=("data",), attrs=UpSamplingAttrs, fuses=OpPattern.INJECTIVE)
register_op(
    "nn.upsampling3d", arguments_=("data",), attrs=UpSampling3DAttrs, fuses=OpPattern.INJECTIVE
)
register_op(
    "nn.space_to_depth",
    arguments_=("data",),
    attrs=SubPixelAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_space_to_depth,
)
register_op(
    "nn.depth_to_space",
    arguments_=("data",),
    attrs=SubPixelAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_depth_to_space,
)
register_op(
    "nn.space_to_batch_nd",
    arguments_=("data",),
    attrs=SpaceToBatchNDAttrs,
    fuses=OpPattern.INJECTIVE,
)
register_op(
    "nn.batch_to_space_nd",
    arguments_=("data",),
    attrs=BatchToSpaceNDAttrs,
    fuses=OpPattern.INJECTIVE,
)
register_op("nn.fifo_buffer", arguments_=("data", "buffer"), attrs=FIFOBufferAttrs)
