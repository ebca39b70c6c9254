"""Pooling over windows of a fixed size, and over whole images."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.values.dtype import get_lowest_number
from relayish.numeric.pooling import combine_windows, count_elements
from relayish.numeric.precision import divide_sum, is_whole, round_to, unpack, widen
from relayish.numeric.windows import Sides, Windows, extend
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_layout
from relayish.op.nn.pooling_attrs import (
    AvgPool1DAttrs,
    AvgPool2DAttrs,
    AvgPool3DAttrs,
    AvgPoolAttrs,
    GlobalPool2DAttrs,
    MaxPool1DAttrs,
    MaxPool2DAttrs,
    MaxPool3DAttrs,
    MaxPoolAttrs,
)
from relayish.op.nn.pooling_types import find_pooled_axes, global_pool_type, pool_type
from relayish.op.nn.windows import sides, windows_over
from relayish.op.values.evaluation import Array, as_sizes


def pool_padding(attrs: MaxPoolAttrs, axes: tuple[int, ...], shape: tuple[int, ...]) -> Sides:
    """Return the padding of the pooled axes, with what ``ceil_mode`` adds behind.

    In ceiling mode a last window that hangs over the end counts too.
    """
    padding = sides(attrs.padding, len(axes))
    if not attrs.ceil_mode:
        return padding
    pool, strides, dilation = map(as_sizes, (attrs.pool_size, attrs.strides, attrs.dilation))
    full = []
    for place, axis in enumerate(axes):
        before, after = padding[place]
        reach = (pool[place] - 1) * dilation[place] + 1
        full.append((before, after + (reach - shape[axis] - before - after) % strides[place]))
    return tuple(full)


def pad_windows(attrs: MaxPoolAttrs, data: Array, fill: float) -> tuple[Array, Windows]:
    """Return ``data``, with ``fill`` padded around its pooled axes, and the windows over it."""
    axes = find_pooled_axes(attrs.layout, len(attrs.pool_size), data.ndim)
    padded = extend(data, axes, pool_padding(attrs, axes, data.shape), fill)
    return padded, windows_over(padded.shape, axes, attrs.pool_size, attrs.strides, attrs.dilation)


def get_lowest(data: Array) -> float:
    """Return the least finite number of the type of ``data``, with which maximum pools pad."""
    return False if data.dtype.kind == "b" else get_lowest_number(data.dtype)


def divide(total: Array, count: Array, dtype: np.dtype[np.generic]) -> Array:
    """Return ``total / count`` as ``dtype``; integers are divided as in C, towards 0."""
    if is_whole(total.dtype):
        if not np.all(count):
            raise EvaluationError("the mean of no integers has no value")
        return divide_sum(total.astype(dtype), count, dtype)  # which wraps around first
    return round_to(total / count.astype(total.dtype), dtype)


def window_sizes(attrs: MaxPoolAttrs, shape: tuple[int, ...], *, include_pad: bool) -> Array:
    """Return how many elements the mean of each window is of, at least 1.

    What ``ceil_mode`` adds never counts, padding only if asked to.

    Returns:
        A tensor that broadcasts with the result of the pool.
    """
    axes = find_pooled_axes(attrs.layout, len(attrs.pool_size), len(shape))
    padding, full = sides(attrs.padding, len(axes)), pool_padding(attrs, axes, shape)
    whole = list(shape)
    for axis, (before, after) in zip(axes, full, strict=True):
        whole[axis] = max(shape[axis] + before + after, 0)
    windows = windows_over(whole, axes, attrs.pool_size, attrs.strides, attrs.dilation)
    counted = [
        (0, before + shape[axis] + after) if include_pad else (before, before + shape[axis])
        for axis, (before, after) in zip(axes, padding, strict=True)
    ]
    return count_elements(windows, len(shape), counted)


def _max_pool(attrs: MaxPoolAttrs, data: Array) -> Array:
    highest = combine_windows(*pad_windows(attrs, unpack(data), get_lowest(data)), np.maximum)
    return highest.astype(data.dtype, copy=False)


def _avg_pool(attrs: AvgPoolAttrs, data: Array) -> Array:
    total = combine_windows(*pad_windows(attrs, widen(data), 0), np.add)
    count = window_sizes(attrs, data.shape, include_pad=attrs.count_include_pad)
    return divide(total, count, data.dtype)


def _global_max_pool(attrs: GlobalPool2DAttrs, data: Array) -> Array:
    axes = find_pooled_axes(attrs.layout, 2, data.ndim)
    highest = unpack(data).max(axis=axes, keepdims=True, initial=get_lowest(data))
    return highest.astype(data.dtype, copy=False)


def _global_avg_pool(attrs: GlobalPool2DAttrs, data: Array) -> Array:
    axes = find_pooled_axes(attrs.layout, 2, data.ndim)
    source = widen(data)
    total = source.sum(axis=axes, keepdims=True, dtype=source.dtype)
    return divide(total, np.array(prod(data.shape[axis] for axis in axes)), data.dtype)


def _declare(
    kind: str,
    what: str,
    layout: str,
    attrs_type: type[MaxPoolAttrs],
    evaluate: Callable[..., Array],
) -> None:
    """Declare the pool of data of ``layout``, such as ``nn.max_pool2d``."""
    rank = len(layout) - 2
    ones, zeros = (1,) * rank, (0,) * rank
    axes, places = ", ".join(layout.lower()), ", ".join([f"{axis}'" for axis in layout[2:].lower()])
    counted = ", count_include_pad=False" if kind == "avg" else ""
    register_op(
        f"nn.{kind}_pool{rank}d",
        signature=(
            f"data, pool_size={ones}, strides={ones}, dilation={ones}, padding={zeros}, "
            f"layout='{layout}', out_layout='', ceil_mode=False{counted}"
        ),
        description=f"""
        Take the {what} of each window.
        data ({axes}), axes as layout -> (n, c, {places})
        """,
        attrs_type=attrs_type,
        rule=pool_type,
        evaluate=evaluate,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        mixed_precision=MixedPrecision.FOLLOW,
        infer_layout=of_layout(out_layout=True),
    )


_declare("max", "largest element", "NCW", MaxPool1DAttrs, _max_pool)
_declare("max", "largest element", "NCHW", MaxPool2DAttrs, _max_pool)
_declare("max", "largest element", "NCDHW", MaxPool3DAttrs, _max_pool)
_declare("avg", "mean", "NCW", AvgPool1DAttrs, _avg_pool)
_declare("avg", "mean", "NCHW", AvgPool2DAttrs, _avg_pool)
_declare("avg", "mean", "NCDHW", AvgPool3DAttrs, _avg_pool)
register_op(
    "nn.global_max_pool2d",
    description="""
    Take the largest element of each channel.
    data (n, c, h, w), axes as layout -> (n, c, 1, 1)
    """,
    rule=global_pool_type,
    evaluate=_global_max_pool,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=of_layout(out_layout=True),
)
register_op(
    "nn.global_avg_pool2d",
    description="""
    Take the mean of each channel.
    data (n, c, h, w), axes as layout -> (n, c, 1, 1)
    """,
    rule=global_pool_type,
    evaluate=_global_avg_pool,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    mixed_precision=MixedPrecision.NEVER,
    infer_layout=of_layout(out_layout=True),
)
