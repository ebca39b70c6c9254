"""Gradients of pooling."""

from __future__ import annotations

import numpy as np

from relayish.op.evaluation import Array
from relayish.op.nn.accumulation import rounded, unpacked
from relayish.op.nn.pooling import (
    lowest,
    padded_windows,
    pool_padding,
    shared,
    summable,
    window_sizes,
)
from relayish.op.nn.pooling_attrs import MaxPool2DAttrs
from relayish.op.nn.pooling_types import pool_gradient_type, with_dilation
from relayish.op.nn.windows import extended
from relayish.op.registry import OpPattern, register_op


def _cut(attrs: MaxPool2DAttrs, result: Array, axes: tuple[int, ...], data: Array) -> Array:
    """Return ``result`` without the padding that was around ``data``."""
    padding = pool_padding(attrs, axes, data.shape)
    return extended(result, axes, tuple((-before, -after) for before, after in padding))


def _max_pool_gradient(attrs: MaxPool2DAttrs, grad: Array, data: Array) -> Array:
    """Return the gradient of the result where it came from: the first of the largest elements."""
    attrs = with_dilation(attrs)
    padded, windows = padded_windows(attrs, unpacked(data), lowest(data))
    taps = list(windows.taps())
    best = windows.seen(padded, taps[0]).copy()
    chosen: Array = np.zeros(best.shape, np.int64)
    for number, tap in enumerate(taps):
        seen = windows.seen(padded, tap)
        larger = seen > best
        np.copyto(best, seen, where=larger)
        chosen[larger] = number
    given = summable(grad)
    result: Array = np.zeros(padded.shape, given.dtype)
    for number, tap in enumerate(taps):
        there = windows.seen(result, tap)
        there += np.where(chosen == number, given, given.dtype.type(0))
    return rounded(_cut(attrs, result, windows.axes, data), data.dtype)


def _avg_pool_gradient(attrs: MaxPool2DAttrs, grad: Array, data: Array) -> Array:
    """Return the gradient of the result shared out among the elements of each window.

    The operator is declared with the attributes of ``nn.max_pool2d``, as in Relay; calls may carry
    those of ``nn.avg_pool2d`` all the same, whose ``count_include_pad`` then counts.
    """
    attrs = with_dilation(attrs)
    padded, windows = padded_windows(attrs, data, 0)
    include_pad = bool(attrs.get("count_include_pad", default=False))
    given = summable(grad)
    count = window_sizes(attrs, data.shape, include_pad=include_pad)
    portion = shared(given, count, given.dtype)
    result: Array = np.zeros(padded.shape, given.dtype)
    for tap in windows.taps():
        there = windows.seen(result, tap)
        there += portion
    return rounded(_cut(attrs, result, windows.axes, data), data.dtype)


register_op(
    "nn.max_pool2d_grad",
    arguments_=("data", "grad"),
    attrs=MaxPool2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=pool_gradient_type,
    evaluates=_max_pool_gradient,
)
register_op(
    "nn.avg_pool2d_grad",
    arguments_=("data", "grad"),
    attrs=MaxPool2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=pool_gradient_type,
    evaluates=_avg_pool_gradient,
)
