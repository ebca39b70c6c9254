"""Pooling."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from relayish.ir.attrs import Attrs, attrs
from relayish.op.evaluation import Array, as_sizes, is_integral
from relayish.op.fields import Dimension
from relayish.op.layout import convert_layout
from relayish.op.nn.convolution import sides, windows
from relayish.op.nn.pooling_types import (
    adaptive_pool_type,
    global_pool_type,
    pool_gradient_type,
    pool_type,
)
from relayish.op.registry import OpPattern, register_op


@attrs("relay.attrs.MaxPool1DAttrs")
class MaxPool1DAttrs(Attrs):
    """Attributes of ``nn.max_pool1d``."""

    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = (1,)
    dilation: tuple[Dimension, ...] = (1,)
    padding: tuple[Dimension, ...] = (0,)
    layout: str = "NCW"
    out_layout: str = ""
    ceil_mode: bool = False


@attrs("relay.attrs.MaxPool2DAttrs")
class MaxPool2DAttrs(Attrs):
    """Attributes of ``nn.avg_pool2d_grad``, ``nn.max_pool2d``, ``nn.max_pool2d_grad``."""

    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = (1, 1)
    dilation: tuple[Dimension, ...] = (1, 1)
    padding: tuple[Dimension, ...] = (0, 0)
    layout: str = "NCHW"
    out_layout: str = ""
    ceil_mode: bool = False


@attrs("relay.attrs.MaxPool3DAttrs")
class MaxPool3DAttrs(Attrs):
    """Attributes of ``nn.max_pool3d``."""

    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = (1, 1, 1)
    dilation: tuple[Dimension, ...] = (1, 1, 1)
    padding: tuple[Dimension, ...] = (0, 0, 0)
    layout: str = "NCDHW"
    out_layout: str = ""
    ceil_mode: bool = False


@attrs("relay.attrs.AvgPool1DAttrs")
class AvgPool1DAttrs(Attrs):
    """Attributes of ``nn.avg_pool1d``."""

    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = (1,)
    dilation: tuple[Dimension, ...] = (1,)
    padding: tuple[Dimension, ...] = (0,)
    layout: str = "NCW"
    out_layout: str = ""
    ceil_mode: bool = False
    count_include_pad: bool = False


@attrs("relay.attrs.AvgPool2DAttrs")
class AvgPool2DAttrs(Attrs):
    """Attributes of ``nn.avg_pool2d``, ``qnn.avg_pool2d``."""

    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = (1, 1)
    dilation: tuple[Dimension, ...] = (1, 1)
    padding: tuple[Dimension, ...] = (0, 0)
    layout: str = "NCHW"
    out_layout: str = ""
    ceil_mode: bool = False
    count_include_pad: bool = False


@attrs("relay.attrs.AvgPool3DAttrs")
class AvgPool3DAttrs(Attrs):
    """Attributes of ``nn.avg_pool3d``."""

    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = (1, 1, 1)
    dilation: tuple[Dimension, ...] = (1, 1, 1)
    padding: tuple[Dimension, ...] = (0, 0, 0)
    layout: str = "NCDHW"
    out_layout: str = ""
    ceil_mode: bool = False
    count_include_pad: bool = False


@attrs("relay.attrs.GlobalPool2DAttrs")
class GlobalPool2DAttrs(Attrs):
    """Attributes of ``nn.global_avg_pool2d``, ``nn.global_max_pool2d``."""

    layout: str = "NCHW"
    out_layout: str = ""


@attrs("relay.attrs.AdaptivePool1DAttrs")
class AdaptivePool1DAttrs(Attrs):
    """Attributes of ``nn.adaptive_avg_pool1d``, ``nn.adaptive_max_pool1d``."""

    output_size: tuple[Dimension, ...] = ()
    layout: str = "NCW"
    out_layout: str = ""


@attrs("relay.attrs.AdaptivePool2DAttrs")
class AdaptivePool2DAttrs(Attrs):
    """Attributes of ``nn.adaptive_avg_pool2d``, ``nn.adaptive_max_pool2d``."""

    output_size: tuple[Dimension, ...] = ()
    layout: str = "NCHW"
    out_layout: str = ""


@attrs("relay.attrs.AdaptivePool3DAttrs")
class AdaptivePool3DAttrs(Attrs):
    """Attributes of ``nn.adaptive_avg_pool3d``, ``nn.adaptive_max_pool3d``."""

    output_size: tuple[Dimension, ...] = ()
    layout: str = "NCDHW"
    out_layout: str = ""


_MaxAttrs: TypeAlias = MaxPool1DAttrs | MaxPool2DAttrs | MaxPool3DAttrs
_AvgAttrs: TypeAlias = AvgPool1DAttrs | AvgPool2DAttrs | AvgPool3DAttrs
_PLAIN = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


def _padding(attrs: _MaxAttrs | _AvgAttrs, sizes: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the padding of the spatial axes, with what ``ceil_mode`` adds behind.

    In ceiling mode a last window that hangs over the end counts too.
    """
    strides, dilation = as_sizes(attrs.strides), as_sizes(attrs.dilation)
    padding = list(sides(attrs.padding, len(sizes)))
    if attrs.ceil_mode:
        for axis, window in enumerate(as_sizes(attrs.pool_size)):
            before, after = padding[axis]
            reach = (window - 1) * dilation[axis] + 1
            over = (sizes[axis] + before + after - reach) % strides[axis]
            padding[axis] = before, after + (strides[axis] - over if over else 0)
    return padding


def _views(attrs: _MaxAttrs | _AvgAttrs, data: Array, fill: object) -> Array:
    padding = _padding(attrs, data.shape[2:])
    padded = np.pad(data, ((0, 0), (0, 0), *padding), constant_values=fill)  # type: ignore[call-overload]
    pool, strides, dilation = map(as_sizes, (attrs.pool_size, attrs.strides, attrs.dilation))
    return windows(padded, pool, strides, dilation)


def _max_pool(attrs: _MaxAttrs, data: Array) -> Array:
    rank = len(attrs.pool_size)
    source = convert_layout(data, attrs.layout, _PLAIN[rank])
    lowest = np.iinfo(data.dtype).min if is_integral(data) else -np.inf
    result = _views(attrs, source, lowest).max(axis=tuple(range(-rank, 0)))
    return convert_layout(result, _PLAIN[rank], attrs.out_layout or attrs.layout)


def _avg_pool(attrs: _AvgAttrs, data: Array) -> Array:
    rank = len(attrs.pool_size)
    within = tuple(range(-rank, 0))
    source = convert_layout(data, attrs.layout, _PLAIN[rank])
    total = _views(attrs, source, 0).sum(axis=within, dtype=data.dtype)
    inside = np.ones((1, 1, *source.shape[2:]), data.dtype)
    if attrs.count_include_pad:
        inside = np.pad(inside, ((0, 0), (0, 0), *sides(attrs.padding, rank)), constant_values=1)
        extra = zip(_padding(attrs, source.shape[2:]), sides(attrs.padding, rank), strict=True)
        behind = [(0, full[1] - given[1]) for full, given in extra]
        padded = np.pad(inside, ((0, 0), (0, 0), *behind))
        pool, strides, dilation = map(as_sizes, (attrs.pool_size, attrs.strides, attrs.dilation))
        count = windows(padded, pool, strides, dilation).sum(axis=within)
    else:
        count = _views(attrs, inside, 0).sum(axis=within)
    count = np.maximum(count, 1)
    result = (total // count if is_integral(data) else total / count).astype(data.dtype)
    return convert_layout(result, _PLAIN[rank], attrs.out_layout or attrs.layout)


def _global_max_pool(attrs: GlobalPool2DAttrs, data: Array) -> Array:
    source = convert_layout(data, attrs.layout, "NCHW")
    result = source.max(axis=(2, 3), keepdims=True)
    return convert_layout(result, "NCHW", attrs.out_layout or attrs.layout)


def _global_avg_pool(attrs: GlobalPool2DAttrs, data: Array) -> Array:
    source = convert_layout(data, attrs.layout, "NCHW")
    total = source.sum(axis=(2, 3), keepdims=True, dtype=data.dtype)
    count = source.shape[2] * source.shape[3]
    result = (total // count if is_integral(data) else total / count).astype(data.dtype)
    return convert_layout(result, "NCHW", attrs.out_layout or attrs.layout)


register_op(
    "nn.max_pool1d",
    arguments_=("data",),
    attrs=MaxPool1DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=pool_type,
    evaluates=_max_pool,
)
register_op(
    "nn.max_pool2d",
    arguments_=("data",),
    attrs=MaxPool2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=pool_type,
    evaluates=_max_pool,
)
register_op(
    "nn.max_pool3d",
    arguments_=("data",),
    attrs=MaxPool3DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=pool_type,
    evaluates=_max_pool,
)
register_op(
    "nn.avg_pool1d",
    arguments_=("data",),
    attrs=AvgPool1DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=pool_type,
    evaluates=_avg_pool,
)
register_op(
    "nn.avg_pool2d",
    arguments_=("data",),
    attrs=AvgPool2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=pool_type,
    evaluates=_avg_pool,
)
register_op(
    "nn.avg_pool3d",
    arguments_=("data",),
    attrs=AvgPool3DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=pool_type,
    evaluates=_avg_pool,
)
register_op(
    "nn.global_max_pool2d",
    arguments_=("data",),
    attrs=GlobalPool2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=global_pool_type,
    evaluates=_global_max_pool,
)
register_op(
    "nn.global_avg_pool2d",
    arguments_=("data",),
    attrs=GlobalPool2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=global_pool_type,
    evaluates=_global_avg_pool,
)
register_op(
    "nn.max_pool2d_grad",
    arguments_=("data", "grad"),
    attrs=MaxPool2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=pool_gradient_type,
)
register_op(
    "nn.avg_pool2d_grad",
    arguments_=("data", "grad"),
    attrs=MaxPool2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=pool_gradient_type,
)
register_op(
    "nn.adaptive_max_pool1d",
    arguments_=("data",),
    attrs=AdaptivePool1DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=adaptive_pool_type,
)
register_op(
    "nn.adaptive_max_pool2d",
    arguments_=("data",),
    attrs=AdaptivePool2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=adaptive_pool_type,
)
register_op(
    "nn.adaptive_max_pool3d",
    arguments_=("data",),
    attrs=AdaptivePool3DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=adaptive_pool_type,
)
register_op(
    "nn.adaptive_avg_pool1d",
    arguments_=("data",),
    attrs=AdaptivePool1DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=adaptive_pool_type,
)
register_op(
    "nn.adaptive_avg_pool2d",
    arguments_=("data",),
    attrs=AdaptivePool2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=adaptive_pool_type,
)
register_op(
    "nn.adaptive_avg_pool3d",
    arguments_=("data",),
    attrs=AdaptivePool3DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=adaptive_pool_type,
)
